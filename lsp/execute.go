package lsp

import (
	"context"
	"fmt"
	"maps"

	"go.lsp.dev/protocol"

	"forge/api"
)

// commandHandler runs one command with the arguments api.Decode made for it.
type commandHandler func(ctx context.Context, args any) (any, error)

// handlers says who runs each command of api.Table.
func (f *front) handlers() map[string]commandHandler {
	all := map[string]commandHandler{
		api.Run:             handler(f.run),
		api.AskQuestion:     handler(f.ask),
		api.ReviewCode:      handler(f.reviewCode),
		api.GenerateSpec:    handler(f.generateSpec),
		api.Cancel:          handler(f.cancel),
		api.Answer:          handler(f.answer),
		api.ListProposals:   handler(f.listProposals),
		api.ShowProposal:    handler(f.showProposal),
		api.PreviewProposal: handler(f.preview),
		api.ApplyProposal:   handler(f.accept),
		api.RejectProposal:  handler(f.reject),
		api.Rename:          handler(f.rename),
		api.Replace:         handler(f.replace),
		api.Undo:            handler(f.undo),
		api.Runs:            handler(f.listRuns),
		api.Events:          handler(f.events),
		api.Status:          handler(f.status),
		api.Doctor:          handler(f.doctor),
		api.ClassifyTask:    handler(f.classify),
		api.Models:          handler(f.models),
		api.DetectGates:     handler(f.detectGates),
		api.Validate:        handler(f.validate),
		api.Search:          handler(f.search),
		api.RepoMap:         handler(f.repoMap),
		api.Context:         handler(f.context),
		api.Imports:         handler(f.imports),
		api.Explore:         handler(f.explore),
		api.ListSkills:      handler(f.skills),
		api.ShowDocument:    handler(f.showOwnDocument),
		api.Log:             handler(f.log),
		api.Resume:          handler(f.resume),
		api.Kill:            handler(f.kill),
		api.Redo:            handler(f.redo),
		api.ShowCost:        handler(f.cost),
		api.ClearCache:      handler(f.clearCache),
		api.ListBatches:     handler(f.listBatches),
		api.PollBatches:     handler(f.pollBatches),
	}
	maps.Copy(all, f.keptHandlers())
	maps.Copy(all, f.memoryHandlers())
	maps.Copy(all, f.taskHandlers())
	return all
}

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

// execute answers workspace/executeCommand. An unknown command and wrong arguments are InvalidParams
// with a text that names the field and what it may be.
func (f *front) execute(ctx context.Context, p *protocol.ExecuteCommandParams) (any, error) {
	args, err := api.Decode(p.Command, p.Arguments)
	if err != nil {
		return nil, invalidParams("%v", err)
	}
	return f.commands[p.Command](ctx, args)
}
