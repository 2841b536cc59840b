package dialogue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"forge/engine/event"
	"forge/engine/integrity"
	"forge/engine/pipeline/work"
	"forge/engine/prompt"
	"forge/engine/step"
	"forge/patch"
)

// maxUnblocked limits how often in one phase the user is asked what a model is missing.
const maxUnblocked = 3

// stop is the choice of a user who ends a run.
const stop = "stop"

// complete calls the model, after the log. If the model reports that something is missing, the user is asked, the answer is added
// to the log, and the model is called again. key names the completion in its attempt; empty is the first one.
func (p *Phase) complete(ctx context.Context, key string) (answer, patch.ChangeSet, step.Outcome) {
	for asked := 1; ; asked++ {
		a, changes, o := p.completion(ctx, key)
		if o.Signal != step.Success || a.Blocked == "" {
			return a, changes, o
		}
		if o, is := p.disown(a.Blocked); is {
			return a, changes, o
		}
		if asked > maxUnblocked {
			return a, changes, p.stuckOn(a.Blocked)
		}
		if o := p.unblock(ctx, a.Blocked); o.Signal != step.Success {
			return a, changes, o
		}
		key = strings.TrimPrefix(fmt.Sprintf("%s/answered %d", key, asked), "/")
	}
}

// unblock asks the user for what the model is missing. The answer is for this completion, and for all later attempts. Without one
// the run ends with the question, and asks it again when it is resumed.
func (p *Phase) unblock(ctx context.Context, missing string) step.Outcome {
	for {
		answer, err := p.Questions.Ask(ctx, p.Node, event.Question{
			Kind: event.AskClarification, Title: "The model cannot go on: " + work.Shorten(work.FirstOf(missing), 200), Detail: detailOf(missing),
			Choices:  []event.Choice{{ID: stop, Title: "Stop"}, {ID: leaveOpen, Title: "Go on without an answer"}},
			Default:  stop,
			FreeText: "what the model should know",
		})
		said := strings.TrimSpace(answer.Text)
		switch {
		case ctx.Err() != nil:
			return work.NoAnswer(ctx, err)
		case err == nil && said != "":
			p.consulted = true
			p.Findings.AddWords(said)
			p.answered(missing, "The user says: "+said)
			return step.Outcome{}
		case err == nil && answer.Choice == leaveOpen:
			p.answered(missing, "The user leaves it to you: choose what is more careful, and say what you assumed.")
			return step.Outcome{}
		case p.unanswered >= p.Run.Retried(p.Node):
			return p.stuckOn(missing)
		}
		p.unanswered++ // in an earlier execution
	}
}

// answered adds the user's answer for the model.
func (p *Phase) answered(missing, said string) {
	heard := prompt.Section{Kind: prompt.Errors, Name: "What you reported missing", Text: missing + "\n\n" + said}
	p.Log = append(p.Log, heard)
	heard.Name = "What an earlier attempt said was missing"
	p.Findings.AddAnswer(heard)
}

// stuckOn returns the outcome of an unanswered question for the user.
func (p *Phase) stuckOn(missing string) step.Outcome {
	p.History.Lack(missing)
	return step.Outcome{Signal: step.NeedsHuman, Reason: "the model says that it cannot do the work: " + missing}
}

// detailOf returns a text of several lines, or "" for one line.
func detailOf(text string) string {
	if work.Shorten(work.FirstOf(text), 200) == strings.TrimSpace(text) {
		return ""
	}
	return text
}

// unseen rejects the replacement or deletion of a file of the folder that the model has not seen: it cannot know what is
// lost. Edits of lines that it quotes are proof enough, and the run's own files may be replaced. replaces reports which
// files get a whole new text. What was shown follows from the documents of the run, so that a replayed run decides the
// same.
func (p *Phase) unseen(changes patch.ChangeSet, replaces func(path string) bool) error {
	var errs []error
	for _, f := range changes.Files {
		deleted := f.Kind == patch.Delete
		if !deleted && !(f.Kind == patch.Update && replaces(f.Path)) || strings.TrimSpace(f.Before) == "" {
			continue
		}
		if p.wasShown(f.Path) || p.madeHere(f.Path) || deleted && integrity.Named(p.Run.Task.Text, f.Path) {
			continue
		}
		verb := "replaced"
		if deleted {
			verb = "deleted"
		}
		errs = append(errs, fmt.Errorf(`read it first: %s was not shown to you and would be %s as a whole. Ask for it in "requests" with the tool read_file, `+
			`or change lines of it that you know with "edits" or "patch"`, f.Path, verb))
	}
	return errors.Join(errs...)
}

// wasShown reports whether the model has seen a text of the file, whole or an excerpt, but not only signatures.
func (p *Phase) wasShown(path string) bool {
	return slices.Contains(p.Findings.Seen, path) || slices.Contains(p.looked, path) || slices.ContainsFunc(p.document.Sections, func(s prompt.Section) bool {
		return s.Source == path && s.Name == path
	})
}

// madeHere reports whether an earlier step of the run has written the file.
func (p *Phase) madeHere(path string) bool {
	for _, set := range p.Now.Tree.Changes {
		if slices.ContainsFunc(set.Files, func(f patch.FileChange) bool { return f.Path == path }) {
			return true
		}
	}
	return false
}

// sawBy records what a tool has shown the model. For a binary file, its being one is enough.
func (p *Phase) sawBy(a action, said step.ToolResult) {
	if a.Tool == "read_file" && (!said.Failed || strings.Contains(said.Text, "is no text")) {
		p.looked = append(p.looked, a.Args.Path)
	}
}

// allowTool checks the changes of a model's tool. A tool that the user named is allowed.
func (p *Phase) allowTool(a action, changes patch.ChangeSet) error {
	allowed := p.allowSwept([]action{a}, changes, patch.ChangeSet{}, p.Explanation)
	if len(p.Run.Task.Direct) > 0 {
		return allowed
	}
	replaces := func(string) bool { return a.Tool == "write_file" }
	return errors.Join(p.unseen(changes, replaces), allowed)
}
