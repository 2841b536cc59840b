package lsp

import (
	"cmp"
	"context"
	"strings"

	"go.lsp.dev/uri"

	"forge/api"
	"forge/api/service"
	"forge/engine"
	"forge/engine/execution"
	"forge/internal/lazyregexp"
	"forge/lsp/editor"
	"forge/lsp/transport"
)

// requests makes the engine's requests of the arguments of commands. It owns nothing, and reads the folders and the settings.
type requests struct {
	folders  *editor.Folders
	settings *settings
	plans    *planFiles
}

// request makes the engine's request of the command's arguments, and of the texts as they are. Only then does it wait for the client's settings.
func (rq *requests) request(ctx context.Context, a *api.RunArgs) (engine.Request, editor.Folder, error) {
	if err := fits(a); err != nil {
		return engine.Request{}, editor.Folder{}, err
	}
	document := a.PlanFile
	if a.Scope != nil {
		document = a.Scope.URI
	}
	folder, err := editor.ChooseFolder(rq.folders.Current(), a.Folder, document)
	if err != nil {
		return engine.Request{}, editor.Folder{}, err
	}
	focus, err := rq.focus(folder, a.Scope)
	if err != nil {
		return engine.Request{}, editor.Folder{}, err
	}
	r, err := service.RunRequest(a)
	if err != nil {
		return engine.Request{}, editor.Folder{}, err
	}
	r.Recipe, r.Focus, r.Snapshot = recipeOf(a.Recipe), focus, rq.folders.Freeze(folder)
	if a.PlanFile != "" {
		plan, err := rq.plans.read(folder, uri.URI(a.PlanFile))
		if err != nil {
			return r, folder, err
		}
		r.Task, r.Plan.Given = cmp.Or(r.Task, plan.Task), plan.Parts
	}
	if r.Task == "" && r.TaskID == "" && len(r.Direct) == 0 {
		if r.Task, err = rq.taskFor(folder, focus, r.Recipe); err != nil {
			return r, folder, err
		}
	}
	err = rq.settings.await(ctx)
	return rq.settings.modeFor(a, r), folder, err
}

// fits rejects an argument that would have no effect beside the others.
func fits(a *api.RunArgs) error {
	plans, answers := a.Plan || a.Lite || a.PlanFile != "", !finds(recipeOf(a.Recipe))
	b := api.Bounds{}
	if a.Bounds != nil {
		b = *a.Bounds
	}
	for _, c := range []struct {
		field   string
		useless bool
		why     string
	}{
		{"plan", plans && answers, "a run that only answers has no plan; leave it out, or choose another recipe"},
		{"profile", a.Profile != "" && answers, "a run that only answers writes no change; leave it out, or choose another recipe"},
		{"inline", a.Inline && !plans, "needs plan"},
		{"bounds.fanoutDepth", b.Fanout > 0 && !plans, "needs plan"},
		{"bounds.sanityEvery", b.Sanity > 0 && !plans, "needs plan"},
		{"bounds.exploreRounds", b.Rounds > 0 && b.NoExplore, "cannot be combined with noExplore; leave one of them out"},
	} {
		if c.useless {
			return &api.ArgumentError{Field: c.field, Problem: c.why}
		}
	}
	return nil
}

func focusOf(folder editor.Folder, scope *api.Scope) (execution.Focus, error) {
	if scope == nil {
		return execution.Focus{}, nil
	}
	path, _ := editor.FilePath(uri.URI(scope.URI))
	rel, inside := editor.Relative(folder, path)
	if !inside {
		return execution.Focus{}, transport.InvalidParams("%s is not in the folder %s. Choose a file in it.", scope.URI, folder.URI)
	}
	start, end := editor.LinesOf(scope.Range)
	return execution.Focus{Path: rel, StartLine: start, EndLine: end, Diagnostics: scope.Diagnostics}, nil
}

// focus is what a scope points at. Its lines must be in the file as it is now; what cannot be read is for the run to report.
func (rq *requests) focus(folder editor.Folder, scope *api.Scope) (execution.Focus, error) {
	focus, err := focusOf(folder, scope)
	if err != nil {
		return focus, err
	}
	return rq.within(folder, focus)
}

// within checks that the lines of a focus are in its file as it is now.
func (rq *requests) within(folder editor.Folder, focus execution.Focus) (execution.Focus, error) {
	if focus.StartLine == 0 {
		return focus, nil
	}
	now, err := rq.folders.Read(folder, focus.Path)
	if err != nil || focus.StartLine == 1+strings.Count(now.Text, "\n") { // or the cursor is below the last line break
		return focus, nil //nolint:nilerr // the run reads the file again
	}
	if focus, err = focus.In(now.Text); err != nil {
		return focus, transport.InvalidParams("%s. Select lines that it has.", err)
	}
	return focus, nil
}

// taskInScope finds the task in a comment of the focus.
func (rq *requests) taskInScope(folder editor.Folder, focus execution.Focus) (string, error) {
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

// taskComment is a task written where the work is: "// forge: add a test for Sum".
var taskComment = lazyregexp.New(`(?m)^[ \t]*(?://|#|--|;|/\*)[ \t]*forge:[ \t]*(\S.*?)[ \t]*(?:\*/)?[ \t]*\r?$`)

// taskIn returns the task of the first comment in the lines of text from start to end, which count
// from 1 and are inclusive; an end of 0 is the end of the text.
func taskIn(text string, start, end int) string {
	all := strings.SplitAfter(text, "\n")
	if end == 0 || end > len(all) {
		end = len(all)
	}
	start = max(start, 1)
	if start > end {
		return ""
	}
	found := taskComment.FindStringSubmatch(strings.Join(all[start-1:end], ""))
	if found == nil {
		return ""
	}
	return found[1]
}

const howToGiveATask = `Describe the task, such as "add a function Sum with tests", or write it into the file as a comment "// forge: …" and select it.`
