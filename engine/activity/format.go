package activity

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"forge/engine/step"
	"forge/patch"
)

// format has files of a tree formatted, and gives what that changes in them. What a formatter does to other files is dropped
// with the tree it did it in.
func (k Kit) format(ctx context.Context, c step.PathsCall) (changes patch.ChangeSet, err error) {
	if k.Format == nil {
		return changes, nil
	}
	err = k.Trees.littered(ctx, c.State, func(t Tree) error {
		before, err := texts(t, c.Paths)
		if err != nil {
			return err
		}
		if err := k.Format(ctx, t, before.paths); err != nil {
			return err
		}
		changes, err = before.compare(t)
		return err
	})
	return changes, err
}

// contents are texts of files.
type contents struct {
	paths []string // sorted
	texts []string
}

// texts reads files; those that are not there are left out.
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

// compare gives the files that have another text now. One that is gone, or cannot be read any more, is as it was: no formatter
// takes files away.
func (c contents) compare(t Tree) (changes patch.ChangeSet, err error) {
	for i, p := range c.paths {
		after, err := t.ReadFile(p)
		if err != nil || string(after) == c.texts[i] {
			continue
		}
		changes.Files = append(changes.Files, patch.FileChange{Path: p, Before: c.texts[i], After: string(after)})
	}
	return changes, nil
}
