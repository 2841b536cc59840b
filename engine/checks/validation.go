package checks

import (
	"context"
	"fmt"
	"slices"

	"forge/engine/gate"
	"forge/engine/shadow"
	"forge/engine/step"
)

// Validation is what the gates say of a folder as it is.
type Validation struct {
	Units   []step.Unit   // the projects in it, and their gates
	Waived  []string      // gates that the user does without
	Known   []string      // the languages whose projects Forge finds
	Gates   []string      // by their full names, in the order in which they run
	Missing []Lack        // gates that cannot run, because a program is not installed
	Reports []gate.Report // of those that ran, in that order; those that cannot run are among them
	// Skipped are files that are too large for a snapshot: the gates have not seen them.
	Skipped []string
}

// Verdict sums the reports up. A gate that found nothing to check, as the tests of a project without tests, takes nothing
// from a pass; but if none checked anything, nothing has passed. What could not be run or broke is graver than what failed
// only where nothing failed: the user fixes that first.
func (v Validation) Verdict() gate.Verdict {
	sum := gate.NotRun
	for _, r := range v.Reports {
		switch {
		case r.Verdict == gate.Fail:
			return gate.Fail
		case r.Verdict == gate.Error, r.Verdict == gate.NotRun && !r.Empty:
			sum = gate.Error
		case r.Verdict == gate.Pass && sum == gate.NotRun:
			sum = gate.Pass
		}
	}
	return sum
}

// RunAll runs gates, and adds their reports. It reports gates whose program is missing before the first one runs.
func (c Checking) RunAll(ctx context.Context, tree *shadow.Tree, wanted []string, missing []Lack, add func(gate.Report)) error {
	cannot := map[string]bool{}
	for _, lack := range missing {
		if slices.Contains(wanted, lack.Gate) {
			cannot[lack.Gate] = true
			add(reportOf(lack))
		}
	}
	for _, name := range wanted {
		if cannot[name] {
			continue
		}
		report, err := c.runIn(ctx, name, tree)
		if err != nil {
			return err
		}
		add(report)
	}
	return nil
}

// runIn runs a gate in a tree, and makes the tree clean again if the gate does not promise that it is.
func (c Checking) runIn(ctx context.Context, name string, tree *shadow.Tree) (gate.Report, error) {
	g := c.Gate(name)
	report := g.Run(ctx, tree)
	if ctx.Err() != nil {
		return report, ctx.Err()
	}
	if gate.OnlyReads(g) {
		return report, nil
	}
	if err := tree.Reset(ctx); err != nil {
		return report, fmt.Errorf("make the scratch tree clean after %s: %w", name, err)
	}
	return report, nil
}

// Detect finds the projects in a tree that are to be checked.
func (c Checking) Detect(ctx context.Context, tree *shadow.Tree, w Wanted) (Validation, error) {
	units, err := c.Units(ctx, tree)
	if err != nil {
		return Validation{}, fmt.Errorf("find the projects of the folder: %w", err)
	}
	units = w.among(units)
	p := c.Project(units)
	return Validation{Units: units, Waived: p.Waived, Known: p.Known, Gates: p.Gates, Missing: c.Preflight(ctx, tree, p.Gates)}, nil
}
