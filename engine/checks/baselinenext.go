package checks

import (
	"context"
	"slices"

	"forge/engine/activity"
	"forge/engine/gate"
	"forge/engine/step"
)

// A tree with a change is the one without it for the next run, once the change is accepted. So what a gate says of all of such a tree is kept as
// what it says before a change is.

// noting are gates of which that is kept.
func (b *baselines) noting(gates func(name string) gate.Gate) func(name string) gate.Gate {
	return func(name string) gate.Gate {
		g := gates(name)
		_, short := gate.SplitName(name)
		l, known := b.checks.ofGate(short)
		if g == nil || !known || l.Versions == nil || slices.Contains(l.Later, short) { // of those nothing is asked before a change
			return g
		}
		same := func(ctx context.Context) context.Context { return ctx }
		return notedGate{adjusted{g, same}, name, b}
	}
}

// notedGate is a gate of which it is kept what it says of whole trees.
type notedGate struct {
	adjusted
	name      string
	baselines *baselines
}

// Run is asked for trees with changes, and for those of which nothing that was kept is to count; of others Of keeps what is said.
func (n notedGate) Run(ctx context.Context, tree gate.Tree) gate.Report {
	t, is := tree.(activity.Tree)
	if !is {
		return n.adjusted.Run(ctx, tree)
	}
	b, whole := n.baselines, step.GateCall{Gate: n.name}
	around := b.around(ctx, t, whole, steady)
	digest, err := treeDigest(t.Dir())
	report := n.adjusted.Run(ctx, tree)
	if err == nil && around != "" && ctx.Err() == nil && b.around(ctx, t, whole, 0) == around {
		b.keep(baselineKey(digest, around), report)
	}
	return report
}
