package episodes

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// mostPlanned is how often a model is asked at the most in one run of these: limits.steps, and repairs.
const mostPlanned = 80

// No part of a plan, no planner, and no joining node has a change accepted that does not hold.
func TestPlanFalseGreen_NoPartGetsAWrongChangeAccepted(t *testing.T) {
	t.Parallel()
	all := &counts{byName: map[string]map[string]int{}}
	t.Cleanup(func() { t.Log(all.table()) })
	for _, b := range testkit.Sample(1, slices.Concat(badParts(), badJoins(), badPlans(), badOpinions())) {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			b.flags = append([]string{"--plan"}, b.flags...)
			e := play(t, plannedProject(), b, "implement")
			all.add(b.name, e)
			require.Empty(t, e.falseGreen, e.reason)
			require.LessOrEqual(t, e.calls, mostPlanned, "the run ends within its limits")
			require.Contains(t, []string{"blocked", "failed"}, e.state, e.reason)
			require.False(t, e.changed, "nothing is written")
			require.Regexp(t, b.says, e.reason)
			require.NotEmpty(t, e.reason)
			require.NotContains(t, e.reason, "the script does not expect", "each request is answered")
		})
	}
}
