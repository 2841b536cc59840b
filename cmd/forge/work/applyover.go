package work

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"

	"forge/patch"
	"forge/patch/match"
)

// without hides some files.
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

// resolveOver resolves a patch that may create and move files over existing ones, and returns those. The caller must get the user's
// consent before it writes them.
func resolveOver(p patch.Patch, files patch.Files, confirmed []match.Unconfirmed) (patch.ChangeSet, []string, error) {
	var changes patch.ChangeSet
	hidden, err := hiding(files, func(seen patch.Files) (err error) {
		changes, err = match.ResolveConfirmed(p, seen, confirmed)
		return err
	})
	if err != nil || len(hidden) == 0 {
		return changes, nil, err
	}
	return replace(changes, files, hidden)
}

// locateOver returns the hunks that need a confirmation before resolveOver succeeds.
func locateOver(p patch.Patch, files patch.Files) ([]match.Unconfirmed, error) {
	var located []match.Unconfirmed
	_, err := hiding(files, func(seen patch.Files) (err error) {
		located, err = match.Locate(p, seen)
		return err
	})
	return located, err
}

// hiding calls resolve until no existing file prevents it, and returns the hidden files.
func hiding(files patch.Files, resolve func(seen patch.Files) error) ([]string, error) {
	seen := without{Files: files}
	for {
		err := resolve(seen)
		var exists *match.ExistsError
		if !errors.As(err, &exists) || slices.Contains(seen.hidden, exists.Path) {
			return seen.hidden, err
		}
		seen.hidden = append(seen.hidden, exists.Path)
	}
}

// replace converts creations and moves onto hidden files to changes of the existing files.
func replace(changes patch.ChangeSet, files patch.Files, hidden []string) (patch.ChangeSet, []string, error) {
	var out patch.ChangeSet
	var over []string
	for _, f := range split(changes, hidden).Files {
		if slices.Contains(hidden, f.Path) {
			before, err := files.ReadFile(f.Path)
			if err != nil {
				return out, nil, err
			}
			f.Kind, f.Before = patch.Update, string(before)
			if f.Before == f.After {
				continue
			}
			over = append(over, f.Path)
		}
		out.Files = append(out.Files, f)
	}
	if len(out.Files) == 0 {
		return out, nil, match.ErrNoChange
	}
	return out, over, nil
}

// split converts moves to the given paths to a creation and a deletion. Without paths it converts all moves.
func split(changes patch.ChangeSet, to []string) patch.ChangeSet {
	var out patch.ChangeSet
	for _, f := range changes.Files {
		if f.Kind == patch.Move && (to == nil || slices.Contains(to, f.Path)) {
			out.Files = append(out.Files, patch.FileChange{Kind: patch.Delete, Path: f.From, Before: f.Before})
			f = patch.FileChange{Kind: patch.Create, Path: f.Path, After: f.After, Matches: f.Matches}
		}
		out.Files = append(out.Files, f)
	}
	slices.SortFunc(out.Files, func(a, b patch.FileChange) int { return cmp.Compare(a.Path, b.Path) })
	return out
}

// sources maps the new path of each moved file to its old path.
func sources(p patch.Patch) map[string]string {
	from := map[string]string{}
	for _, op := range p.Ops {
		if op.Kind == patch.Move {
			from[op.To] = op.Path
		}
	}
	return from
}

// confirmReplaced asks about each chosen file that would be replaced, and returns the files that remain chosen.
func (a *application) confirmReplaced(ctx context.Context, chosen []string) ([]string, error) {
	for _, path := range a.over {
		if a.flags.overwrite || !slices.Contains(chosen, path) {
			continue
		}
		agreed, err := a.Confirm(ctx, path+" exists already. Replace it?", "")
		if err != nil {
			return nil, err
		}
		if !agreed {
			chosen = slices.DeleteFunc(chosen, func(p string) bool { return p == path })
		}
	}
	return a.withoutLosses(chosen), nil
}

// withoutLosses omits files that would be deleted by a move whose target the user did not choose.
func (a *application) withoutLosses(chosen []string) []string {
	for to, from := range a.moved {
		if !slices.Contains(chosen, to) {
			chosen = slices.DeleteFunc(chosen, func(p string) bool { return p == from })
		}
	}
	return chosen
}
