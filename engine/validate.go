package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"forge/engine/checks"
	"forge/engine/event"
	"forge/engine/execution"
	"forge/engine/gate"
	"forge/engine/history"
	"forge/engine/shadow"
	"forge/engine/workspace"
)

// ErrNotTrusted means that gates did not run because the user has not trusted the folder.
var ErrNotTrusted = event.NewRemedied(event.RemedyTrust, "the folder is not trusted, so nothing in it was run: its compilers and tests execute code from it")

// ErrRestricted is an ErrNotTrusted for a folder in a window that the editor has restricted.
var ErrRestricted = fmt.Errorf("%w. The editor has restricted this workspace: trust it in the editor", ErrNotTrusted)

// Detect finds the projects in a folder and the gates that would check them. The error is ErrNotTrusted for an
// untrusted folder: detection runs tools.
func (e *Engine) Detect(ctx context.Context, s workspace.Snapshot) (v checks.Validation, err error) {
	err = e.inTree(ctx, s, func(c checks.Checking, tree *shadow.Tree, skipped []string) error {
		v, err = c.Detect(ctx, tree, checks.Wanted{})
		v.Skipped = skipped
		return err
	})
	return v, err
}

// Validate runs the wanted gates on a folder as it is, unsaved texts included, in a scratch tree, and checks its files. tell
// receives each report as soon as it is ready, and may be nil. It charges, keeps and repairs nothing.
func (e *Engine) Validate(ctx context.Context, s workspace.Snapshot, w checks.Wanted, report func(gate.Report)) (v checks.Validation, err error) {
	add := func(r gate.Report) {
		v.Reports = append(v.Reports, r)
		if report != nil {
			report(r)
		}
	}
	err = e.inTree(ctx, s, func(c checks.Checking, tree *shadow.Tree, skipped []string) error {
		if v, err = c.WithFiles().Detect(ctx, tree, w); err != nil {
			return err
		}
		v.Skipped = skipped
		if report := w.Nowhere(s); report != nil {
			v.Units, v.Gates = nil, nil
			add(*report)
			return nil
		}
		if report := w.Named(s); report != nil {
			add(*report)
		}
		wanted, err := w.Chosen(v.Gates)
		if err != nil {
			return err
		}
		return c.RunAll(ctx, tree, wanted, v.Missing, add)
	})
	slices.SortStableFunc(v.Reports, func(a, b gate.Report) int {
		return cmp.Compare(slices.Index(v.Gates, a.Gate), slices.Index(v.Gates, b.Gate))
	})
	return v, err
}

// Try runs the gates that a change concerns on a folder with it, in a scratch tree. report receives each report as soon as it is ready. It keeps
// and repairs nothing.
func (e *Engine) Try(ctx context.Context, s workspace.Snapshot, t checks.Trial, report func(gate.Report)) (reports []gate.Report, err error) {
	if e.local(ctx, t.Run) {
		ctx = checks.Offline(ctx)
	}
	err = e.inTree(ctx, s, func(c checks.Checking, tree *shadow.Tree, _ []string) error {
		return c.Try(ctx, tree, t, func(r gate.Report) {
			reports = append(reports, r)
			report(r)
		})
	})
	return reports, err
}

// local reports whether nothing of a run may leave this machine.
func (e *Engine) local(ctx context.Context, name string) bool {
	id, _ := history.RunOf(name)
	_, _, kept, err := e.Locate(ctx, id)
	if err != nil {
		return false
	}
	p, err := execution.ParamsOf(kept)
	return err == nil && p.Local()
}

// inTree runs a function in a scratch tree of a trusted folder.
func (e *Engine) inTree(
	ctx context.Context, s workspace.Snapshot, do func(c checks.Checking, tree *shadow.Tree, skipped []string) error,
) error {
	trusted, err := e.Trusted(s.Root)
	if err != nil {
		return err
	}
	switch {
	case !trusted && e.state.Restricted():
		return ErrRestricted
	case !trusted:
		return ErrNotTrusted
	}
	if err := e.checkNotices(e.settings(ctx, s.Root)); err != nil {
		return err
	}
	repo, err := e.Repo(ctx, s.Root)
	if err != nil {
		return err
	}
	return scratch(ctx, repo, s, func(taken shadow.Snapshot, tree *shadow.Tree) error {
		var skipped []string
		for _, file := range taken.Skipped {
			skipped = append(skipped, file.Path)
		}
		return do(e.checks.Of(ctx, s.Root), tree, skipped)
	})
}

// checkNotices passes on the notices of settings, and rejects settings that could not be read: they may contain gates.
func (e *Engine) checkNotices(s Settings) error {
	for _, notice := range s.Notices {
		e.state.Notify(notice)
	}
	return s.Err
}
