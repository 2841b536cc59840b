package lsp

import (
	"go.lsp.dev/uri"

	"forge/api"
	"forge/engine"
	"forge/engine/workspace"
	"forge/memory"
)

// freeze takes the folder as it is at this moment: its open documents lie over what is on disk. It
// reads no file, so that a run is acknowledged at once.
func (f *front) freeze(folder Folder) workspace.Snapshot {
	snapshot := workspace.Snapshot{Root: folder.Path, Unsaved: map[string]workspace.Document{}}
	for _, d := range f.server.docs.Snapshot() {
		path, ok := filePath(d.URI)
		if !ok {
			continue
		}
		if rel, inside := relative(folder, path); inside {
			snapshot.Unsaved[rel] = workspace.Document{Path: rel, Text: d.Text, Version: d.Version}
		}
	}
	return snapshot
}

// request makes the engine's request of the command's arguments.
func (f *front) request(a *api.RunArgs) (engine.Request, Folder, error) {
	document := ""
	if a.Scope != nil {
		document = a.Scope.URI
	}
	folder, err := chooseFolder(f.server.session.currentFolders(), a.Folder, document)
	if err != nil {
		return engine.Request{}, Folder{}, err
	}
	focus, err := focusOf(folder, a.Scope)
	if err != nil {
		return engine.Request{}, Folder{}, err
	}
	bounds, err := boundsOf(a.Bounds)
	if err != nil {
		return engine.Request{}, Folder{}, err
	}
	direct, err := directOf(a.Direct)
	if err != nil {
		return engine.Request{}, Folder{}, err
	}
	r := engine.Request{
		Task: a.Task, TaskID: memory.ID(a.TaskID), Recipe: recipeOf(a.Recipe), Profile: a.Profile, Domain: a.Domain, Focus: focus,
		Bounds: bounds, Direct: direct,
		Snapshot: f.freeze(folder),
		AskSpec:  a.Approve != "edits",
		Plan:     engine.Plan{Wanted: a.Plan, Inline: a.Inline},
		Limits:   limitsOf(a.Limits),
	}
	r = f.modeFor(a, r)
	switch {
	case r.Task != "" && r.TaskID != "":
		err = invalidParams("taskId: a draft says itself what is to be done; leave task away, or begin another run")
	case r.Task == "" && r.TaskID == "" && len(direct) == 0:
		r.Task, err = f.taskFor(folder, focus, r.Recipe)
	}
	return r, folder, err
}

func focusOf(folder Folder, scope *api.Scope) (engine.Focus, error) {
	if scope == nil {
		return engine.Focus{}, nil
	}
	path, _ := filePath(uri.URI(scope.URI))
	rel, inside := relative(folder, path)
	if !inside {
		return engine.Focus{}, invalidParams("scope.uri: %q is not in the folder %s", scope.URI, folder.URI)
	}
	start, end := linesOf(scope.Range)
	return engine.Focus{Path: rel, StartLine: start, EndLine: end, Diagnostics: scope.Diagnostics}, nil
}

// taskInScope finds the task in a comment of the focus.
func (f *front) taskInScope(folder Folder, focus engine.Focus) (string, error) {
	if focus.Path == "" {
		return "", invalidParams("%s", howToGiveATask)
	}
	now, err := f.read(folder, focus.Path)
	if err != nil {
		return "", err
	}
	if task := taskIn(now.text, focus.StartLine, focus.EndLine); task != "" {
		return task, nil
	}
	return "", invalidParams("%s", howToGiveATask)
}
