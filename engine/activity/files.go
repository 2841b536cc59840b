package activity

import (
	"context"
	"errors"
	"io/fs"

	"forge/engine/step"
)

// files lists the files of a tree.
func (k Kit) files(ctx context.Context, s step.State) (list step.Listing, err error) {
	err = k.Trees.In(ctx, s, func(t Tree) error {
		paths, err := t.List(ctx)
		list = listing(paths)
		return err
	})
	return list, err
}

// read returns the content of a file.
func (k Kit) read(ctx context.Context, c step.ReadCall) (text step.Text, err error) {
	err = k.Trees.In(ctx, c.State, func(t Tree) error {
		content, err := t.ReadFile(c.Path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		text = step.Text{Exists: true, Content: content}
		return err
	})
	return text, err
}
