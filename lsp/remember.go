package lsp

import (
	"context"
	"strings"

	"forge/api"
	"forge/engine"
	"forge/memory"
)

// keptHandlers answer the commands about what is kept of a folder.
func (f *front) keptHandlers() map[string]commandHandler {
	return map[string]commandHandler{
		api.Checkpoints: keptCommand(f, func(a *api.FolderArgs) string { return a.Folder },
			func(ctx context.Context, k Kept, root string, _ *api.FolderArgs) ([]engine.Checkpoint, error) {
				return k.Checkpoints(ctx, root)
			}, api.CheckpointsOf),
		api.Iterations: keptCommand(f, func(a *api.IterationsArgs) string { return a.Folder }, iterations, same[api.IterationsResult]),
		api.GC:         handler(f.gc),
		api.ShowProject: keptCommand(f, func(a *api.FolderArgs) string { return a.Folder },
			func(ctx context.Context, k Kept, root string, _ *api.FolderArgs) (engine.ProjectInfo, error) {
				return k.Project(ctx, root)
			}, api.ProjectOf),
		api.ListProjects: handler(f.projects),
		api.ListSessions: handler(f.sessions),
		api.ShowSpec: keptCommand(f, func(a *api.SpecArgs) string { return a.Folder },
			func(ctx context.Context, k Kept, root string, a *api.SpecArgs) (memory.Spec, error) {
				return k.Spec(ctx, root, a.Version)
			}, api.SpecOf),
		api.RollbackSpec: keptCommand(f, func(a *api.SpecArgs) string { return a.Folder },
			func(ctx context.Context, k Kept, root string, a *api.SpecArgs) (memory.Spec, error) {
				spec, err := k.RollbackSpec(ctx, root, a.Version)
				if err == nil {
					f.specMoved()
				}
				return spec, err
			}, api.SpecOf),
		api.DiffSpec: keptCommand(f, func(a *api.SpecDiffArgs) string { return a.Folder }, diffSpec, same[api.SpecDiffResult]),
	}
}

func same[T any](v T) T { return v }

func diffSpec(ctx context.Context, k Kept, root string, a *api.SpecDiffArgs) (r api.SpecDiffResult, err error) {
	r.From, r.To, r.Diff, err = k.SpecDiff(ctx, root, a.From, a.To)
	return r, err
}

// memoryHandlers answer the commands about memory.
func (f *front) memoryHandlers() map[string]commandHandler {
	return map[string]commandHandler{
		api.ReadMemory: keptCommand(f, func(a *api.MemoryKeyArgs) string { return a.Folder },
			func(ctx context.Context, k Kept, root string, a *api.MemoryKeyArgs) (engine.Remembered, error) {
				return k.Recollect(ctx, root, keyOf(a.Scope, a.Tier, a.Agent, a.Key))
			}, api.MemoryRowOf),
		api.SetMemory: keptCommand(f, func(a *api.MemorySetArgs) string { return a.Folder },
			func(ctx context.Context, k Kept, root string, a *api.MemorySetArgs) (engine.Remembered, error) {
				return k.Remember(ctx, root, keyOf(a.Scope, a.Tier, a.Agent, a.Key), a.Value)
			}, api.MemoryRowOf),
		api.ListMemory: keptCommand(f, func(a *api.MemoryListArgs) string { return a.Folder },
			func(ctx context.Context, k Kept, root string, a *api.MemoryListArgs) ([]engine.Remembered, error) {
				return k.Memories(ctx, root, engine.MemoryFilter{
					Scope: memory.Scope(a.Scope), Kind: engine.MemoryKind(a.Kind), Tier: memory.Tier(a.Tier), Agent: a.Agent,
					Prefix: a.Prefix, Limit: a.Limit,
				})
			}, api.MemoryOf),
		api.SearchMemory: keptCommand(f, func(a *api.MemorySearchArgs) string { return a.Folder },
			func(ctx context.Context, k Kept, root string, a *api.MemorySearchArgs) ([]engine.Remembered, error) {
				if strings.TrimSpace(a.Text) == "" {
					return nil, invalidParams("text: there is none; say in plain words what to search for")
				}
				return k.SearchMemory(ctx, root, a.Text, memory.Scope(a.Scope), a.Limit)
			}, api.MemoryOf),
		api.WhyMemory: keptCommand(f, func(a *api.MemoryIDArgs) string { return a.Folder },
			func(ctx context.Context, k Kept, root string, a *api.MemoryIDArgs) (memory.Provenance, error) {
				return k.WhyRemembered(ctx, root, memory.Scope(a.Scope), a.ID)
			}, api.WhyOf),
		api.ForgetMemory: keptCommand(f, func(a *api.MemoryIDArgs) string { return a.Folder },
			func(ctx context.Context, k Kept, root string, a *api.MemoryIDArgs) (api.MemoryForgotten, error) {
				return api.MemoryForgotten{ID: a.ID}, k.Forget(ctx, root, memory.Scope(a.Scope), a.ID)
			}, same[api.MemoryForgotten]),
		api.ExportMemory: keptCommand(f, func(a *api.MemoryExportArgs) string { return a.Folder }, exportMemory, same[api.MemoryExportResult]),
		api.ImportMemory: keptCommand(f, func(a *api.MemoryImportArgs) string { return a.Folder }, importMemory, api.ImportedOf),
	}
}

func keyOf(scope, tier, agent, key string) engine.MemoryKey {
	return engine.MemoryKey{Scope: memory.Scope(scope), Tier: memory.Tier(tier), Agent: agent, Key: key}
}

func exportMemory(ctx context.Context, k Kept, root string, a *api.MemoryExportArgs) (r api.MemoryExportResult, err error) {
	var tiers []memory.Tier
	for _, tier := range a.Tiers {
		tiers = append(tiers, memory.Tier(tier))
	}
	var text strings.Builder
	r.Rows, err = k.ExportMemory(ctx, root, memory.Scope(a.Scope), &text, tiers...)
	r.Text = text.String()
	return r, err
}

func importMemory(ctx context.Context, k Kept, root string, a *api.MemoryImportArgs) (memory.Imported, error) {
	name := a.Name
	if name == "" {
		name = "the editor"
	}
	return k.ImportMemory(ctx, root, memory.Scope(a.Scope), strings.NewReader(a.Text), name)
}

// gc answers forge.gc.
func (f *front) gc(ctx context.Context, a *api.GCArgs) (api.GCResult, error) {
	k, folder, err := f.kept(a.Folder)
	if err != nil {
		return api.GCResult{}, err
	}
	report, err := k.GC(ctx, folder.Path, engine.GCOptions{DryRun: a.DryRun})
	return api.GCOf(report, a.DryRun), err
}

// projects answers forge.projects.
func (f *front) projects(ctx context.Context, _ *api.NoArgs) (api.ProjectsResult, error) {
	if f.server.options.Engine == nil {
		return api.ProjectsResult{}, errNoEngine
	}
	all, err := f.server.options.Engine.Projects(ctx)
	return api.ProjectsOf(all), err
}

// sessions answers forge.sessions.
func (f *front) sessions(ctx context.Context, _ *api.NoArgs) (api.SessionsResult, error) {
	if f.server.options.Engine == nil {
		return api.SessionsResult{}, errNoEngine
	}
	all, err := f.server.options.Engine.Sessions(ctx)
	return api.SessionsOf(all), err
}
