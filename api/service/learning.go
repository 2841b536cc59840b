package service

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"forge/api"
	"forge/engine/history"
	"forge/memory"
)

// ShowDecay answers forge.memory.decay: patterns, the most faded first.
func ShowDecay(ctx context.Context, e MemoryStore, in Folder, a *api.MemoryScopeArgs) (api.MemoryResult, error) {
	rows, err := e.Memories(ctx, in.Path, history.MemoryFilter{Scope: scopeOf(a.Scope), Kind: history.Patterns})
	slices.SortStableFunc(rows, func(x, y history.Remembered) int {
		return cmp.Compare(x.Pattern.Confidence-x.Pattern.Counted(), y.Pattern.Confidence-y.Pattern.Counted())
	})
	return memoryOf(rows), err
}

func scopeOf(scope string) memory.Scope {
	return memory.Scope(cmp.Or(scope, string(memory.ScopeProject)))
}

// ClearLearning answers forge.memory.clearLearning.
func ClearLearning(ctx context.Context, e MemoryStore, in Folder, a *api.ClearLearningArgs) (api.MemoryCount, error) {
	if !a.Yes {
		return api.MemoryCount{}, &api.ArgumentError{Field: "yes", Problem: "must be true; all patterns are deleted, which cannot be undone"}
	}
	rows, err := e.ClearLearning(ctx, in.Path, scopeOf(a.Scope))
	return api.MemoryCount{Rows: rows}, err
}

// IndexMemory answers forge.memory.index.
func IndexMemory(ctx context.Context, e MemoryStore, in Folder, a *api.MemoryScopeArgs) (api.MemoryCount, error) {
	rows, err := e.IndexMemory(ctx, in.Path, scopeOf(a.Scope))
	return api.MemoryCount{Rows: rows}, err
}

// PruneMemory answers forge.memory.prune.
func PruneMemory(ctx context.Context, e MemoryStore, in Folder, a *api.PruneArgs) (api.PruneResult, error) {
	if a.Below < 0 || a.Below > 1 {
		return api.PruneResult{}, &api.ArgumentError{Field: "below", Problem: "must be a confidence from 0 to 1"}
	}
	pruned, err := e.PruneMemory(ctx, in.Path, scopeOf(a.Scope), cmp.Or(a.Below, memory.HiddenBelow), a.DryRun)
	return prunedOf(pruned, a.DryRun), err
}

// Playbooks answers forge.playbooks. An id is unique within its scope: the folder's own playbooks come first.
func Playbooks(ctx context.Context, e MemoryStore, in Folder, a *api.PlaybooksArgs) (api.MemoryResult, error) {
	rows, err := e.Playbooks(ctx, in.Path)
	if a.ID == "" || err != nil {
		return memoryOf(rows), err
	}
	at := slices.IndexFunc(rows, func(r history.Remembered) bool {
		return string(r.Playbook.ID) == a.ID || strings.EqualFold(r.Playbook.Title, a.ID)
	})
	if at < 0 {
		return api.MemoryResult{}, Missing(Memory, a.ID, in, memory.ErrNotFound)
	}
	return memoryOf(rows[at : at+1]), nil
}

// extractLimit is how many runs forge.extract reads unless more are asked for.
const extractLimit = 10

// Extract answers forge.extract.
func Extract(ctx context.Context, e MemoryStore, in Folder, now time.Time, a *api.ExtractArgs) (api.ExtractResult, error) {
	period, err := periodOf("since", cmp.Or(a.Since, "24h"), now)
	if err != nil {
		return api.ExtractResult{}, err
	}
	if a.Limit < 0 {
		return api.ExtractResult{}, &api.ArgumentError{Field: "limit", Problem: "must be at least 1"}
	}
	made, err := e.Extract(ctx, in.Path, history.Extraction{Since: period.From, Limit: cmp.Or(a.Limit, extractLimit), DryRun: a.DryRun})
	return extractOf(made, a.DryRun), err
}

// History answers forge.history.
func History(ctx context.Context, e TaskStore, in Folder, now time.Time, a *api.HistoryArgs) (api.HistoryResult, error) {
	period, err := periodOf("period", cmp.Or(a.Period, "last week"), now)
	if err != nil {
		return api.HistoryResult{}, err
	}
	tasks, err := e.Tasks(ctx, in.Path, memory.TaskFilter{Text: a.Text, Limit: a.Limit, From: period.From, To: period.To})
	return historyOf(period.From, period.To, tasks), err
}

func periodOf(field, text string, now time.Time) (Period, error) {
	p, err := ParsePeriod(text, now)
	if err != nil {
		err = &api.ArgumentError{Field: field, Problem: "must be one of " + Periods + ", not " + text}
	}
	return p, err
}
