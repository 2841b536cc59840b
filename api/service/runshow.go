package service

import (
	"context"
	"fmt"

	"forge/api"
	"forge/engine/event"
	"forge/engine/execution"
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
		return nil, &api.ArgumentError{Field: "call", Want: fmt.Sprintf("%d is no call of run %s, which has %s", number, s.run.ID, Count(len(s.exchanges), "call"))}
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
	return s, nil
}
