package service

import (
	"context"
	"fmt"
	"slices"

	"forge/api"
	"forge/engine/event"
	"forge/engine/execution"
	"forge/engine/gate"
	"forge/engine/history"
	"forge/engine/proposal"
	"forge/engine/step"
)

// RunReader reads stored runs of any folder.
type RunReader interface {
	Find(ctx context.Context, id string) (history.Run, error)
	Events(ctx context.Context, id string, since int) ([]event.Event, error)
	// Exchanges lists the calls of models of a run; Asked composes the prompt of one of them again.
	Exchanges(ctx context.Context, id string) ([]step.Exchange, error)
	Asked(ctx context.Context, id string, number int) (execution.Preview, error)
	// Offered returns the proposal of an ended run, and its folder; Checkpoints lists the accepted changes of a folder.
	Offered(ctx context.Context, id string) (*proposal.Proposal, string, error)
	// Decided returns what the user has decided about that proposal in an editor.
	Decided(ctx context.Context, id string) (proposal.Decisions, error)
	Checkpoints(ctx context.Context, root string) ([]history.Checkpoint, error)
	// Redact replaces the secrets in a text for users.
	Redact(text string) string
}

// ShowRun answers forge.runs.show for a named run.
func ShowRun(ctx context.Context, e RunReader, a *api.RunShowArgs) (api.RunShown, error) {
	story, err := storyOf(ctx, e, a.RunID)
	if err != nil {
		return api.RunShown{}, err
	}
	shown := api.RunShown{Run: runOf(story.run), Calls: modelCallsOf(story.exchanges)}
	if a.Call != 0 {
		if shown.Exchange, err = exchange(ctx, e, story, a.Call); err != nil {
			return api.RunShown{}, err
		}
	}
	if a.Report {
		shown.Report = e.Redact(story.report())
	}
	shown.CommitMessage = e.Redact(story.commitMessage())
	return shown, nil
}

// Report returns the report of a run, as Markdown.
func Report(ctx context.Context, e RunReader, id string) (string, error) {
	story, err := storyOf(ctx, e, id)
	if err != nil {
		return "", err
	}
	return e.Redact(story.report()), nil
}

// exchange returns the prompt and the answer of one call. A prompt that cannot be composed again is missing with the reason.
func exchange(ctx context.Context, e RunReader, s story, number int) (*api.Exchange, error) {
	if number < 1 || number > len(s.exchanges) {
		return nil, &api.ArgumentError{Field: "call", Problem: fmt.Sprintf("%d is no call of run %s, which has %s", number, s.run.ID, event.Count(len(s.exchanges), "call"))}
	}
	shown := &api.Exchange{Number: number}
	if answer := s.exchanges[number-1].Answer; answer != nil {
		shown.Answer = answer.Text
	}
	sent, err := e.Asked(ctx, s.run.ID, number)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		shown.Missing = err.Error()
	default:
		prompt := api.PromptOf(sent)
		shown.Prompt = &prompt
	}
	return shown, nil
}

// story is what Forge knows of a run.
type story struct {
	run       history.Run
	events    []event.Event
	now       event.Standing
	exchanges []step.Exchange
	offered   *proposal.Proposal // nil without a change
	applied   []history.Checkpoint
	inEffect  []string // files that the user has applied and not undone
}

func storyOf(ctx context.Context, e RunReader, id string) (s story, err error) {
	if s.run, err = e.Find(ctx, id); err != nil {
		return s, err
	}
	if s.events, err = e.Events(ctx, id, 0); err != nil {
		return s, err
	}
	s.now = event.Stand(s.events)
	if s.exchanges, err = e.Exchanges(ctx, id); err != nil {
		return s, err
	}
	if s.run.Files == 0 {
		return s, nil
	}
	if s.offered, _, err = e.Offered(ctx, id); err != nil {
		s.offered = nil // a run of another version, or one that is still at work: the report shows the rest
	} else if decided, err := e.Decided(ctx, id); err == nil { // otherwise what was applied says enough
		s.offered.Decide(decided)
	}
	all, err := e.Checkpoints(ctx, s.run.Root)
	if err != nil {
		return s, ctx.Err() // without git or the folder, it is unknown whether the change was applied
	}
	for _, c := range all {
		if c.RunID == id {
			s.applied = append(s.applied, c)
		}
	}
	s.inEffect = history.InEffect(all, id)
	return s, nil
}

// taken returns the files of the change that the user has applied, or all if that is none, how much of the change that is, and the
// reports on exactly that; nil if only the whole change was checked.
func (s story) taken() (files []proposal.File, of proposal.Extent, checked []gate.Report) {
	of, checked = s.offered.Checked()
	for _, f := range s.offered.Files {
		if len(s.inEffect) == 0 || slices.Contains(s.inEffect, f.Change.Path) {
			files = append(files, f)
		}
	}
	if of == proposal.Whole && len(files) < len(s.offered.Files) {
		of, checked = proposal.Part, nil
	}
	return files, of, checked
}
