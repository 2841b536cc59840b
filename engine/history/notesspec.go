package history

import (
	"context"

	"forge/memory"
	"forge/patch"
)

// Spec returns a version of the specification of a folder; 0 is the latest. The error matches memory.ErrNotFound
// or memory.ErrCollected.
func (n *Notes) Spec(ctx context.Context, root string, version int) (memory.Spec, error) {
	m, err := n.options.State.Memory(ctx, root)
	if err != nil {
		return memory.Spec{}, err
	}
	return m.Spec(ctx, version)
}

// SpecDiff compares two versions, 0 being the latest: it returns their numbers, and a unified diff, which is empty for equal texts.
func (n *Notes) SpecDiff(ctx context.Context, root string, from, to int) (a, b int, diff string, err error) {
	m, err := n.options.State.Memory(ctx, root)
	if err != nil {
		return 0, 0, "", err
	}
	before, after, err := m.SpecPair(ctx, from, to)
	if err != nil || before.Text == after.Text {
		return before.Version, after.Version, "", err
	}
	change := patch.FileChange{Kind: patch.Update, Path: "spec.md", Before: before.Text, After: after.Text}
	return before.Version, after.Version, patch.Unified(change, diffContext), nil
}

// diffContext is the number of lines around a change.
const diffContext = 3

// RollbackSpec appends a new version with the text of an old one. It deletes nothing.
func (n *Notes) RollbackSpec(ctx context.Context, root string, version int) (memory.Spec, error) {
	m, err := n.options.State.Memory(ctx, root)
	if err != nil {
		return memory.Spec{}, err
	}
	return m.RollbackSpec(ctx, version, byUser)
}
