package pipeline

import (
	"slices"

	"forge/engine/graph"
	"forge/engine/pipeline/work"
)

// retry returns what a retry of a stuck run would repeat.
func (r *runner) retry(stuck *graph.StuckError) work.Retry {
	again := work.Retry{}
	for _, n := range stuck.Nodes {
		if !r.moduleOf(n).History.UsedUp {
			again.Stuck = append(again.Stuck, work.At(n))
		}
	}
	for _, m := range append([]*module{r.whole}, r.modules...) {
		if m.History.UsedUp {
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
