package checks

import (
	"context"
	"fmt"
	"slices"

	"forge/engine/gate"
	"forge/engine/shadow"
	"forge/engine/step"
	"forge/patch"
)

// Validation is the result of the gates on a folder as it is.
type Validation struct {
	Units   []step.Unit   // the projects in it, and their gates
	Waived  []string      // gates that the user waives
	Known   []string      // the languages whose projects Forge detects
	Gates   []string      // by their full names, in the order in which they run
	Missing []Lack        // gates that cannot run, because a program is not installed
	Reports []gate.Report // of all gates, in that order; those that cannot run are among them
	// Skipped are files that are too large for a snapshot, so no gate read them.
	Skipped []string
}

// Verdict combines the reports. A gate that found nothing to check, such as the tests of a project without tests, does not
// prevent a pass; but if none checked anything, nothing has passed. A failure takes precedence over a gate that could not
// run or broke: the user fixes it first.
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

// Trial is a change to judge in a scratch tree, by the gates that it concerns.
type Trial struct {
	With    patch.ChangeSet // makes the tree what is judged
	Run     string          // made the change, if a run did: nothing is downloaded for that of an offline one
	Without patch.ChangeSet // makes the tree what it was before the whole change: what fails there too is not new
}

// paths returns the files that the change is about.
func (t Trial) paths() (all []string) {
	for _, f := range slices.Concat(t.With.Files, t.Without.Files) {
		for _, path := range []string{f.Path, f.From} {
			if path != "" && !slices.Contains(all, path) {
				all = append(all, path)
			}
		}
	}
	return all
}

// Try runs the gates that a change concerns on it, and adds their reports with the findings that are new. Those that fail are run without the
// change as well.
func (c Checking) Try(ctx context.Context, tree *shadow.Tree, t Trial, add func(gate.Report)) error {
	if err := tree.Apply(t.With); err != nil {
		return err
	}
	found, err := c.WithFiles().Detect(ctx, tree, Wanted{})
	if err != nil {
		return err
	}
	scope := gate.Scope{Changed: t.paths(), Reach: gate.ReachWide}
	missing := map[string]bool{}
	for _, lack := range cannotRun(found.Missing) {
		missing[lack.Gate] = true
		if gate.Concerned(c.Gate(lack.Gate), tree, scope.Changed) {
			add(reportOf(lack))
		}
	}
	for _, name := range found.Gates {
		if missing[name] {
			continue
		}
		report, err := c.tryGate(ctx, tree, name, t, scope)
		if err != nil {
			return err
		}
		if !report.Unconcerned {
			add(report)
		}
	}
	return nil
}

// tryGate runs one gate on a change.
func (c Checking) tryGate(ctx context.Context, tree *shadow.Tree, name string, t Trial, scope gate.Scope) (gate.Report, error) {
	g := c.Gate(name)
	if !gate.Concerned(g, tree, scope.Changed) {
		return gate.Unconcerned(name), nil
	}
	after, err := runWith(ctx, tree, g, t.With, scope)
	if err != nil || after.Verdict != gate.Fail {
		return after, err
	}
	before, err := runWith(ctx, tree, g, t.Without, scope)
	return gate.Baseline([]gate.Report{before}, []gate.Report{after})[0], err
}

// runWith runs a gate on a tree with a change, and takes the change away.
func runWith(ctx context.Context, tree *shadow.Tree, g gate.Gate, change patch.ChangeSet, scope gate.Scope) (gate.Report, error) {
	if err := tree.Reset(ctx); err != nil {
		return gate.Report{}, err
	}
	if err := tree.Apply(change); err != nil {
		return gate.Report{}, err
	}
	report := gate.RunIn(ctx, g, tree, scope)
	return report, ctx.Err()
}

// RunAll runs gates, and adds their reports. It reports gates whose program is missing before the first one runs.
func (c Checking) RunAll(ctx context.Context, tree *shadow.Tree, wanted []string, missing []Lack, add func(gate.Report)) error {
	cannot := map[string]bool{}
	for _, lack := range cannotRun(missing) {
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

// runIn runs a gate in a tree, and resets the tree unless the gate promises to leave it clean.
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
		return report, fmt.Errorf("reset the scratch tree after %s: %w", name, err)
	}
	return report, nil
}

// Detect finds the wanted projects in a tree.
func (c Checking) Detect(ctx context.Context, tree *shadow.Tree, w Wanted) (Validation, error) {
	units, err := c.Units(ctx, tree)
	if err != nil {
		return Validation{}, fmt.Errorf("find the projects of the folder: %w", err)
	}
	units = w.among(units)
	p := c.Project(units)
	return Validation{Units: units, Waived: p.Waived, Known: p.Known, Gates: p.Gates, Missing: c.Preflight(ctx, tree, p.Gates)}, nil
}
