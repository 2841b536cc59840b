package checks

import (
	"context"
	"slices"
	"sync"
	"time"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/engine/step"
)

// preflightLimit is the time limit for all gates together to find their programs. Programs not found by then count as installed.
const preflightLimit = 5 * time.Second

// atOnce is how many gates search for their programs concurrently.
const atOnce = 4

// Lack is a gate that cannot run, because a program is not installed.
type Lack = step.Lack

// Preflight asks gates which programs they lack, before anything slow runs. The result is in their order.
func (c Checking) Preflight(ctx context.Context, tree gate.Tree, gates []string) []Lack {
	ctx, cancel := context.WithTimeout(tool.AskingOnce(ctx), preflightLimit)
	defer cancel()
	lacks := make([]Lack, len(gates))
	free := make(chan struct{}, atOnce)
	var asked sync.WaitGroup
	for i, name := range gates {
		g := c.Gate(name)
		if g == nil {
			continue
		}
		asked.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			lacks[i] = Lack{Gate: name, Missing: gate.Preflight(ctx, g, tree)}
		})
	}
	asked.Wait()
	return slices.DeleteFunc(lacks, func(l Lack) bool { return !l.Is() })
}

// cannotRun returns the lacks without those of gates that run all the same.
func cannotRun(lacks []Lack) []Lack {
	return slices.DeleteFunc(slices.Clone(lacks), func(l Lack) bool { return l.Partly })
}

// reportOf returns the report of a gate that did not run.
func reportOf(l Lack) gate.Report {
	r := gate.Report{Gate: l.Gate}
	l.NotRun(&r)
	return r
}
