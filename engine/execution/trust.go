package execution

import (
	"context"
	"errors"
	"fmt"

	"forge/engine/event"
	"forge/engine/permission"
	"forge/engine/sandbox"
	"forge/engine/state"
	"forge/engine/tool"
)

// The errors of a run in an untrusted folder: the user refused, or the question had no answer.
var (
	errUntrusted  = event.NewRemedied(event.RemedyTrust, "the folder is not trusted, so nothing in it was run")
	errRestricted = event.NewRemedied(event.RemedyTrust, "the editor has restricted this workspace, so nothing in it was executed; trust it in the editor")
	errNobody     = event.NewRemedied(event.RemedyTrust, "the folder is not trusted and no answer was given, so nothing in it was executed")
)

// needs is how far the folder must be trusted for the run: one that only reads executes nothing.
func (p Params) needs() state.Level {
	if p.reads() {
		return state.Read
	}
	return state.Execute
}

// askTrust asks once for each folder whether models may read it, or its code may be executed, before any process is started.
func (l *Execution) askTrust(ctx context.Context) error {
	if l.host.State.Restricted() && l.params.needs() == state.Execute {
		return errRestricted
	}
	q := event.Question{
		ID: "trust", Kind: event.AskTrust, Title: "Do you trust the code in " + l.Run.Root + "?",
		Detail:  "Forge compiles and tests it in a scratch copy, which executes code from this folder.",
		Choices: []event.Choice{{ID: "trust", Title: "Trust and run"}, {ID: "no", Title: "Don't run"}}, Default: "no",
	}
	if l.params.needs() == state.Read {
		q.Title = "May a model read the files in " + l.Run.Root + "?"
		q.Detail = "Forge shows parts of them to the model that answers. It executes nothing from this folder, and follows no instructions in it."
		q.Choices[0].Title = "Yes, it may read them"
	}
	answer, err := l.Run.ask(ctx, l.asker, q)
	if errors.Is(err, event.ErrNoAnswer) {
		return errNobody
	}
	if err != nil {
		return fmt.Errorf("ask for trust: %w", err)
	}
	if answer.Choice != "trust" {
		return errUntrusted
	}
	return l.host.State.Trust(l.Run.Root, l.params.needs())
}

// ask asks the user, and emits the question and the choice.
func (r *Run) ask(ctx context.Context, asker event.Asker, q event.Question) (event.Answer, error) {
	q.RunID = r.ID
	r.Log.Append(event.Asked{Question: q})
	answer, err := asker.Ask(ctx, q)
	r.Log.Append(event.Answered{QuestionID: q.ID, Choice: answer.Choice})
	return answer, err //nolint:wrapcheck // the caller knows what was asked
}

// grants are what tools may do in the folder: in one that is only to be read, none that executes something; in a run that is offline, none that reads
// from the web.
func (l *Execution) grants() (tool.Grants, error) {
	g := l.params.Grants
	g.Web.Offline = g.Web.Allowed && (g.Web.Offline || l.params.Local())
	level, err := l.host.State.TrustLevel(l.params.Root)
	g.ReadOnly = level < state.Execute
	return g, err
}

// askUnconfined asks once for each folder whether its code may be executed without a sandbox, if this system has none. The answer is kept
// with the permissions of the folder; without one, gates do not run, and report why.
func (l *Execution) askUnconfined(ctx context.Context) error {
	if l.params.needs() == state.Read {
		return nil
	}
	unconfined, is := errors.AsType[*sandbox.UnconfinedError](l.host.Checks.Confinable(ctx))
	if !is {
		return nil
	}
	known, err := l.project.Permissions().Unconfined(l.host.Now())
	if err != nil || known != "" {
		return err
	}
	q := event.Question{
		ID: "unconfined", Kind: event.AskUnconfined, Title: "Execute code of " + l.Run.Root + " without a sandbox?",
		Detail: fmt.Sprintf("Forge runs its compilers and tests, and commands that you let models use, in a sandbox, and this system has none (%s). Without one they read and write what you can, "+
			"keys and other folders included. The answer is kept for this folder, until `forge permissions reset %s`.", unconfined.Reason, permission.Unconfined),
		Choices: []event.Choice{{ID: "execute", Title: "Execute without a sandbox"}, {ID: "no", Title: "Execute nothing"}}, Default: "no",
	}
	answer, err := l.Run.ask(ctx, l.asker, q)
	switch {
	case errors.Is(err, event.ErrNoAnswer):
		return nil
	case err != nil:
		return fmt.Errorf("ask for code without a sandbox: %w", err)
	}
	return l.keepUnconfined(ctx, unconfined.Reason, answer.Choice == "execute")
}

// keepUnconfined keeps the user's answer, and records it.
func (l *Execution) keepUnconfined(ctx context.Context, reason string, allowed bool) error {
	given := permission.AnswerUnconfined(l.params.Root, reason, l.Run.ID, allowed, l.host.Now())
	row := permission.Row{
		Time: given.Given, Run: given.Run, Tool: given.Tool, Call: given.Shown, Digest: given.Digest,
		Verdict: permission.Deny.String(), Layer: "answer", Scope: given.Scope,
	}
	if allowed {
		row.Verdict = permission.Allow.String()
	}
	kept := l.project.Permissions()
	return errors.Join(kept.Record(ctx, row), kept.Keep(ctx, given))
}
