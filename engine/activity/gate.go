package activity

import (
	"context"
	"fmt"

	"forge/engine/gate"
	"forge/engine/step"
	"forge/internal/failpoint"
)

// runGate returns a gate's report on a tree: that of an execution which has begun early, or of a new one.
func (k Kit) runGate(ctx context.Context, c step.GateCall) (gate.Report, error) {
	if report, known := k.Spare.Begun(ctx, c); known {
		return report, nil
	}
	return k.executeGate(ctx, c)
}

// executeGate runs a gate on a tree. The tree may contain other files afterwards, unless the gate promises that it
// does not; the next user of the tree resets it.
func (k Kit) executeGate(ctx context.Context, c step.GateCall) (report gate.Report, err error) {
	g := k.Gate(c.Gate)
	if g == nil {
		return report, fmt.Errorf("there is no gate %s in this version of Forge", c.Gate)
	}
	err = k.Trees.gated(ctx, c.State, g, func(t Tree) error {
		failpoint.Hit(FailpointGateStarting)
		if !gate.Concerned(g, t, c.Scope.Changed) {
			report = gate.Unconcerned(c.Gate)
			return nil
		}
		if known, is := k.Spare.Report(c); is {
			report = known
			return nil
		}
		if k.Baselines == nil || c.Fresh || len(c.State.Changes) > 0 || len(c.Scope.Only)+len(c.Scope.Named) > 0 {
			report = gate.RunIn(ctx, g, t, c.Scope)
			return nil
		}
		report = k.Baselines.Of(ctx, g, t, c)
		return nil
	})
	return report, err
}

// Baselines returns a gate's report on a tree without a change: that of an earlier run on the same tree, or that of a new run of
// the gate.
type Baselines interface {
	Of(ctx context.Context, g gate.Gate, t Tree, c step.GateCall) gate.Report
}

// units finds the projects in a tree.
func (k Kit) units(ctx context.Context, s step.State) (units []step.Unit, err error) {
	err = k.Trees.In(ctx, s, func(t Tree) error {
		units, err = k.Units(ctx, t)
		return err
	})
	return units, err
}

// preflight finds the gates that lack a program.
func (k Kit) preflight(ctx context.Context, c step.PreflightCall) (lacks []step.Lack, err error) {
	if k.Preflight == nil {
		return nil, nil
	}
	err = k.Trees.In(ctx, c.State, func(t Tree) error {
		lacks = k.Preflight(ctx, t, c.Gates)
		return nil
	})
	return lacks, err
}

// learn keeps the gates' verdicts on an attempt. If that fails, it notifies the user, and the run continues.
func (k Kit) learn(ctx context.Context, c step.LearnCall) (step.Learned, error) {
	if k.Learn == nil {
		return step.Learned{}, nil
	}
	learned, err := k.Learn(ctx, c)
	if err != nil && k.Notice != nil {
		k.Notice("the lessons of an attempt could not be kept: " + err.Error())
	}
	return learned, nil
}

// errand keeps the beginning or the end of an errand. If that fails, it notifies the user, and the run continues.
func (k Kit) errand(ctx context.Context, e step.Errand) (none struct{}, err error) {
	if k.Errand == nil {
		return none, nil
	}
	if err := k.Errand(ctx, e); err != nil && k.Notice != nil {
		k.Notice("an errand could not be kept: " + err.Error())
	}
	return none, nil
}
