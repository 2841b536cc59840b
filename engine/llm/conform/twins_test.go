package conform_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"forge/engine/llm"
	"forge/engine/llm/openai"
	"forge/engine/llm/wire"
)

// TestMain makes the test binary relay as mmx if it is called so, and otherwise fails the package if a test leaves a goroutine
// behind.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "mmx" {
		stdin, _ := io.ReadAll(os.Stdin)
		os.Exit(relay(os.Args, stdin))
	}
	goleak.VerifyTestMain(m)
}

// complete is how a broken adapter answers, given a good one.
type complete func(ctx context.Context, good llm.Model, r llm.Request, onDelta func(string)) (llm.Response, error)

// breaking returns an adapter that does one thing wrong.
func breaking(how complete) Adapter {
	return Adapter{Name: "broken", New: func(o wire.Options) llm.Model {
		o.BaseURL += "/v1"
		return &wrong{openai.New(o), how}
	}}
}

type wrong struct {
	*openai.Client
	how complete
}

func (w *wrong) Complete(ctx context.Context, r llm.Request, onDelta func(string)) (llm.Response, error) {
	return w.how(ctx, w.Client, r, onDelta)
}

func kindOf(err error) llm.Kind {
	var failure *llm.Error
	if errors.As(err, &failure) {
		return failure.Kind
	}
	return ""
}

// changed lets a good adapter answer a changed request.
func changed(change func(*llm.Request)) complete {
	return func(ctx context.Context, good llm.Model, r llm.Request, onDelta func(string)) (llm.Response, error) {
		change(&r)
		return good.Complete(ctx, r, onDelta)
	}
}

// after changes what a good adapter answers.
func after(change func(*llm.Response, *error)) complete {
	return func(ctx context.Context, good llm.Model, r llm.Request, onDelta func(string)) (llm.Response, error) {
		response, err := good.Complete(ctx, r, onDelta)
		change(&response, &err)
		return response, err
	}
}

// failing changes the failures of a good adapter.
func failing(change func(*llm.Error)) complete {
	return after(func(_ *llm.Response, err *error) {
		var failure *llm.Error
		if errors.As(*err, &failure) {
			change(failure)
		}
	})
}

// forgiving takes failures of a kind for answers.
func forgiving(kind llm.Kind) complete {
	return after(func(response *llm.Response, err *error) {
		if kindOf(*err) == kind {
			response.Finish, *err = llm.FinishStop, nil
		}
	})
}

// insisting asks again where a failure looks as if that helped.
func insisting(ctx context.Context, good llm.Model, r llm.Request, onDelta func(string)) (llm.Response, error) {
	response, err := good.Complete(ctx, r, onDelta)
	if kindOf(err) == llm.KindTransient {
		return good.Complete(ctx, r, onDelta)
	}
	return response, err
}

// keeping keeps all pieces back until the end.
func keeping(ctx context.Context, good llm.Model, r llm.Request, onDelta func(string)) (llm.Response, error) {
	response, err := good.Complete(ctx, r, nil)
	if onDelta != nil && response.Text != "" && !r.Whole {
		onDelta(response.Text)
	}
	return response, err
}

// leaking leaves a goroutine behind for as long as the test may live.
func leaking(release <-chan struct{}) complete {
	return func(ctx context.Context, good llm.Model, r llm.Request, onDelta func(string)) (llm.Response, error) {
		go func() { <-release }()
		return good.Complete(ctx, r, onDelta)
	}
}

// mixing returns the answer of the latest request.
func mixing() complete {
	var mu sync.Mutex
	var last llm.Response
	return func(ctx context.Context, good llm.Model, r llm.Request, _ func(string)) (llm.Response, error) {
		response, err := good.Complete(ctx, r, nil)
		mu.Lock()
		defer mu.Unlock()
		before := last
		last = response
		return before, err
	}
}

// TestTwins_EachCheckDetectsItsFault runs checks of adapters that do one thing wrong.
func TestTwins_EachCheckDetectsItsFault(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	twins := map[string]struct {
		how    complete
		caught []string
	}{
		"a part is taken for the whole": {forgiving(llm.KindTruncated), []string{
			"cut at every byte", "ended at every byte", "tool calls cut at every byte", "silence in the answer", "events of nothing",
		}},
		"malformed is good enough":   {forgiving(llm.KindInvalid), []string{"web page with 200", "unknown tool", "malformed arguments", "unknown finish", "no such model"}},
		"cut by length is an answer": {forgiving(llm.KindLength), []string{"finish by length", "tool calls cut short"}},
		"a refusal is an answer":     {forgiving(llm.KindRefused), []string{"finish by refusal", "finish by filter"}},
		"too long is an answer":      {forgiving(llm.KindOverflow), []string{"context length exceeded"}},
		"no credit is an answer":     {forgiving(llm.KindAuth), []string{"quota"}},
		"asking again":               {insisting, []string{"failed statuses", "connection reset", "reset of a connection that was used before", "error in the middle"}},
		"no moment":                  {failing(func(e *llm.Error) { e.RetryAfter = 0 }), []string{"moments to call again"}},
		"one second too soon":        {failing(func(e *llm.Error) { e.RetryAfter -= time.Second }), []string{"moments to call again"}},
		"no status":                  {failing(func(e *llm.Error) { e.Status = 0 }), []string{"failed statuses"}},
		"no name":                    {failing(func(e *llm.Error) { e.Model = "" }), []string{"failed statuses"}},
		"an error without a kind":    {after(func(_ *llm.Response, err *error) { *err = plain(*err) }), []string{"failed statuses", "silence before the answer", "nothing listens"}},
		"the key in an error":        {failing(func(e *llm.Error) { e.Err = fmt.Errorf("%w (key sk-canary-0f4b2d8e91c7)", e.Err) }), []string{"key in no error"}},
		"Go in an error":             {failing(func(e *llm.Error) { e.Err = errors.New("Go struct field") }), []string{"failed statuses"}},
		"keeping pieces back":        {keeping, []string{"pieces as they come", "plain answer"}},
		"a piece of nothing": {func(ctx context.Context, good llm.Model, r llm.Request, onDelta func(string)) (llm.Response, error) {
			onDelta("")
			return good.Complete(ctx, r, onDelta)
		}, []string{"plain answer", "empty answer"}},
		"whole in pieces": {changed(func(r *llm.Request) { r.Whole = false }), []string{"whole is what is streamed", "messages arrive"}},
		"no usage":        {after(func(r *llm.Response, _ *error) { r.Usage = llm.Usage{} }), []string{"usage"}},
		"caches are input": {after(func(r *llm.Response, _ *error) {
			r.Usage = llm.Usage{Input: r.Usage.Input + r.Usage.CacheRead, Output: r.Usage.Output}
		}), []string{"usage"}},
		"trimmed":             {after(func(r *llm.Response, _ *error) { r.Text = "x" + r.Text }), []string{"any character", "any form of the stream", "thinking is no text"}},
		"no calls":            {after(func(r *llm.Response, _ *error) { r.Calls = nil }), []string{"one tool call", "several tool calls", "interleaved tool calls", "tool call without arguments"}},
		"calls without ids":   {after(withoutIDs), []string{"one tool call"}},
		"another temperature": {changed(func(r *llm.Request) { r.Temperature = 1 }), []string{"temperature arrives"}},
		"no schema":           {changed(func(r *llm.Request) { r.Schema = nil }), []string{"schema arrives"}},
		"no tools":            {changed(func(r *llm.Request) { r.Tools = nil }), []string{"tools arrive"}},
		"no choice":           {changed(func(r *llm.Request) { r.UseTool = "" }), []string{"tool choice arrives"}},
		"no tags":             {changed(func(r *llm.Request) { r.Node = "" }), []string{"who asks arrives"}},
		"no system":           {changed(func(r *llm.Request) { r.Messages = r.Messages[1:] }), []string{"messages arrive", "results of tools arrive"}},
		"the key in the text": {changed(func(r *llm.Request) {
			r.Messages = []llm.Message{{Role: llm.User, Text: "sk-canary-0f4b2d8e91c7"}}
		}), []string{"key only in a header"}},
		"a goroutine too many": {leaking(release), []string{"cancel before the answer", "cancel in the answer"}},
		"a failure of its own": {after(func(_ *llm.Response, err *error) { *err = &llm.Error{Kind: llm.KindTransient, Model: "m", Err: *err} }), []string{"a deadline is the caller's"}},
		"mixed up":             {mixing(), []string{"many at once"}},
	}
	caught := map[string]bool{}
	for name, twin := range twins {
		for _, check := range twin.caught {
			caught[check] = true
			t.Run(name+"/"+check, func(t *testing.T) {
				t.Parallel()
				ctx, cancel := context.WithTimeout(t.Context(), patience(name)) // where goroutines are left, somebody waits for them
				defer cancel()
				require.Error(t, Check(ctx, breaking(twin.how), check))
			})
		}
	}
	for _, name := range Names() {
		if name != "thinking arrives" && name != "what is stable is marked" && name != "half an event" { // of no OpenAI; either kind will do
			require.True(t, caught[name], "no twin shows that the check %q can fail", name)
		}
	}
}

func patience(name string) time.Duration {
	if name == "a goroutine too many" {
		return 3 * time.Second
	}
	return time.Minute
}

func plain(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(err.Error())
}

func withoutIDs(r *llm.Response, _ *error) {
	for i := range r.Calls {
		r.Calls[i].ID = ""
	}
}
