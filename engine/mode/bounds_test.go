package mode

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBounds_AreWithinTheirRanges(t *testing.T) {
	t.Parallel()
	for _, b := range AllBounds() {
		t.Run(b.Setting, func(t *testing.T) {
			t.Parallel()
			var all Bounds
			for _, wrong := range []int{b.Least - 1, b.Most + 1} {
				err := b.Set(&all, wrong)
				var outside *RangeError
				require.ErrorAs(t, err, &outside)
				require.Contains(t, err.Error(), b.Setting)
				require.Equal(t, Bounds{}, all)
			}
			require.NoError(t, b.Set(&all, b.Most))
			require.Equal(t, b.Most, *b.of(&all))
			require.NotEqual(t, Bounds{}, all)
		})
	}
	var all Bounds
	require.EqualError(t, Attempts.Set(&all, 99), "attempts: 99 is out of range: give 1 to 20")
	require.NoError(t, Rounds.Set(&all, 0))
	require.Equal(t, Bounds{Rounds: Never}, all)
}

func TestBounds_AFolderOnlyLowersBounds(t *testing.T) {
	t.Parallel()
	usual := Bounds{Attempts: 3, Rounds: 10}
	for name, c := range map[string]struct {
		bound   Bound
		holds   Bounds
		said    int
		want    Bounds
		refusal string
	}{
		"less than usual":         {Attempts, Bounds{}, 2, Bounds{Attempts: 2}, ""},
		"more than usual":         {Attempts, Bounds{}, 4, Bounds{}, "attempts: 4 is out of range: give 1 to 3"},
		"less than was set":       {Attempts, Bounds{Attempts: 9}, 4, Bounds{Attempts: 4}, ""},
		"more than was set":       {Attempts, Bounds{Attempts: 2}, 3, Bounds{Attempts: 2}, "give 1 to 2"},
		"none":                    {Rounds, Bounds{}, 0, Bounds{Rounds: Never}, ""},
		"some where none are set": {Rounds, Bounds{Rounds: Never}, 1, Bounds{Rounds: Never}, "explore.rounds: 1 is out of range: it can only be 0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := c.holds
			err := c.bound.Lower(&all, usual, c.said)
			require.Equal(t, c.want, all)
			if c.refusal == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.refusal)
		})
	}
}

func TestBounds_FillsUnsetFields(t *testing.T) {
	t.Parallel()
	require.Equal(t, Bounds{Hops: 1, Tasks: 2, Writers: 3, Attempts: 4, Rounds: Never},
		Bounds{Hops: 1, Rounds: Never}.Or(Bounds{Hops: 9, Tasks: 2, Writers: 3, Attempts: 4, Rounds: 5}))
}
