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

// A run that is played again tells again what it told. That stands once, however the parts of it came in between
// each other.
func TestRestore_NothingIsToldTwice(t *testing.T) {
	t.Parallel()
	first := newTestLog()
	first.Append(RunStarted{Task: "x"})
	first.Append(Asked{}) // told by whoever asks, and not again
	first.Append(GateStarted{Gate: "a"})
	first.Append(GateStarted{Gate: "b"})
	first.Append(GateStarted{Gate: "b"}) // a second one that is the same
	first.Append(RunEnded{State: Failed})

	log := Restore("r-1", time.Now, first.Since(0))
	require.Equal(t, kinds(first.Since(0)), kinds(log.Since(0)))
	log.Append(RunResumed{})
	log.Tell(GateStarted{Gate: "b"})
	log.Tell(GateStarted{Gate: "a"})
	log.Tell(GateStarted{Gate: "b"})
	require.Len(t, log.Since(0), 7)
	log.Tell(GateStarted{Gate: "b"}) // the twin: a third one is news
	log.Tell(GateFinished{})
	log.Append(RunEnded{State: Failed}) // an end is of its life
	require.Equal(t, []string{"run.resumed", "gate.started", "gate.finished", "run.ended"}, kinds(log.Since(6)))
	log.Append(GateStarted{})
	require.Len(t, log.Since(0), 10, "and after it nothing happens")
	for i, e := range log.Since(0) {
		require.Equal(t, i+1, e.Seq)
	}
}

// Where events were lost there is no gap.
func TestRestore_RestoredEventsAreNumberedAnew(t *testing.T) {
	t.Parallel()
	log := Restore("r-1", time.Now, []Event{{Seq: 1, Data: RunStarted{}}, {Seq: 7, Data: GateStarted{}}})
	require.Equal(t, 2, log.Since(0)[1].Seq)
	for e := range log.Follow(t.Context(), 1) {
		require.Equal(t, "gate.started", e.Data.Type())
		break
	}
}
