package execution

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/graph"
	"forge/engine/pipeline/work"
)

// watchedNode lets a node work while something happens every minute, and returns after how long it was ended, and why.
func watchedNode(t *testing.T, timing work.Timing, duration time.Duration, every func(minute int, w *watch)) (after time.Duration, why string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWatch(&Run{ID: "r-1", Log: event.NewLog("r-1", time.Now)}, Patience{}, duration)
		ctx, over := w.node(t.Context(), graph.Node{ID: "pay/executor"}, timing)
		defer over()
		began := time.Now()
		for minute := 1; ctx.Err() == nil && minute < 600; minute++ {
			every(minute, w)
			select {
			case <-ctx.Done():
			case <-time.After(time.Minute): //nolint:forbidigo // of the bubble's clock
			}
		}
		after, why = time.Since(began), context.Cause(ctx).Error()
	})
	return after, why
}

func acts(_ int, w *watch) { w.log.Append(event.ToolUsed{Node: "pay/executor"}) }

func TestWatch_PartEndsAtItsLimit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		timing   work.Timing
		duration time.Duration
		want     time.Duration
	}{
		"usual":             {work.Timing{Part: "pay"}, DefaultDuration, 15 * time.Minute},
		"cut out of a part": {work.Timing{Part: "pay", Levels: 1}, DefaultDuration, 20 * time.Minute},
		"expected to last":  {work.Timing{Part: "pay", Expected: 10}, DefaultDuration, 30 * time.Minute},
		"in a long run":     {work.Timing{Part: "pay"}, 4 * DefaultDuration, time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			after, why := watchedNode(t, c.timing, c.duration, acts)
			require.Equal(t, c.want, after)
			require.Equal(t, "the part pay has worked for "+c.want.String()+", which is its limit. Resume it: forge resume r-1", why)
		})
	}
}

func TestWatch_SilentNodeIsEnded(t *testing.T) {
	t.Parallel()
	after, why := watchedNode(t, work.Timing{}, DefaultDuration, func(minute int, w *watch) {
		if minute <= 5 {
			acts(minute, w)
			w.log.Append(event.ToolUsed{Node: "tax/executor"})
		} else {
			w.log.Append(event.ToolUsed{Node: "tax/executor"}) // another part is not this one
		}
	})
	require.InDelta(t, 19*time.Minute, after, float64(time.Minute))
	require.Equal(t, "pay/executor was silent for 15m0s, so Forge stopped it. Resume it: forge resume r-1", why)
}

// Whatever is not the node's own silence does not count: a model that speaks, a gate that runs, a user who was asked, a batch.
func TestWatch_WaitingIsNoSilence(t *testing.T) {
	t.Parallel()
	for name, during := range map[string]func(minute int, w *watch){
		"a model speaks": func(minute int, w *watch) {
			if minute <= 60 {
				w.liveText.Say(event.Call{Node: "pay/debugger"}, "word ")
			}
		},
		"a gate runs": func(minute int, w *watch) {
			if minute == 1 {
				w.log.Append(event.GateStarted{Node: "pay/executor", Gate: "go test"})
			}
			if minute == 61 {
				done := event.GateFinished{Node: "pay/executor"}
				done.Report.Gate = "go test"
				w.log.Append(done)
			}
		},
		"the user was asked": func(minute int, w *watch) {
			if minute == 1 {
				w.log.Append(event.Asked{Question: event.Question{ID: "pay/q1"}})
			}
			if minute == 61 {
				w.log.Append(event.Answered{QuestionID: "pay/q1"})
			}
		},
		"a batch": func(minute int, w *watch) {
			if minute == 1 {
				w.log.Append(event.BatchWaiting{Node: "pay/executor"})
			}
			if minute == 61 {
				w.log.Append(event.ModelCalled{Node: "pay/executor"})
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			after, _ := watchedNode(t, work.Timing{}, DefaultDuration, during)
			require.InDelta(t, 75*time.Minute, after, float64(2*time.Minute))
		})
	}
}

// The time of a part is that of all its nodes; the user's time is not of it.
func TestWatch_UserTakesNoTimeOfAPart(t *testing.T) {
	t.Parallel()
	after, _ := watchedNode(t, work.Timing{Part: "pay"}, DefaultDuration, func(minute int, w *watch) {
		acts(minute, w)
		if minute == 2 {
			w.log.Append(event.Asked{Question: event.Question{ID: "pay/q1"}})
		}
		if minute == 62 {
			w.log.Append(event.Answered{QuestionID: "pay/q1"})
		}
	})
	require.InDelta(t, 75*time.Minute, after, float64(time.Minute))
}
