package pipeline

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A module with no exchanges left is named, with what divides them.
func TestBudget_SaysWhoHasHadItsShare(t *testing.T) {
	t.Parallel()
	r := &run{}
	whole := newUnit(&job{run: r}, 3, 0)
	require.Contains(t, whole.budget.spent(3), "the run has had all 3 exchanges")
	part := newUnit(&job{run: r, id: "two"}, 1, 0)
	r.parts = []*unit{part}
	require.Zero(t, part.budget.count().Signal)
	require.Contains(t, part.budget.count().Reason, "two has had all of its share of exchanges with models, 1 (limits.steps, divided among the parts)")
	require.Contains(t, whole.budget.spent(3), "the whole of the plan has had all of its share of exchanges with models, 3")
}
