package plan

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
)

func TestPace_IsTheMedianOfEarlierPlans(t *testing.T) {
	t.Parallel()
	took := func(minutes float64) event.PlanEffort {
		return event.PlanEffort{Estimate: 10 * time.Minute, Took: time.Duration(minutes * float64(time.Minute))}
	}
	plan := Plan{Parts: []Part{{ID: "a", Minutes: 8}}}
	none := PaceOf([]event.PlanEffort{{Took: time.Minute}})
	require.Equal(t, 8, none.Minutes(plan))
	require.Empty(t, none.Words())
	one := PaceOf([]event.PlanEffort{took(14)})
	require.Equal(t, 12, one.Minutes(plan), "11.2, rounded up")
	require.Equal(t, "; an earlier plan here took 1.4 times its estimate", one.Words())
	three := PaceOf([]event.PlanEffort{took(90), took(5), took(10)})
	require.Equal(t, 8, three.Minutes(plan))
	require.Equal(t, "; 3 earlier plans here took 1.0 times their estimates", three.Words())
	two := PaceOf([]event.PlanEffort{took(5), took(10)})
	require.InDelta(t, 0.75, two.Factor, 1e-9)
}
