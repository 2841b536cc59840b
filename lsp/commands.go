package lsp

import (
	"context"
	"fmt"
	"time"

	"forge/api"
	"forge/api/service"
)

// commands are the handlers of some commands, by their names in api.Table.
type commands map[string]commandHandler

// commandHandler runs one command with the arguments api.Decode made for it.
type commandHandler func(ctx context.Context, args any) (any, error)

// handler adapts a function to the argument struct it takes.
func handler[A, R any](f func(ctx context.Context, a *A) (R, error)) commandHandler {
	return func(ctx context.Context, args any) (any, error) {
		a, ok := args.(*A)
		if !ok {
			return nil, fmt.Errorf("the arguments are of another command")
		}
		return f(ctx, a)
	}
}

// folderArgs are the arguments of a command about one folder.
type folderArgs[A any] interface {
	*A
	NamedFolder() string
}

// about adapts a service about one folder. E is the part of the engine that it needs.
func about[E any, A any, P folderArgs[A], R any](f *folders, e E, do func(ctx context.Context, e E, in service.Folder, a P) (R, error)) commandHandler {
	return anywhere(e, func(ctx context.Context, e E, a *A) (R, error) {
		folder, err := f.choose(P(a).NamedFolder())
		if err != nil {
			return *new(R), err
		}
		return do(ctx, e, f.served(folder), P(a))
	})
}

// anywhere adapts a service that is about no folder.
func anywhere[E, A, R any](e E, do func(ctx context.Context, e E, a *A) (R, error)) commandHandler {
	return handler(func(ctx context.Context, a *A) (R, error) {
		if any(e) == nil {
			return *new(R), errNoEngine
		}
		return do(ctx, e, a)
	})
}

// storeCommands are the commands that need nothing of the session but the folder.
func storeCommands(f *folders, e Engine, now func() time.Time) commands {
	return commands{
		api.Checkpoints:  about(f, e.Ledger, service.Checkpoints),
		api.Iterations:   about(f, e.Attempts, service.Iterations),
		api.GC:           about(f, e.Stored, service.GC),
		api.ShowProject:  about(f, e.Stored, service.ShowProject),
		api.ListProjects: anywhere(e.Stored, service.ListProjects),
		api.ListSessions: anywhere(e.Stored, service.ListSessions),
		api.ShowSpec:     about(f, e.Specs, service.ShowSpec),
		api.DiffSpec:     about(f, e.Specs, service.DiffSpec),
		api.ReadMemory:   about(f, e.Memory, service.ReadMemory),
		api.SetMemory:    about(f, e.Memory, service.SetMemory),
		api.ListMemory:   about(f, e.Memory, service.ListMemory),
		api.SearchMemory: about(f, e.Memory, service.SearchMemory),
		api.WhyMemory:    about(f, e.Memory, service.WhyMemory),
		api.ForgetMemory: about(f, e.Memory, service.ForgetMemory),
		api.ExportMemory: about(f, e.Memory, service.ExportMemory),
		api.ImportMemory: about(f, e.Memory, service.ImportMemory),
		api.ListTasks:    about(f, e.Tasks, service.ListTasks),
		api.SearchTasks:  about(f, e.Tasks, service.SearchTasks),
		api.ShowTask:     about(f, e.Tasks, service.ShowTask),
		api.ForkTask:     about(f, e.Tasks, service.ForkTask),
		api.MoveTask:     about(f, e.Tasks, service.MoveTask),
		api.DeleteTask:   about(f, e.Tasks, service.DeleteTask),
		api.ListSkills:   about(f, e.Skills, service.ListSkills),
		api.DetectGates:  about(f, e.Gates, service.DetectGates),
		api.Explore:      about(f, e.Explorer, service.Explore),
		api.ClearCache:   anywhere(e.Costs, service.ClearCache),
		api.ListBatches:  anywhere(e.Batches, service.ListBatches),
		api.ShowCost: anywhere(e.Costs, func(ctx context.Context, e service.CostStore, a *api.CostArgs) (api.CostResult, error) {
			return service.ShowCost(ctx, e, now(), a)
		}),
		api.PollBatches: anywhere(e.Batches, func(ctx context.Context, e service.BatchStore, a *api.BatchPollArgs) (api.BatchesResult, error) {
			return service.PollBatches(ctx, e, func(api.BatchesResult) {}, a)
		}),
	}
}
