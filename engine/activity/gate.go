package activity

import (
	"context"
	"fmt"

	"forge/engine/gate"
	"forge/engine/step"
	"forge/internal/failpoint"
)

// runGate runs a gate on a tree. The tree may be littered afterwards, unless the gate promises that it is not;
// whoever takes it next has it made clean.
func (k Kit) runGate(ctx context.Context, c step.GateCall) (report gate.Report, err error) {
	for _, g := range k.Gates {
		if g.Name() != c.Gate {
			continue
		}
		use := k.Trees.littered
		if gate.OnlyReads(g) {
			use = k.Trees.In
		}
		err = use(ctx, c.State, func(t Tree) error {
			failpoint.Hit(FailpointGateStarting)
			report = g.Run(ctx, t)
			return nil
		})
		return report, err
	}
	return report, fmt.Errorf("there is no gate %s in this version of Forge", c.Gate)
}
