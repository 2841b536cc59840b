package main

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRow_Percentile(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		sample sample
		p      float64
		want   float64
	}{
		"median of an odd number":   {sample{3, 1, 2}, 50, 2},
		"median of an even number":  {sample{4, 1, 3, 2}, 50, 2},
		"95 of twenty":              {sample{20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, 95, 19},
		"95 of few is the largest":  {sample{1, 9, 5}, 95, 9},
		"100 is the largest":        {sample{1, 9, 5}, 100, 9},
		"0 is the smallest":         {sample{7, 9, 5}, 0, 5},
		"nothing has no percentile": {nil, 50, math.NaN()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := test.sample.percentile(test.p)
			require.Equal(t, math.IsNaN(test.want), math.IsNaN(got))
			if !math.IsNaN(test.want) {
				require.InDelta(t, test.want, got, 0)
			}
		})
	}
}

func TestRow_NamesEachMissedGoal(t *testing.T) {
	t.Parallel()
	quarter, small := atMostOf(0.25), atMost(25)
	for name, test := range map[string]struct {
		row  row
		want []string // the words of the line, after its name
	}{
		"met":                  {row{forge: number(25), gopls: number(100), goals: []goal{quarter, small}}, []string{"25.00", "100.0", "0.250", "≤ 0.25 × gopls, ≤ 25", "met"}},
		"one goal missed":      {row{forge: number(25.1), gopls: number(1000), goals: []goal{quarter, small}}, []string{"25.10", "1000", "0.025", "≤ 0.25 × gopls, ≤ 25", "MISSED"}},
		"the ratio missed":     {row{forge: number(2), gopls: number(7), goals: []goal{quarter}}, []string{"2.00", "7.00", "0.286", "≤ 0.25 × gopls", "MISSED"}},
		"no goal":              {row{forge: number(2), gopls: number(4)}, []string{"2.00", "4.00", "0.500"}},
		"Forge does not do it": {row{forge: missing, gopls: number(4), goals: []goal{small}}, []string{"not there", "4.00", "–", "≤ 25", "MISSED"}},
		"gopls does not do it": {row{forge: number(4), gopls: missing, goals: []goal{small}}, []string{"4.00", "not there", "–", "≤ 25", "met"}},
		"nothing to be a share of": {row{forge: number(4), gopls: missing, goals: []goal{quarter}},
			[]string{"4.00", "not there", "–", "≤ 0.25 × gopls", "MISSED"}},
		"not measured": {row{forge: number(math.NaN()), gopls: number(1), goals: []goal{small}}, []string{"not measured", "1.00", "–", "≤ 25", "MISSED"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.row.name, test.row.unit = "it", "ms"
			var out strings.Builder
			test.row.render(&out)
			want := append([]string{"it, ms"}, test.want...)
			require.Equal(t, strings.Join(want, " "), strings.Join(strings.Fields(out.String()), " "))
		})
	}
}
