package lsp

import (
	"context"
	"strings"

	"forge/api"
	"forge/engine"
)

// Prompting is what an engine knows of prompts without asking a model.
type Prompting interface {
	// Preview tells what a node of a run would ask a model first.
	Preview(ctx context.Context, r engine.Request, node string) (engine.Preview, error)
	// Sent tells what a node of a run has asked models in one of its attempts.
	Sent(ctx context.Context, run, node string, attempt int) ([]engine.Preview, error)
	// Skills lists the skills that runs in a folder know.
	Skills(ctx context.Context, root string) (engine.Skills, error)
}

// prompt is the whole prompt of a node, for forge.context: that of the run which forge.run would start now.
func (f *front) prompt(ctx context.Context, a *api.ContextArgs) (api.ContextResult, error) {
	p, folder, err := f.compose(ctx, a)
	if err != nil {
		return api.ContextResult{}, err
	}
	again := *a
	again.Folder = string(folder.URI)
	f.composed.add(p.Hash, again)
	p.URI = documentScheme + "://prompt/" + p.Hash
	return api.ContextResult{
		Folder: string(folder.URI), Complete: true, Tokens: p.Tokens, Budget: p.Budget,
		Sections: []api.ContextSection{}, Left: []string{}, Prompt: &p,
	}, nil
}

// compose composes the prompt of a node, and tells of which folder it is.
func (f *front) compose(ctx context.Context, a *api.ContextArgs) (api.PromptResult, Folder, error) {
	if strings.TrimSpace(a.Text) == "" {
		return api.PromptResult{}, Folder{}, invalidParams("text: say what is to be done, to see what %s would be sent", a.Node)
	}
	if f.server.options.Engine == nil {
		return api.PromptResult{}, Folder{}, errNoEngine
	}
	q, folder, err := f.query(a.Text, a.Open, a.Folder)
	if err != nil {
		return api.PromptResult{}, folder, err
	}
	request := engine.Request{Task: a.Text, Recipe: a.Recipe, Snapshot: f.freeze(folder)}
	if len(q.Open) > 0 {
		request.Focus.Path = q.Open[0]
	}
	shown, err := f.server.options.Engine.Preview(ctx, request, a.Node)
	if err != nil {
		return api.PromptResult{}, folder, answerable(err)
	}
	return api.PromptOf(shown), folder, nil
}

// skills answers forge.skills.
func (f *front) skills(ctx context.Context, a *api.SkillsArgs) (api.SkillsResult, error) {
	if f.server.options.Engine == nil {
		return api.SkillsResult{}, errNoEngine
	}
	folder, err := chooseFolder(f.server.session.currentFolders(), a.Folder, "")
	if err != nil {
		return api.SkillsResult{}, err
	}
	found, err := f.server.options.Engine.Skills(ctx, folder.Path)
	if err != nil {
		return api.SkillsResult{}, answerable(err)
	}
	return api.SkillsOf(found, a.Type), nil
}
