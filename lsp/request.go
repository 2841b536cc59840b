package lsp

import (
	"go.lsp.dev/uri"

	"forge/api"
	"forge/engine"
	"forge/lsp/document"
	"forge/lsp/editor"
	"forge/lsp/transport"
	"forge/memory"
)

// requests makes the engine's requests of the arguments of commands. It owns nothing, and reads the folders and the settings.
type requests struct {
	folders  *editor.Folders
	settings *settings
}

// request makes the engine's request of the command's arguments.
func (rq *requests) request(a *api.RunArgs) (engine.Request, editor.Folder, error) {
	document := ""
	if a.Scope != nil {
		document = a.Scope.URI
	}
	folder, err := editor.ChooseFolder(rq.folders.Current(), a.Folder, document)
	if err != nil {
		return engine.Request{}, editor.Folder{}, err
	}
	focus, err := focusOf(folder, a.Scope)
	if err != nil {
		return engine.Request{}, editor.Folder{}, err
	}
	bounds, err := boundsOf(a.Bounds)
	if err != nil {
		return engine.Request{}, editor.Folder{}, err
	}
	direct, err := directOf(a.Direct)
	if err != nil {
		return engine.Request{}, editor.Folder{}, err
	}
	r := engine.Request{
		Task: a.Task, TaskID: memory.ID(a.TaskID), Recipe: recipeOf(a.Recipe), Profile: a.Profile, Domain: a.Domain, Focus: focus,
		Bounds: bounds, Direct: direct,
		Snapshot: rq.folders.Freeze(folder),
		AskSpec:  a.Approve != "edits",
		Plan:     engine.Plan{Wanted: a.Plan, Inline: a.Inline},
		Limits:   limitsOf(a.Limits),
	}
	r = rq.settings.modeFor(a, r)
	switch {
	case r.Task != "" && r.TaskID != "":
		err = transport.InvalidParams("taskId: a draft says itself what is to be done; leave task away, or begin another run")
	case r.Task == "" && r.TaskID == "" && len(direct) == 0:
		r.Task, err = rq.taskFor(folder, focus, r.Recipe)
	}
	return r, folder, err
}

func focusOf(folder editor.Folder, scope *api.Scope) (engine.Focus, error) {
	if scope == nil {
		return engine.Focus{}, nil
	}
	path, _ := document.FilePath(uri.URI(scope.URI))
	rel, inside := editor.Relative(folder, path)
	if !inside {
		return engine.Focus{}, transport.InvalidParams("scope.uri: %q is not in the folder %s", scope.URI, folder.URI)
	}
	start, end := editor.LinesOf(scope.Range)
	return engine.Focus{Path: rel, StartLine: start, EndLine: end, Diagnostics: scope.Diagnostics}, nil
}

// taskInScope finds the task in a comment of the focus.
func (rq *requests) taskInScope(folder editor.Folder, focus engine.Focus) (string, error) {
	if focus.Path == "" {
		return "", transport.InvalidParams("%s", howToGiveATask)
	}
	now, err := rq.folders.Read(folder, focus.Path)
	if err != nil {
		return "", err
	}
	if task := taskIn(now.Text, focus.StartLine, focus.EndLine); task != "" {
		return task, nil
	}
	return "", transport.InvalidParams("%s", howToGiveATask)
}
