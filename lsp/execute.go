package lsp

import (
	"context"
	"fmt"
	"maps"

	"go.lsp.dev/protocol"

	"forge/lsp/command"
)

// commandHandler runs one command with the arguments command.Decode made for it.
type commandHandler func(ctx context.Context, args any) (any, error)

// handlers says who runs each command of command.Table.
func (f *front) handlers() map[string]commandHandler {
	all := map[string]commandHandler{
		command.Run:             handler(f.run),
		command.AskQuestion:     handler(f.ask),
		command.ReviewCode:      handler(f.reviewCode),
		command.GenerateSpec:    handler(f.generateSpec),
		command.Cancel:          handler(f.cancel),
		command.Answer:          handler(f.answer),
		command.ListProposals:   handler(f.listProposals),
		command.ShowProposal:    handler(f.showProposal),
		command.PreviewProposal: handler(f.preview),
		command.ApplyProposal:   handler(f.accept),
		command.RejectProposal:  handler(f.reject),
		command.Rename:          handler(f.rename),
		command.Replace:         handler(f.replace),
		command.Undo:            handler(f.undo),
		command.Runs:            handler(f.listRuns),
		command.Events:          handler(f.events),
		command.Status:          handler(f.status),
		command.Doctor:          handler(f.doctor),
		command.ClassifyTask:    handler(f.classify),
		command.Models:          handler(f.models),
		command.DetectGates:     handler(f.detectGates),
		command.Validate:        handler(f.validate),
		command.Search:          handler(f.search),
		command.RepoMap:         handler(f.repoMap),
		command.Context:         handler(f.context),
		command.Imports:         handler(f.imports),
		command.Explore:         handler(f.explore),
		command.ListSkills:      handler(f.skills),
		command.ShowDocument:    handler(f.showOwnDocument),
		command.Log:             handler(f.log),
		command.Resume:          handler(f.resume),
		command.Kill:            handler(f.kill),
		command.Redo:            handler(f.redo),
		command.ShowCost:        handler(f.cost),
		command.ClearCache:      handler(f.clearCache),
		command.ListBatches:     handler(f.listBatches),
		command.PollBatches:     handler(f.pollBatches),
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
	args, err := command.Decode(p.Command, p.Arguments)
	if err != nil {
		return nil, invalidParams("%v", err)
	}
	return f.commands[p.Command](ctx, args)
}
