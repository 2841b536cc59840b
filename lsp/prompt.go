package lsp

import (
	"context"
	"strings"

	"forge/engine"
	"forge/lsp/command"
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
func (f *front) prompt(ctx context.Context, a *command.ContextArgs) (command.ContextResult, error) {
	p, folder, err := f.compose(ctx, a)
	if err != nil {
		return command.ContextResult{}, err
	}
	again := *a
	again.Folder = string(folder.URI)
	f.composed.add(p.Hash, again)
	p.URI = documentScheme + "://prompt/" + p.Hash
	return command.ContextResult{
		Folder: string(folder.URI), Complete: true, Tokens: p.Tokens, Budget: p.Budget,
		Sections: []command.ContextSection{}, Left: []string{}, Prompt: &p,
	}, nil
}

// compose composes the prompt of a node, and tells of which folder it is.
func (f *front) compose(ctx context.Context, a *command.ContextArgs) (command.PromptResult, Folder, error) {
	if strings.TrimSpace(a.Text) == "" {
		return command.PromptResult{}, Folder{}, invalidParams("text: say what is to be done, to see what %s would be sent", a.Node)
	}
	if f.server.options.Engine == nil {
		return command.PromptResult{}, Folder{}, errNoEngine
	}
	q, folder, err := f.query(a.Text, a.Open, a.Folder)
	if err != nil {
		return command.PromptResult{}, folder, err
	}
	request := engine.Request{Task: a.Text, Recipe: a.Recipe, Snapshot: f.freeze(folder)}
	if len(q.Open) > 0 {
		request.Focus.Path = q.Open[0]
	}
	shown, err := f.server.options.Engine.Preview(ctx, request, a.Node)
	if err != nil {
		return command.PromptResult{}, folder, answerable(err)
	}
	return command.PromptOf(shown), folder, nil
}

// skills answers forge.skills.
func (f *front) skills(ctx context.Context, a *command.SkillsArgs) (command.SkillsResult, error) {
	if f.server.options.Engine == nil {
		return command.SkillsResult{}, errNoEngine
	}
	folder, err := chooseFolder(f.server.session.currentFolders(), a.Folder, "")
	if err != nil {
		return command.SkillsResult{}, err
	}
	found, err := f.server.options.Engine.Skills(ctx, folder.Path)
	if err != nil {
		return command.SkillsResult{}, answerable(err)
	}
	return command.SkillsOf(found, a.Type), nil
}
