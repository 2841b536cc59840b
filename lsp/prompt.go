package lsp

import (
	"context"
	"strings"

	"forge/api"
	"forge/api/service"
	"forge/engine"
	"forge/lsp/editor"
	"forge/lsp/index"
	"forge/lsp/transport"
)

// prompts shows what models are sent. It owns the requests of which a prompt was composed, and may call the engine's composer.
type prompts struct {
	engine   service.Prompts
	folders  *editor.Folders
	composed composed
}

// prompt is the whole prompt of a node, for forge.context: that of the run which forge.run would start now.
func (pr *prompts) prompt(ctx context.Context, a *api.ContextArgs) (api.ContextResult, error) {
	p, folder, err := pr.compose(ctx, a)
	if err != nil {
		return api.ContextResult{}, err
	}
	again := *a
	again.Folder = string(folder.URI)
	pr.composed.add(p.Hash, again)
	p.URI = documentScheme + "://prompt/" + p.Hash
	return api.ContextResult{
		Folder: string(folder.URI), Complete: true, Tokens: p.Tokens, Budget: p.Budget,
		Sections: []api.ContextSection{}, Left: []string{}, Prompt: &p,
	}, nil
}

// compose composes the prompt of a node, and returns its folder.
func (pr *prompts) compose(ctx context.Context, a *api.ContextArgs) (api.PromptResult, editor.Folder, error) {
	if strings.TrimSpace(a.Text) == "" {
		return api.PromptResult{}, editor.Folder{}, transport.InvalidParams("text: say what is to be done, to see what %s would be sent", a.Node)
	}
	if pr.engine == nil {
		return api.PromptResult{}, editor.Folder{}, editor.ErrNoEngine
	}
	q, folder, err := index.Query(pr.folders, a.Text, a.Open, a.Folder)
	if err != nil {
		return api.PromptResult{}, folder, err
	}
	request := engine.Request{Task: a.Text, Recipe: a.Recipe, Snapshot: pr.folders.Freeze(folder)}
	if len(q.Open) > 0 {
		request.Focus.Path = q.Open[0]
	}
	shown, err := service.Prompt(ctx, pr.engine, request, a.Node, "")
	return shown, folder, err
}
