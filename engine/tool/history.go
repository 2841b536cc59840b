package tool

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"forge/patch"
)

// Limits of what models are shown of history.
const (
	defaultCommits = 10
	maxCommits     = 100
	maxPaths       = 8 // of a commit
)

type logArgs struct {
	Limit int `json:"limit,omitempty" jsonschema:"10 if it is left out"`
}

func gitLog(ctx context.Context, w World, a logArgs) (Result, error) {
	if w.History == nil {
		return withoutHistory(), nil
	}
	if a.Limit <= 0 {
		a.Limit = defaultCommits
	}
	commits, err := w.History.Log(ctx, min(a.Limit, maxCommits))
	if err != nil {
		return Result{}, fmt.Errorf("read the history: %w", err)
	}
	if len(commits) == 0 {
		return withoutHistory(), nil
	}
	var b strings.Builder
	for _, c := range commits {
		subject, _, _ := strings.Cut(strings.TrimSpace(c.Message), "\n")
		fmt.Fprintf(&b, "%.10s %s %s\n", c.ID, c.Time.UTC().Format(time.DateOnly), subject)
		for i, p := range c.Paths {
			if i == maxPaths {
				fmt.Fprintf(&b, "    … and %d more\n", len(c.Paths)-i)
				break
			}
			b.WriteString("    " + p + "\n")
		}
	}
	return Result{Text: strings.TrimRight(b.String(), "\n")}, nil
}

func withoutHistory() Result { return failed("this folder has no history that can be read") }

type diffArgs struct {
	Base string `json:"base,omitempty" jsonschema:"head (what is checked out; so if it is left out) or base (where this run began)"`
	Path string `json:"path,omitempty" jsonschema:"only below it"`
}

// diffContext is how many lines around a change are shown.
const diffContext = 3

func gitDiff(ctx context.Context, w World, a diffArgs) (Result, error) {
	if a.Base != "" && a.Base != "head" && a.Base != "base" {
		return failed(`base is "head" or "base", not %q`, a.Base), nil
	}
	changes, refused, err := w.differences(ctx, a.Base == "base")
	if refused.Failed || err != nil {
		return refused, err
	}
	changes.Files = slices.DeleteFunc(changes.Files, func(f patch.FileChange) bool { return !below(a.Path, f.Path) })
	if len(changes.Files) == 0 {
		return Result{Text: "nothing differs"}, nil
	}
	return Result{Text: strings.TrimRight(changes.Unified(diffContext), "\n")}, nil
}

type statusArgs struct {
	Path string `json:"path,omitempty" jsonschema:"only below it"`
}

var letters = map[patch.Kind]string{patch.Create: "A", patch.Update: "M", patch.Delete: "D", patch.Move: "R"}

func gitStatus(ctx context.Context, w World, a statusArgs) (Result, error) {
	changes, refused, err := w.differences(ctx, false)
	if refused.Failed || err != nil {
		return refused, err
	}
	var b strings.Builder
	for _, f := range changes.Files {
		if below(a.Path, f.Path) {
			fmt.Fprintf(&b, "%s %s\n", letters[f.Kind], f.Path)
		}
	}
	if b.Len() == 0 {
		return Result{Text: "nothing differs from the commit that is checked out"}, nil
	}
	return Result{Text: strings.TrimRight(b.String(), "\n")}, nil
}

// differences are what the tree has that its beginning has not, or the commit that is checked out.
func (w World) differences(ctx context.Context, fromBase bool) (patch.ChangeSet, Result, error) {
	ours, err := w.Tree.Changes(ctx)
	if err != nil {
		return patch.ChangeSet{}, Result{}, fmt.Errorf("compare the tree: %w", err)
	}
	if fromBase {
		return ours, Result{}, nil
	}
	if w.History == nil {
		return ours, withoutHistory(), nil
	}
	before, known, err := w.History.Uncommitted(ctx)
	if err != nil {
		return ours, Result{}, fmt.Errorf("compare with the commit that is checked out: %w", err)
	}
	if !known {
		return ours, withoutHistory(), nil
	}
	return ours.Since(before.Inverse()), Result{}, nil
}

type branchArgs struct {
	Limit int `json:"limit,omitempty" jsonschema:"means nothing"`
}

func gitBranch(_ context.Context, w World, _ branchArgs) (Result, error) {
	if w.History == nil {
		return withoutHistory(), nil
	}
	if name := w.History.Branch(); name != "" {
		return Result{Text: name}, nil
	}
	return Result{Text: "no branch is checked out"}, nil
}
