package work

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A module with no exchanges left is named, with what divides them.
func TestBudget_NamesTheExhaustedShare(t *testing.T) {
	t.Parallel()
	r := &Run{}
	whole := NewModule(&Job{Run: r}, 3, 0)
	require.Contains(t, whole.Budget.spent(3), "the run has had all 3 exchanges")
	part := NewModule(&Job{Run: r, ID: "two"}, 1, 0)
	r.Parts = []*Module{part}
	require.Zero(t, part.Budget.Count().Signal)
	require.Contains(t, part.Budget.Count().Reason, "two has had all of its share of exchanges with models, 1 (limits.steps, divided among the parts)")
	require.Contains(t, whole.Budget.spent(3), "the whole of the plan has had all of its share of exchanges with models, 3")
}
