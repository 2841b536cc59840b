package event

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func kinds(events []Event) []string {
	var all []string
	for _, e := range events {
		all = append(all, e.Data.Type())
	}
	return all
}

// A replayed run repeats its events. The log has each once, however their parts interleave.
func TestRestore_NoEventIsRepeated(t *testing.T) {
	t.Parallel()
	first := newTestLog()
	first.Append(RunStarted{Task: "x"})
	first.Append(Asked{}) // appended by the asking part, and not again
	first.Append(GateStarted{Gate: "a"})
	first.Append(GateStarted{Gate: "b"})
	first.Append(GateStarted{Gate: "b"}) // a second one that is the same
	first.Append(RunEnded{State: Failed})

	log := Restore("r-1", time.Now, first.Since(0))
	require.Equal(t, kinds(first.Since(0)), kinds(log.Since(0)))
	log.Append(RunResumed{})
	log.AppendOnce(GateStarted{Gate: "b"})
	log.AppendOnce(GateStarted{Gate: "a"})
	log.AppendOnce(GateStarted{Gate: "b"})
	require.Len(t, log.Since(0), 7)
	log.AppendOnce(GateStarted{Gate: "b"}) // the twin: a third one is news
	log.AppendOnce(GateFinished{})
	log.Append(RunEnded{State: Failed}) // an end belongs to its execution
	require.Equal(t, []string{"run.resumed", "gate.started", "gate.finished", "run.ended"}, kinds(log.Since(6)))
	log.Append(GateStarted{})
	require.Len(t, log.Since(0), 10, "and after it nothing happens")
	for i, e := range log.Since(0) {
		require.Equal(t, i+1, e.Seq)
	}
}

// A restored log has no gap for lost events.
func TestRestore_RestoredEventsAreRenumbered(t *testing.T) {
	t.Parallel()
	log := Restore("r-1", time.Now, []Event{{Seq: 1, Data: RunStarted{}}, {Seq: 7, Data: GateStarted{}}})
	require.Equal(t, 2, log.Since(0)[1].Seq)
	for e := range log.Follow(t.Context(), 1) {
		require.Equal(t, "gate.started", e.Data.Type())
		break
	}
}
