package repomap_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"forge/codeintel/repomap"
)

// solved is PageRank by Gaussian elimination: rank = damping·(links + dangling)ᵀ·rank + (1-damping)·start.
func solved(links [][]repomap.Link, start []float64) []float64 {
	n := len(links)
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = make([]float64, n+1)
		rows[i][i] = 1
		rows[i][n] = .15 * start[i]
	}
	for from, out := range links {
		sum := 0.0
		for _, link := range out {
			sum += float64(link.Weight)
		}
		for _, link := range out {
			rows[link.To][from] -= .85 * float64(link.Weight) / sum
		}
		for to := range links {
			if sum == 0 {
				rows[to][from] -= .85 * start[to]
			}
		}
	}
	return eliminated(rows)
}

// eliminated solves a system whose diagonal dominates its columns: no pivots are needed.
func eliminated(rows [][]float64) []float64 {
	n := len(rows)
	for i := range rows {
		for j := range rows {
			if factor := rows[j][i] / rows[i][i]; i != j && factor != 0 {
				for k := i; k <= n; k++ {
					rows[j][k] -= factor * rows[i][k]
				}
			}
		}
	}
	result := make([]float64, n)
	for i := range rows {
		result[i] = rows[i][n] / rows[i][i]
	}
	return result
}

func TestPageRank_SolvesItsEquation(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "nodes")
		links := make([][]repomap.Link, n)
		for range rapid.IntRange(0, 3*n).Draw(t, "links") {
			from := rapid.IntRange(0, n-1).Draw(t, "from")
			to := rapid.Int32Range(0, int32(n-1)).Draw(t, "to")
			links[from] = append(links[from], repomap.Link{To: to, Weight: float32(rapid.IntRange(1, 9).Draw(t, "weight"))})
		}
		personal, start := make([]float64, n), make([]float64, n)
		sum := 0.0
		for i := range personal {
			personal[i] = float64(rapid.IntRange(0, 3).Draw(t, "personal"))
			sum += personal[i]
		}
		for i := range start {
			start[i] = 1 / float64(n)
			if sum > 0 {
				start[i] = personal[i] / sum
			}
		}
		got, want := repomap.NewGraph(links).PageRank(personal), solved(links, start)
		require.Equal(t, got, repomap.NewGraph(links).PageRank(personal), "the same bits each time")
		total := 0.0
		for i := range got {
			require.InDelta(t, want[i], got[i], 1e-4)
			total += got[i]
		}
		require.InDelta(t, 1, total, 1e-9)
	})
}

func TestPageRank_RanksByLinks(t *testing.T) {
	t.Parallel()
	to := func(nodes ...int32) []repomap.Link {
		var links []repomap.Link
		for _, node := range nodes {
			links = append(links, repomap.Link{To: node, Weight: 1})
		}
		return links
	}
	tests := []struct {
		name     string
		links    [][]repomap.Link
		personal []float64
		want     []float64
	}{
		{"no nodes", nil, nil, nil},
		{"one node", [][]repomap.Link{nil}, nil, []float64{1}},
		{"no links: where it starts", [][]repomap.Link{nil, nil, nil}, []float64{0, 3, 1}, []float64{0, .75, .25}},
		{"a circle is even", [][]repomap.Link{to(1), to(2), to(0)}, nil, []float64{1. / 3, 1. / 3, 1. / 3}},
		// r0 = 1/(1+.85), r1 = .85·r0: what is stuck in 1 begins again in 0.
		{"a dead end leads back", [][]repomap.Link{to(1), nil}, []float64{1, 0}, []float64{.540541, .459459}},
		// As above, but of .85·r0 nine tenths go to 1.
		{"weights", [][]repomap.Link{{{To: 1, Weight: 9}, {To: 2, Weight: 1}}, nil, nil}, []float64{1, 0, 0}, []float64{.540541, .413514, .045946}},
		{"what is not reached is nothing", [][]repomap.Link{to(1), to(0), to(0)}, []float64{1, 0, 0}, []float64{.540541, .459459, 0}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := repomap.NewGraph(test.links).PageRank(test.personal)
			require.Len(t, got, len(test.want))
			for i := range got {
				require.False(t, math.IsNaN(got[i]))
				require.InDelta(t, test.want[i], got[i], 2e-6*float64(len(got)))
			}
		})
	}
}
