package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"forge/engine/gate"
	"forge/engine/shadow"
	"forge/engine/step"
	"forge/engine/workspace"
	"forge/internal/bug"
)

// ErrNotTrusted says that gates were not run because the person has not said that the folder is trusted.
var ErrNotTrusted = errors.New("the folder is not trusted, so nothing in it was run: its compilers and tests execute code from it")

// Validation is what the gates say of a folder as it is.
type Validation struct {
	Units   []step.Unit   // the projects in it, and their gates
	Waived  []string      // gates that the person does without
	Known   []string      // the languages whose projects Forge finds
	Gates   []string      // by their full names, in the order in which they run
	Missing []Lack        // gates that cannot run, because a program is not installed
	Reports []gate.Report // of those that ran, in that order; those that cannot run are among them
	// Skipped are files that are too large for a snapshot: the gates have not seen them.
	Skipped []string
}

// Verdict sums the reports up. A gate that found nothing to check, as the tests of a project without tests, takes nothing
// from a pass; but if none checked anything, nothing has passed. What could not be run or broke is graver than what failed
// only where nothing failed: a person mends that first.
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

// Detect finds the projects in a folder and the gates that would check them. In a folder that is not trusted it is
// ErrNotTrusted: which gates there are is asked of tools.
func (e *Engine) Detect(ctx context.Context, s workspace.Snapshot) (v Validation, err error) {
	err = e.inTree(ctx, s, func(c checking, tree *shadow.Tree, skipped []string) error {
		v, err = c.detect(ctx, tree, Wanted{})
		v.Skipped = skipped
		return err
	})
	return v, err
}

// Validate runs the gates that are wanted on a folder as it is, unsaved texts included, in a scratch tree, and looks at its files
// besides. tell is told of each report as soon as it is there; nil is nobody. Nothing is charged, kept or repaired.
func (e *Engine) Validate(ctx context.Context, s workspace.Snapshot, w Wanted, tell func(gate.Report)) (v Validation, err error) {
	add := func(r gate.Report) {
		v.Reports = append(v.Reports, r)
		if tell != nil {
			tell(r)
		}
	}
	err = e.inTree(ctx, s, func(c checking, tree *shadow.Tree, skipped []string) error {
		if v, err = c.withFiles().detect(ctx, tree, w); err != nil {
			return err
		}
		v.Skipped = skipped
		if report := w.nowhere(s); report != nil {
			v.Units, v.Gates = nil, nil
			add(*report)
			return nil
		}
		if report := w.named(s); report != nil {
			add(*report)
		}
		wanted, err := w.chosen(v.Gates)
		if err != nil {
			return err
		}
		return c.runAll(ctx, tree, wanted, v.Missing, add)
	})
	slices.SortStableFunc(v.Reports, func(a, b gate.Report) int {
		return cmp.Compare(slices.Index(v.Gates, a.Gate), slices.Index(v.Gates, b.Gate))
	})
	return v, err
}

// runAll runs gates. Of those whose program is missing it is told before the first one runs.
func (c checking) runAll(ctx context.Context, tree *shadow.Tree, wanted []string, missing []Lack, add func(gate.Report)) error {
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
func (c checking) runIn(ctx context.Context, name string, tree *shadow.Tree) (gate.Report, error) {
	g := c.gate(name)
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

// detect finds the projects in a tree that are to be checked.
func (c checking) detect(ctx context.Context, tree *shadow.Tree, w Wanted) (Validation, error) {
	units, err := c.units(ctx, tree)
	if err != nil {
		return Validation{}, fmt.Errorf("find the projects of the folder: %w", err)
	}
	units = w.among(units)
	p := c.projectOf(units)
	return Validation{Units: units, Waived: p.Waived, Known: p.Known, Gates: p.Gates, Missing: c.preflight(ctx, tree, p.Gates)}, nil
}

// inTree does something in a scratch tree of a trusted folder.
func (e *Engine) inTree(
	ctx context.Context, s workspace.Snapshot, do func(c checking, tree *shadow.Tree, skipped []string) error,
) error {
	trusted, err := e.Trusted(s.Root)
	if err != nil {
		return err
	}
	if !trusted {
		return ErrNotTrusted
	}
	if err := e.heed(e.settings(ctx, s.Root)); err != nil {
		return err
	}
	repo, err := e.Repo(ctx, s.Root)
	if err != nil {
		return err
	}
	snapshot, err := repo.Snapshots.Take(ctx, s)
	if err != nil {
		return err
	}
	tree, err := repo.Trees.Checkout(ctx, snapshot)
	if err != nil {
		return err
	}
	defer func() {
		if err := tree.Close(); err != nil {
			bug.Reportf("remove a scratch tree: %v", err)
		}
	}()
	var skipped []string
	for _, file := range snapshot.Skipped {
		skipped = append(skipped, file.Path)
	}
	return do(e.checks.of(ctx, s.Root), tree, skipped)
}

// heed passes on what there is to say of settings, and refuses those that could not be read: gates that the person wants may be in them.
func (e *Engine) heed(s Settings) error {
	for _, notice := range s.Notices {
		e.state.Notify(notice)
	}
	return s.Err
}
