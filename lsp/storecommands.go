package lsp

import (
	"context"
	"time"

	"forge/api"
	"forge/api/service"
	"forge/lsp/editor"
)

// storeCommands are the commands that need nothing of the session but the folder.
func storeCommands(f *editor.Folders, e Engine, now func() time.Time) editor.Commands {
	return editor.Commands{
		api.Checkpoints:  editor.About(f, e.Ledger, service.Checkpoints),
		api.Iterations:   editor.About(f, e.Attempts, service.Iterations),
		api.GC:           editor.About(f, e.Stored, service.GC),
		api.ShowProject:  editor.About(f, e.Stored, service.ShowProject),
		api.ListProjects: editor.Anywhere(e.Stored, service.ListProjects),
		api.ListSessions: editor.Anywhere(e.Stored, service.ListSessions),
		api.ShowSpec:     editor.About(f, e.Specs, service.ShowSpec),
		api.DiffSpec:     editor.About(f, e.Specs, service.DiffSpec),
		api.ReadMemory:   editor.About(f, e.Memory, service.ReadMemory),
		api.SetMemory:    editor.About(f, e.Memory, service.SetMemory),
		api.ListMemory:   editor.About(f, e.Memory, service.ListMemory),
		api.SearchMemory: editor.About(f, e.Memory, service.SearchMemory),
		api.WhyMemory:    editor.About(f, e.Memory, service.WhyMemory),
		api.ForgetMemory: editor.About(f, e.Memory, service.ForgetMemory),
		api.ExportMemory: editor.About(f, e.Memory, service.ExportMemory),
		api.ImportMemory: editor.About(f, e.Memory, service.ImportMemory),
		api.ListTasks:    editor.About(f, e.Tasks, service.ListTasks),
		api.SearchTasks:  editor.About(f, e.Tasks, service.SearchTasks),
		api.ShowTask:     editor.About(f, e.Tasks, service.ShowTask),
		api.ForkTask:     editor.About(f, e.Tasks, service.ForkTask),
		api.MoveTask:     editor.About(f, e.Tasks, service.MoveTask),
		api.DeleteTask:   editor.About(f, e.Tasks, service.DeleteTask),
		api.ListSkills:   editor.About(f, e.Skills, service.ListSkills),
		api.DetectGates:  editor.About(f, e.Gates, service.DetectGates),
		api.Explore:      editor.About(f, e.Explorer, service.Explore),
		api.ClearCache:   editor.Anywhere(e.Costs, service.ClearCache),
		api.ListBatches:  editor.Anywhere(e.Batches, service.ListBatches),
		api.ShowCost: editor.Anywhere(e.Costs, func(ctx context.Context, e service.CostStore, a *api.CostArgs) (api.CostResult, error) {
			return service.ShowCost(ctx, e, now(), a)
		}),
		api.PollBatches: editor.Anywhere(e.Batches, func(ctx context.Context, e service.BatchStore, a *api.BatchPollArgs) (api.BatchesResult, error) {
			return service.PollBatches(ctx, e, func(api.BatchesResult) {}, a)
		}),
	}
}
