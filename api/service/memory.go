package service

import (
	"cmp"
	"context"
	"io"
	"strings"

	"forge/api"
	"forge/engine/history"
	"forge/memory"
)

// MemoryStore stores memory, which runs share.
type MemoryStore interface {
	Recollect(ctx context.Context, root string, k history.MemoryKey) (history.Remembered, error)
	Remember(ctx context.Context, root string, k history.MemoryKey, text string) (history.Remembered, error)
	Memories(ctx context.Context, root string, f history.MemoryFilter) ([]history.Remembered, error)
	SearchMemory(ctx context.Context, root, text string, scope memory.Scope, limit int) ([]history.Remembered, error)
	WhyRemembered(ctx context.Context, root string, scope memory.Scope, id string) (memory.Provenance, error)
	Forget(ctx context.Context, root string, scope memory.Scope, id string) error
	ExportMemory(ctx context.Context, root string, scope memory.Scope, w io.Writer, tiers ...memory.Tier) (int, error)
	ImportMemory(ctx context.Context, root string, scope memory.Scope, r io.Reader, name string) (memory.Imported, error)

	ClearLearning(ctx context.Context, root string, scope memory.Scope) (int, error)
	PruneMemory(ctx context.Context, root string, scope memory.Scope, below float64, dryRun bool) (history.Pruned, error)
	IndexMemory(ctx context.Context, root string, scope memory.Scope) (rows int, err error)
	Playbooks(ctx context.Context, root string) ([]history.Remembered, error)
	Extract(ctx context.Context, root string, x history.Extraction) ([]history.Extract, error)
}

// ReadMemory answers forge.memory.get.
func ReadMemory(ctx context.Context, e MemoryStore, in Folder, a *api.MemoryKeyArgs) (api.MemoryRow, error) {
	row, err := e.Recollect(ctx, in.Path, keyOf(a.Scope, a.Tier, a.Agent, a.Key))
	return memoryRowOf(row), Missing(Memory, a.Key, in, err)
}

// SetMemory answers forge.memory.set.
func SetMemory(ctx context.Context, e MemoryStore, in Folder, a *api.MemorySetArgs) (api.MemoryRow, error) {
	k := keyOf(a.Scope, a.Tier, a.Agent, a.Key)
	k.Priority = a.Priority
	row, err := e.Remember(ctx, in.Path, k, a.Value)
	return memoryRowOf(row), Missing(Memory, a.Key, in, err)
}

func keyOf(scope, tier, agent, key string) history.MemoryKey {
	return history.MemoryKey{Scope: memory.Scope(scope), Tier: memory.Tier(tier), Agent: agent, Key: key}
}

// ListMemory answers forge.memory.list.
func ListMemory(ctx context.Context, e MemoryStore, in Folder, a *api.MemoryListArgs) (api.MemoryResult, error) {
	rows, err := e.Memories(ctx, in.Path, history.MemoryFilter{
		Scope: memory.Scope(a.Scope), Kind: history.MemoryKind(a.Kind), Tier: memory.Tier(a.Tier), Agent: a.Agent,
		Prefix: a.Prefix, Limit: a.Limit, Category: memory.Category(a.Category),
	})
	return memoryOf(rows), err
}

// SearchMemory answers forge.memory.search.
func SearchMemory(ctx context.Context, e MemoryStore, in Folder, a *api.MemorySearchArgs) (api.MemoryResult, error) {
	if strings.TrimSpace(a.Text) == "" {
		return api.MemoryResult{}, &api.ArgumentError{Field: "text", Problem: "is required; describe in plain words what to search for"}
	}
	rows, err := e.SearchMemory(ctx, in.Path, a.Text, memory.Scope(a.Scope), a.Limit)
	return memoryOf(rows), err
}

// WhyMemory answers forge.memory.why.
func WhyMemory(ctx context.Context, e MemoryStore, in Folder, a *api.MemoryIDArgs) (api.MemoryWhyResult, error) {
	why, err := e.WhyRemembered(ctx, in.Path, memory.Scope(a.Scope), a.ID)
	return whyOf(why), Missing(Memory, a.ID, in, err)
}

// ForgetMemory answers forge.memory.forget.
func ForgetMemory(ctx context.Context, e MemoryStore, in Folder, a *api.MemoryIDArgs) (api.MemoryForgotten, error) {
	err := e.Forget(ctx, in.Path, memory.Scope(a.Scope), a.ID)
	return api.MemoryForgotten{ID: a.ID}, Missing(Memory, a.ID, in, err)
}

// ExportMemory answers forge.memory.export.
func ExportMemory(ctx context.Context, e MemoryStore, in Folder, a *api.MemoryExportArgs) (r api.MemoryExportResult, err error) {
	var tiers []memory.Tier
	for _, tier := range a.Tiers {
		tiers = append(tiers, memory.Tier(tier))
	}
	var text strings.Builder
	r.Rows, err = e.ExportMemory(ctx, in.Path, memory.Scope(a.Scope), &text, tiers...)
	r.Text = text.String()
	return r, err
}

// ImportMemory answers forge.memory.import.
func ImportMemory(ctx context.Context, e MemoryStore, in Folder, a *api.MemoryImportArgs) (api.MemoryImportResult, error) {
	done, err := e.ImportMemory(ctx, in.Path, memory.Scope(a.Scope), strings.NewReader(a.Text), cmp.Or(a.Name, "the editor"))
	return importedOf(done), err
}
