package lsp

import (
	"context"
	"strings"

	"forge/engine"
	"forge/lsp/command"
	"forge/memory"
)

// keptHandlers answer the commands about what is kept of a folder.
func (f *front) keptHandlers() map[string]commandHandler {
	return map[string]commandHandler{
		command.Checkpoints: keptCommand(f, func(a *command.FolderArgs) string { return a.Folder },
			func(ctx context.Context, k Kept, root string, _ *command.FolderArgs) ([]engine.Checkpoint, error) {
				return k.Checkpoints(ctx, root)
			}, command.CheckpointsOf),
		command.Iterations: keptCommand(f, func(a *command.IterationsArgs) string { return a.Folder }, iterations, same[command.IterationsResult]),
		command.GC:         handler(f.gc),
		command.ShowProject: keptCommand(f, func(a *command.FolderArgs) string { return a.Folder },
			func(ctx context.Context, k Kept, root string, _ *command.FolderArgs) (engine.ProjectInfo, error) {
				return k.Project(ctx, root)
			}, command.ProjectOf),
		command.ListProjects: handler(f.projects),
		command.ListSessions: handler(f.sessions),
		command.ShowSpec: keptCommand(f, func(a *command.SpecArgs) string { return a.Folder },
			func(ctx context.Context, k Kept, root string, a *command.SpecArgs) (memory.Spec, error) {
				return k.Spec(ctx, root, a.Version)
			}, command.SpecOf),
		command.RollbackSpec: keptCommand(f, func(a *command.SpecArgs) string { return a.Folder },
			func(ctx context.Context, k Kept, root string, a *command.SpecArgs) (memory.Spec, error) {
				spec, err := k.RollbackSpec(ctx, root, a.Version)
				if err == nil {
					f.specMoved()
				}
				return spec, err
			}, command.SpecOf),
		command.DiffSpec: keptCommand(f, func(a *command.SpecDiffArgs) string { return a.Folder }, diffSpec, same[command.SpecDiffResult]),
	}
}

func same[T any](v T) T { return v }

func diffSpec(ctx context.Context, k Kept, root string, a *command.SpecDiffArgs) (r command.SpecDiffResult, err error) {
	r.From, r.To, r.Diff, err = k.SpecDiff(ctx, root, a.From, a.To)
	return r, err
}

// memoryHandlers answer the commands about memory.
func (f *front) memoryHandlers() map[string]commandHandler {
	return map[string]commandHandler{
		command.ReadMemory: keptCommand(f, func(a *command.MemoryKeyArgs) string { return a.Folder },
			func(ctx context.Context, k Kept, root string, a *command.MemoryKeyArgs) (engine.Remembered, error) {
				return k.Recollect(ctx, root, keyOf(a.Scope, a.Tier, a.Agent, a.Key))
			}, command.MemoryRowOf),
		command.SetMemory: keptCommand(f, func(a *command.MemorySetArgs) string { return a.Folder },
			func(ctx context.Context, k Kept, root string, a *command.MemorySetArgs) (engine.Remembered, error) {
				return k.Remember(ctx, root, keyOf(a.Scope, a.Tier, a.Agent, a.Key), a.Value)
			}, command.MemoryRowOf),
		command.ListMemory: keptCommand(f, func(a *command.MemoryListArgs) string { return a.Folder },
			func(ctx context.Context, k Kept, root string, a *command.MemoryListArgs) ([]engine.Remembered, error) {
				return k.Memories(ctx, root, engine.MemoryFilter{
					Scope: memory.Scope(a.Scope), Kind: engine.MemoryKind(a.Kind), Tier: memory.Tier(a.Tier), Agent: a.Agent,
					Prefix: a.Prefix, Limit: a.Limit,
				})
			}, command.MemoryOf),
		command.SearchMemory: keptCommand(f, func(a *command.MemorySearchArgs) string { return a.Folder },
			func(ctx context.Context, k Kept, root string, a *command.MemorySearchArgs) ([]engine.Remembered, error) {
				if strings.TrimSpace(a.Text) == "" {
					return nil, invalidParams("text: there is none; say in plain words what to search for")
				}
				return k.SearchMemory(ctx, root, a.Text, memory.Scope(a.Scope), a.Limit)
			}, command.MemoryOf),
		command.WhyMemory: keptCommand(f, func(a *command.MemoryIDArgs) string { return a.Folder },
			func(ctx context.Context, k Kept, root string, a *command.MemoryIDArgs) (memory.Provenance, error) {
				return k.WhyRemembered(ctx, root, memory.Scope(a.Scope), a.ID)
			}, command.WhyOf),
		command.ForgetMemory: keptCommand(f, func(a *command.MemoryIDArgs) string { return a.Folder },
			func(ctx context.Context, k Kept, root string, a *command.MemoryIDArgs) (command.MemoryForgotten, error) {
				return command.MemoryForgotten{ID: a.ID}, k.Forget(ctx, root, memory.Scope(a.Scope), a.ID)
			}, same[command.MemoryForgotten]),
		command.ExportMemory: keptCommand(f, func(a *command.MemoryExportArgs) string { return a.Folder }, exportMemory, same[command.MemoryExportResult]),
		command.ImportMemory: keptCommand(f, func(a *command.MemoryImportArgs) string { return a.Folder }, importMemory, command.ImportedOf),
	}
}

func keyOf(scope, tier, agent, key string) engine.MemoryKey {
	return engine.MemoryKey{Scope: memory.Scope(scope), Tier: memory.Tier(tier), Agent: agent, Key: key}
}

func exportMemory(ctx context.Context, k Kept, root string, a *command.MemoryExportArgs) (r command.MemoryExportResult, err error) {
	var tiers []memory.Tier
	for _, tier := range a.Tiers {
		tiers = append(tiers, memory.Tier(tier))
	}
	var text strings.Builder
	r.Rows, err = k.ExportMemory(ctx, root, memory.Scope(a.Scope), &text, tiers...)
	r.Text = text.String()
	return r, err
}

func importMemory(ctx context.Context, k Kept, root string, a *command.MemoryImportArgs) (memory.Imported, error) {
	name := a.Name
	if name == "" {
		name = "the editor"
	}
	return k.ImportMemory(ctx, root, memory.Scope(a.Scope), strings.NewReader(a.Text), name)
}

// gc answers forge.gc.
func (f *front) gc(ctx context.Context, a *command.GCArgs) (command.GCResult, error) {
	k, folder, err := f.kept(a.Folder)
	if err != nil {
		return command.GCResult{}, err
	}
	report, err := k.GC(ctx, folder.Path, engine.GCOptions{DryRun: a.DryRun})
	return command.GCOf(report, a.DryRun), err
}

// projects answers forge.projects.
func (f *front) projects(ctx context.Context, _ *command.NoArgs) (command.ProjectsResult, error) {
	if f.server.options.Engine == nil {
		return command.ProjectsResult{}, errNoEngine
	}
	all, err := f.server.options.Engine.Projects(ctx)
	return command.ProjectsOf(all), err
}

// sessions answers forge.sessions.
func (f *front) sessions(ctx context.Context, _ *command.NoArgs) (command.SessionsResult, error) {
	if f.server.options.Engine == nil {
		return command.SessionsResult{}, errNoEngine
	}
	all, err := f.server.options.Engine.Sessions(ctx)
	return command.SessionsOf(all), err
}
