package activity

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"forge/engine/step"
	"forge/patch"
	"forge/patch/match"
)

// format formats files of a tree and returns the changes in them. Changes of a formatter to other files are dropped with its tree.
func (k Kit) format(ctx context.Context, c step.PathsCall) (changes patch.ChangeSet, err error) {
	if k.Format == nil {
		return changes, nil
	}
	old, err := k.textsOf(ctx, step.State{Base: c.State.Base}, c.Paths)
	if err != nil {
		return changes, err
	}
	err = k.Trees.littered(ctx, c.State, func(t Tree) error {
		before, err := texts(t, c.Paths)
		if err != nil {
			return err
		}
		if err := k.Format(ctx, t, before.paths); err != nil {
			return err
		}
		changes = before.compare(t, old)
		return nil
	})
	if err != nil {
		return changes, err
	}
	return k.onlyTouched(ctx, step.State{Base: c.State.Base}, changes, old)
}

// contents are the texts of files.
type contents struct {
	paths []string // sorted
	texts []string
}

// texts reads files; missing ones are omitted.
func texts(t Tree, paths []string) (c contents, err error) {
	paths = slices.Clone(paths)
	slices.Sort(paths)
	for _, p := range slices.Compact(paths) {
		text, err := t.ReadFile(p)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return c, err
		}
		c.paths, c.texts = append(c.paths, p), append(c.texts, string(text))
	}
	return c, nil
}

// textsOf reads files of a state of the tree; missing ones are omitted.
func (k Kit) textsOf(ctx context.Context, s step.State, paths []string) (c contents, err error) {
	err = k.Trees.In(ctx, s, func(t Tree) (err error) {
		c, err = texts(t, paths)
		return err
	})
	return c, err
}

// text returns the text of a file, or "" for a missing one.
func (c contents) text(path string) string {
	if at, is := slices.BinarySearch(c.paths, path); is {
		return c.texts[at]
	}
	return ""
}

// compare returns the files whose text changed. A file that is missing or unreadable now counts as unchanged: formatters
// delete no files. The line ends, byte order mark and final newline of an existing file stay as the user has them.
func (c contents) compare(t Tree, old contents) (changes patch.ChangeSet) {
	for i, p := range c.paths {
		after, err := t.ReadFile(p)
		if err != nil {
			continue
		}
		change := patch.FileChange{Path: p, Before: c.texts[i], After: string(after)}
		if _, persons := slices.BinarySearch(old.paths, p); persons {
			change = match.Replace(p, c.texts[i], true, string(after))
		}
		if change.After != change.Before {
			changes.Files = append(changes.Files, change)
		}
	}
	return changes
}
