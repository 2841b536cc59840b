package checks

import (
	"context"
	"slices"

	"forge/engine/activity"
	"forge/engine/gate"
	"forge/engine/step"
)

// Once a change is accepted, the tree with it is the tree without a change for the next run. So a report on such a whole tree is
// kept as the next baseline.

// noting wraps gates so that these reports are kept.
func (b *baselines) noting(gates func(name string) gate.Gate) func(name string) gate.Gate {
	return func(name string) gate.Gate {
		g := gates(name)
		_, short := gate.SplitName(name)
		l, known := b.checks.ofGate(short)
		if g == nil || !known || l.Versions == nil || slices.Contains(l.Later, short) { // these have no baseline
			return g
		}
		same := func(ctx context.Context) context.Context { return ctx }
		return notedGate{adjusted{g, same}, name, b}
	}
}

// notedGate is a gate whose reports on whole trees are kept.
type notedGate struct {
	adjusted
	name      string
	baselines *baselines
}

// Run is called for trees with changes, and for trees that must be checked again; for others, Of keeps the report.
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
