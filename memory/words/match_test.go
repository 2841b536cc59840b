package words

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestIndex_BM25PrefersRareWordsAndShortRows(t *testing.T) {
	t.Parallel()
	frequencies := []frequency{{"rare", 1}, {"common", 900}}
	f := newFound(Index[string]{Text: func(s string) string { return s }})
	for i, text := range []string{"common common common", "rare and a lot of other words that make it long", "rare"} {
		f.all = append(f.all, candidate[string]{id: int64(i), row: text})
	}
	require.Equal(t, []string{"rare", "rare and a lot of other words that make it long", "common common common"}, f.byScore(frequencies, 1000))
	require.False(t, math.IsNaN(f.all[0].score))
}
