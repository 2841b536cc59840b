package history

import (
	"cmp"
	"context"

	"forge/memory"
)

// ClearLearning deletes all patterns of a scope, the folder's if it is empty, and returns their number. What the user has written,
// playbooks and tasks stay.
func (n *Notes) ClearLearning(ctx context.Context, root string, scope memory.Scope) (int, error) {
	store, err := n.oneStore(ctx, root, scope)
	if err != nil {
		return 0, err
	}
	return store.ClearLearning(ctx)
}

// Pruned is what PruneMemory has deleted, or would delete.
type Pruned struct {
	Patterns []Remembered
	Expired  memory.Collected
}

// PruneMemory deletes the patterns of a scope, the folder's if it is empty, whose confidence is below a bound, and the rows whose time
// is over. With dryRun it deletes nothing.
func (n *Notes) PruneMemory(ctx context.Context, root string, scope memory.Scope, below float64, dryRun bool) (p Pruned, err error) {
	store, err := n.oneStore(ctx, root, scope)
	if err != nil {
		return p, err
	}
	patterns, err := store.Prune(ctx, below, dryRun)
	if err != nil {
		return p, err
	}
	for i := range patterns {
		p.Patterns = append(p.Patterns, Remembered{Scope: cmp.Or(scope, memory.ScopeProject), Pattern: &patterns[i]})
	}
	if dryRun {
		p.Expired, err = store.Collectable(ctx, n.options.State.Now())
	} else {
		p.Expired, err = store.GC(ctx, n.options.State.Now())
	}
	return p, err
}

// IndexMemory rebuilds the word index of a scope, the folder's if it is empty, and returns the number of its rows.
func (n *Notes) IndexMemory(ctx context.Context, root string, scope memory.Scope) (rows int, err error) {
	store, err := n.oneStore(ctx, root, scope)
	if err != nil {
		return 0, err
	}
	if err := store.Reindex(ctx); err != nil {
		return 0, err
	}
	entries, err := store.List(ctx, memory.EntryFilter{})
	if err != nil {
		return 0, err
	}
	patterns, err := store.Patterns(ctx)
	return len(entries) + len(patterns), err
}

// Playbooks returns the playbooks of a folder, then those for all folders, in the order of their titles.
func (n *Notes) Playbooks(ctx context.Context, root string) ([]Remembered, error) {
	return n.Memories(ctx, root, MemoryFilter{Kind: Playbooks})
}
