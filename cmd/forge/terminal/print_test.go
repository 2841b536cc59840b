package terminal

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/graph"
)

// The end of a run names every node where it is stuck, and repeats no reason.
func TestPrinter_EndNamesEveryStoppedNode(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p := NewPrinter(&out)
	p.Show(event.Event{Data: event.NodeChanged{Node: graph.Node{ID: "a/executor", Status: graph.Blocked, Reason: "no: none; at all"}}})
	p.Show(event.Event{Data: event.NodeChanged{Node: graph.Node{ID: "b/review", Status: graph.Failed, Reason: "worse"}}})
	p.Show(event.Event{Data: event.RunEnded{State: event.Failed, Reason: "b/review: worse; a/executor: no: none; at all"}})
	require.Contains(t, out.String(), "failed: b/review, a/executor, see above")
	p.Show(event.Event{Data: event.RunEnded{State: event.Failed, Reason: "b/review: worse; c/review: new"}})
	require.Contains(t, out.String(), "failed: b/review: worse; c/review: new")
	require.NotContains(t, out.String(), "what helps")
}

func TestPrinter_EndHasTheCommandThatHelps(t *testing.T) {
	t.Parallel()
	for _, known := range event.Remedies {
		var out bytes.Buffer
		NewPrinter(&out).Show(event.Event{RunID: "r-1", Data: event.RunEnded{State: event.Blocked, Reason: "why", Remedy: known}})
		require.Regexp(t, `(?s)blocked: why\n\[forge\] what helps: .*forge `, out.String(), known)
		require.NotContains(t, out.String(), "RUN")
	}
}
