package pipeline

import (
	"forge/engine/graph"
	"slices"
)

// retry is what would be tried again of a run that is stuck.
func (r *runner) retry(stuck *graph.StuckError) Retry {
	again := Retry{}
	for _, n := range stuck.Nodes {
		if !r.moduleOf(n).history.usedUp {
			again.Stuck = append(again.Stuck, at(n))
		}
	}
	for _, m := range append([]*module{r.whole}, r.modules...) {
		if m.history.usedUp {
			again.UsedUp = true
			continue
		}
		again.Stuck = append(again.Stuck, m.diagnosis.lost...)
	}
	for _, m := range append([]*module{r.whole}, r.modules...) {
		if place, is := m.toJudge(slices.DeleteFunc(slices.Clone(stuck.Nodes), func(n graph.Node) bool { return r.moduleOf(n) != m })); is {
			again.Judge = append(again.Judge, place)
		}
	}
	return again
}
