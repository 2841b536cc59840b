package event_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/llm"
)

// The use and cost of calls are printed with them; fallbacks and cached answers, too.
func TestFormatter_PrintsCosts(t *testing.T) {
	t.Parallel()
	formatter := event.NewFormatter()
	var told []string
	for _, d := range []event.Data{
		event.ModelCalled{Node: "n", Input: 10, Output: 2, Elapsed: time.Second},
		event.ModelCalled{Node: "n", Failure: "it is down", StandIn: "other\x1b[2J"},
		event.Spent{Tokens: 1242, Cost: llm.Cost{MicroUSD: 30_000}},
		event.ModelCalled{Node: "n", Input: 100, CacheRead: 800, CacheWrite: 300, Output: 30, Elapsed: time.Second},
		event.ModelCalled{Node: "n", Cached: true},
		event.Spent{Tokens: 1300, Cost: llm.Cost{Unpriced: true}},
		event.ModelCalled{Node: "n", CacheRead: 50, Output: 8, Failure: "no JSON"},
	} {
		for _, l := range formatter.Format(event.Event{Data: d}) {
			told = append(told, strings.TrimSpace(l.Text))
		}
	}
	require.Empty(t, cmp.Diff([]string{
		"model: 10 → 2 tokens, 1s (12 so far)",
		`model: other\u001b[2J is used instead: it is down`,
		"model: 1200 → 30 tokens, 800 from the provider's cache, 1s (1242 so far, $0.03)",
		"model: answered from the cache, without cost",
		"model: 50 → 8 tokens, 50 from the provider's cache (1300 so far, unknown price), not usable: no JSON",
	}, told))
}
