package main

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"

	"forge/engine/ask"
	"forge/patch"
)

// replaced is a file that stands where a patch creates one or moves one to.
type replaced struct {
	path string
	from string // where the other file comes from, for a move
}

// without reads files as if some were not there.
type without struct {
	patch.Files
	hidden []string
}

func (w without) ReadFile(path string) ([]byte, error) {
	if slices.Contains(w.hidden, path) {
		return nil, fs.ErrNotExist
	}
	return w.Files.ReadFile(path)
}

// resolveOver resolves a patch that may create and move files where there are some, and says which. The
// caller must not write them before a person agreed.
func resolveOver(p patch.Patch, files patch.Files) (patch.ChangeSet, []replaced, error) {
	seen := without{Files: files}
	for {
		changes, err := patch.Resolve(p, seen)
		var exists *patch.ExistsError
		if errors.As(err, &exists) && !slices.Contains(seen.hidden, exists.Path) {
			seen.hidden = append(seen.hidden, exists.Path)
			continue
		}
		if err != nil || len(seen.hidden) == 0 {
			return changes, nil, err
		}
		return replace(changes, files, seen.hidden)
	}
}

// replace makes of creations and moves onto hidden files what they do to the files that are there.
func replace(changes patch.ChangeSet, files patch.Files, hidden []string) (patch.ChangeSet, []replaced, error) {
	var out patch.ChangeSet
	var over []replaced
	for _, f := range changes.Files {
		if !slices.Contains(hidden, f.Path) {
			out.Files = append(out.Files, f)
			continue
		}
		before, err := files.ReadFile(f.Path)
		if err != nil {
			return out, nil, err
		}
		update := patch.Replace(f.Path, string(before), true, f.After)
		if f.Kind == patch.Move { // a moved file comes as it is stored
			update.After = f.After
			out.Files = append(out.Files, patch.FileChange{Kind: patch.Delete, Path: f.From, Before: f.Before})
		}
		update.Matches = f.Matches
		if update.Before != update.After {
			out.Files = append(out.Files, update)
			over = append(over, replaced{f.Path, f.From})
		}
	}
	if len(out.Files) == 0 {
		return out, nil, patch.ErrNoChange
	}
	slices.SortFunc(out.Files, func(a, b patch.FileChange) int { return cmp.Compare(a.Path, b.Path) })
	return out, over, nil
}

// confirmReplaced asks about each chosen file that would be replaced, and returns what is still chosen. A
// file that was to be moved onto one that stays, stays too.
func (a *application) confirmReplaced(ctx context.Context, chosen []string) ([]string, error) {
	for _, r := range a.over {
		keep := slices.Contains(chosen, r.path)
		if keep && !a.flags.overwrite {
			answer, err := a.decide(ctx, ask.Question{
				Title: r.path + " is there already. Replace it?", Default: "no",
				Choices: []ask.Choice{{ID: "yes", Title: "Yes"}, {ID: "no", Title: "No"}},
			})
			if err != nil && !errors.Is(err, ask.ErrNoAnswer) {
				return nil, err
			}
			keep = answer.Choice == "yes"
		}
		if !keep {
			chosen = slices.DeleteFunc(chosen, func(path string) bool { return path == r.path || path == r.from })
		}
	}
	return chosen, nil
}
