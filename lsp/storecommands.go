package lsp

import (
	"context"
	"time"

	"forge/api"
	"forge/api/service"
	"forge/lsp/command"
	"forge/lsp/editor"
)

// storeCommands are the commands that need nothing of the session but the folder.
func storeCommands(f *editor.Folders, e Engine, now func() time.Time) command.Commands {
	return command.Commands{
		api.Checkpoints:  command.About(f, e.Ledger, service.Checkpoints),
		api.Iterations:   command.About(f, e.Attempts, service.Iterations),
		api.GC:           command.About(f, e.Stored, service.GC),
		api.ShowProject:  command.About(f, e.Stored, service.ShowProject),
		api.ListProjects: command.Anywhere(e.Stored, service.ListProjects),
		api.ListSessions: command.Anywhere(e.Stored, service.ListSessions),
		api.ShowSpec:     command.About(f, e.Specs, service.ShowSpec),
		api.DiffSpec:     command.About(f, e.Specs, service.DiffSpec),
		api.ReadMemory:   command.About(f, e.Memory, service.ReadMemory),
		api.SetMemory:    command.About(f, e.Memory, service.SetMemory),
		api.ListMemory:   command.About(f, e.Memory, service.ListMemory),
		api.SearchMemory: command.About(f, e.Memory, service.SearchMemory),
		api.WhyMemory:    command.About(f, e.Memory, service.WhyMemory),
		api.ForgetMemory: command.About(f, e.Memory, service.ForgetMemory),
		api.ExportMemory: command.About(f, e.Memory, service.ExportMemory),
		api.ImportMemory: command.About(f, e.Memory, service.ImportMemory),
		api.ListTasks:    command.About(f, e.Tasks, service.ListTasks),
		api.SearchTasks:  command.About(f, e.Tasks, service.SearchTasks),
		api.ShowTask:     command.About(f, e.Tasks, service.ShowTask),
		api.ForkTask:     command.About(f, e.Tasks, service.ForkTask),
		api.MoveTask:     command.About(f, e.Tasks, service.MoveTask),
		api.DeleteTask:   command.About(f, e.Tasks, service.DeleteTask),
		api.ListSkills:   command.About(f, e.Skills, service.ListSkills),
		api.DetectGates:  command.About(f, e.Gates, service.DetectGates),
		api.Explore:      command.About(f, e.Explorer, service.Explore),
		api.ClearCache:   command.Anywhere(e.Costs, service.ClearCache),
		api.ListBatches:  command.Anywhere(e.Batches, service.ListBatches),
		api.ShowCost: command.Anywhere(e.Costs, func(ctx context.Context, e service.CostStore, a *api.CostArgs) (api.CostResult, error) {
			return service.ShowCost(ctx, e, now(), a)
		}),
		api.PollBatches: command.Anywhere(e.Batches, func(ctx context.Context, e service.BatchStore, a *api.BatchPollArgs) (api.BatchesResult, error) {
			return service.PollBatches(ctx, e, func(api.BatchesResult) {}, a)
		}),
	}
}
