package dialogue

import (
	"context"
	"fmt"
	"strings"

	"forge/engine/event"
	"forge/engine/pipeline/judge"
	"forge/engine/pipeline/work"
	"forge/engine/prompt"
	"forge/engine/step"
	"forge/patch"
)

// maxUnblocked limits how often in one phase the user is asked what a model is missing.
const maxUnblocked = 3

// The choices of a user whose model cannot continue.
const (
	stop         = "stop"
	withoutTests = "no-tests" // only where tests are to be written
)

// complete calls the model, after the log. If the model reports that something is missing, the user is asked, the answer is added
// to the log, and the model is called again. key names the completion in its attempt; empty is the first one.
func (p *Phase) complete(ctx context.Context, key string) (answer, patch.ChangeSet, step.Outcome) {
	for asked := 1; ; asked++ {
		a, changes, o := p.completion(ctx, key)
		if o.Signal != step.Success || a.Blocked == "" {
			return a, changes, o
		}
		if why, asks := p.AsksToCut(a.Blocked); asks && p.MayCut() {
			p.History.TooLarge = why
			return a, changes, step.Outcome{Signal: step.NeedsHuman, Reason: "the part is too large for one change: " + why}
		} else if asks && asked <= maxUnblocked {
			p.answered(a.Blocked, "The part cannot be cut any further: do all of it.")
			key = strings.TrimPrefix(fmt.Sprintf("%s/uncut %d", key, asked), "/")
			continue
		}
		if o, is := (handing{p}).handBack(ctx, a.Blocked); is {
			return a, changes, o
		}
		told := p.Job.Needs(func(path string) bool { return judge.NamesFile(a.Blocked, path) })
		if p.Job.Wants() {
			return a, changes, step.Outcome{Signal: step.Retryable, Reason: "the model needs a file of another part: " + strings.TrimSpace(a.Blocked)}
		}
		if told != "" {
			p.answered(a.Blocked, told)
			key = strings.TrimPrefix(fmt.Sprintf("%s/lent %d", key, asked), "/")
			continue
		}
		if asked > maxUnblocked {
			return a, changes, p.stuckOn(a.Blocked)
		}
		if o := p.unblock(ctx, a.Blocked); o.Signal != step.Success || p.waived {
			return answer{Done: p.waived, Explanation: a.Blocked}, changes, o
		}
		key = strings.TrimPrefix(fmt.Sprintf("%s/answered %d", key, asked), "/")
	}
}

// unblock asks the user for what the model is missing. The answer is for this completion, and for all later attempts. Without one
// the run ends with the question, and asks it again when it is resumed.
func (p *Phase) unblock(ctx context.Context, missing string) step.Outcome {
	question := event.Question{
		Kind: event.AskClarification, Title: "The model cannot continue: " + work.Shorten(work.FirstOf(missing), 200), Detail: detailOf(missing),
		Choices:  []event.Choice{{ID: stop, Title: "Stop"}, {ID: leaveOpen, Title: "Continue without an answer"}},
		Default:  stop,
		FreeText: "what the model should know",
	}
	if p.Demands != nil {
		question.Choices = append(question.Choices, event.Choice{ID: withoutTests, Title: "Go on without new tests"})
	}
	for {
		answer, err := p.Questions.Ask(ctx, p.Node, question)
		said := strings.TrimSpace(answer.Text)
		switch {
		case ctx.Err() != nil:
			return work.NoAnswer(ctx, err)
		case err == nil && said != "":
			p.consulted = true
			p.Findings.AddWords(said)
			p.answered(missing, "The user says: "+said)
			p.Findings.Diagnose(nil) // it was about the time before this answer
			return (handing{p}).handBackAnswered(ctx, missing, said)
		case err == nil && answer.Choice == leaveOpen:
			p.answered(missing, "The user leaves it to you: choose what is more careful, and say what you assumed.")
			return step.Outcome{}
		case err == nil && answer.Choice == withoutTests:
			p.waived = true
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
