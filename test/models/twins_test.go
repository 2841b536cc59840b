package models

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
)

// wrong is a model that does not keep to what the one behind it says.
type wrong struct {
	llm.Model
	complete func(ctx context.Context, good llm.Model, q llm.Request, onDelta func(string)) (llm.Response, error)
}

func (w wrong) Complete(ctx context.Context, q llm.Request, onDelta func(string)) (llm.Response, error) {
	return w.complete(ctx, w.Model, q, onDelta)
}

// forgiving takes an answer that was cut off for a whole one.
func forgiving(m llm.Model) llm.Model {
	return wrong{m, func(ctx context.Context, good llm.Model, q llm.Request, onDelta func(string)) (llm.Response, error) {
		response, err := good.Complete(ctx, q, onDelta)
		if kindOf(err) == llm.KindTruncated {
			response.Finish, err = llm.FinishStop, nil
		}
		return response, err
	}}
}

// twice is a second retry loop, as some libraries have one of their own.
func twice(m llm.Model) llm.Model {
	return wrong{m, func(ctx context.Context, good llm.Model, q llm.Request, onDelta func(string)) (llm.Response, error) {
		response, err := good.Complete(ctx, q, onDelta)
		if kindOf(err) == llm.KindTransient {
			return good.Complete(ctx, q, onDelta)
		}
		return response, err
	}}
}

func hasty(context.Context, time.Duration) error { return nil }

func named(t *testing.T, name string) fault {
	t.Helper()
	for _, f := range faults() {
		if f.name == name {
			return f
		}
	}
	t.Fatalf("there is no fault %q", name)
	return fault{}
}

// TestTwins_CountForbiddenEvents breaks the stack in the ways that the totals are about.
func TestTwins_CountForbiddenEvents(t *testing.T) {
	t.Parallel()
	counts := map[string]struct {
		fault string
		twin  func() *stack
		count func(totals) int
	}{
		"a part is taken for the whole": {"cut in the middle", func() *stack { return &stack{around: forgiving} }, func(c totals) int { return c.partial }},
		"no wait": {"429, Retry-After in seconds", func() *stack {
			return &stack{open: true, policy: llm.Policy{Sleep: hasty}}
		}, func(c totals) int { return c.early }},
		"a loop below the loop": {"500", func() *stack { return &stack{around: twice} }, func(c totals) int { return c.multiplied }},
	}
	for name, test := range counts {
		for _, c := range columns {
			if c.way == batched {
				continue
			}
			t.Run(name+"/"+c.String(), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					_, counted, _ := newBench(t, c.format, c.way).run(t, named(t, test.fault), 1, test.twin())
					require.Positive(t, test.count(counted))
				})
			})
		}
	}
}

func TestTwins_CallsOfAnOpenBreakerAreCounted(t *testing.T) {
	t.Parallel()
	for _, c := range []column{{"openai", stream}, {"ollama", sync_}} {
		t.Run(c.String(), func(t *testing.T) {
			t.Parallel()
			require.Positive(t, insist(t, c, &stack{open: true}).open)
			require.Zero(t, insist(t, c, &stack{}).open)
		})
	}
}

// TestTwins_CountABatchThatIsBilledTwice shows what the totals count of a batch.
func TestTwins_CountABatchThatIsBilledTwice(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"openai", "anthropic"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				again := func(m llm.Model) llm.Model {
					return wrong{m, func(ctx context.Context, good llm.Model, q llm.Request, onDelta func(string)) (llm.Response, error) {
						response, err := good.Complete(ctx, q, onDelta)
						q.Key += " again"
						if _, failed := good.Complete(ctx, q, onDelta); err == nil {
							err = failed
						}
						return response, err
					}}
				}
				f := named(t, "an item fails with 500")
				_, counted, _ := newBench(t, format, batched).run(t, f, 1, &stack{around: again})
				require.Positive(t, counted.multiplied)
			})
		})
	}
}
