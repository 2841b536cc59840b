package work

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRecent_KeepsTheNewestTurnsWithinTheLimit(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long line\n", 1000)
	var turns []Turn
	for _, asked := range []string{"one", "two", "three", "four", "five"} {
		turns = append(turns, Turn{Asked: asked, Answered: long})
	}
	kept := Recent(turns)
	require.Len(t, kept, 3)
	require.Equal(t, []string{"three", "four", "five"}, []string{kept[0].Asked, kept[1].Asked, kept[2].Asked})
	require.LessOrEqual(t, len(Task{Earlier: kept}.Thread()), maxThread+200)
	require.Contains(t, kept[2].Answered, "[… cut]")

	require.Equal(t, []Turn{{Asked: "why?", Answered: "because"}}, Recent([]Turn{{Asked: " why? ", Answered: "because\n"}}))
	require.Empty(t, Recent(nil))
}
