package work

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/engine"
	"forge/engine/event"
	"forge/engine/execution"
	"forge/engine/history"
	"forge/internal/inert"
)

// NewResume returns the command forge resume.
func NewResume(t terminal.Terminal) *cobra.Command {
	var f RunFlags
	c := &cobra.Command{
		Use:   "resume [RUN]",
		Short: "Resume a run that was interrupted or failed, or whose proposal was not applied",
		Long: `Resume a run where it stopped. Finished steps are not repeated: no finished request to a model is billed twice, and no
answered question is asked again. A run that succeeded shows its proposal again. A run that was blocked by its
limits continues with a higher limit, and a run that is blocked by a question asks it again. A run that was started
with --offline stays offline, and one with --model keeps its model unless you name another one.

Without an argument it resumes the run of the folder that was interrupted, or that was started within the last day and failed, was blocked
or was not applied; if there are several, you choose.`,
		Example: `  forge resume
  forge resume r-4f1c0a72 --yes
  forge resume r-4f1c0a72 --usd 5
  forge resume r-4f1c0a72 --answer "round half to even"`,
		Args: terminal.AtMostOne("one run"),
		RunE: func(c *cobra.Command, args []string) error { return resume(c.Context(), t, f, terminal.First(args)) },
	}
	f.addResume(c)
	return c
}

// addResume adds the flags of commands that resume a run.
func (f *RunFlags) addResume(c *cobra.Command) {
	c.Flags().StringVar(&f.dir, "dir", ".", "the folder")
	f.control.add(c)
	c.Flags().BoolVar(&f.Yes, "yes", false, "accept the specification, the plan and the whole result without asking")
	c.Flags().StringVar(&f.answer, "answer", "", "answer to the question that blocks the run; without it you are asked")
	f.addUnverified(c)
	c.Flags().BoolVar(&f.wholeSuite, "whole-suite", false, "in a folder with many tests: run all of them before you are asked about the change")
	c.Flags().BoolVar(&f.json, "json", false, "print new events as JSON lines, then the result")
	f.limits.Add(c, "")
	c.Flags().BoolVar(&f.trust, "trust", false, terminal.TrustUsage)
	f.model.Add(c)
}

// resuming is the session of a command that resumes a run.
func (f RunFlags) resuming(t terminal.Terminal, e *engine.Engine) Session {
	s := Session{Dialogue: terminal.NewDialogue(t), Engine: e, Flags: f}
	s.Yes, s.Reply.Text = f.Yes, strings.TrimSpace(f.answer)
	return s
}

func resume(ctx context.Context, t terminal.Terminal, f RunFlags, id string) error {
	limits, err := f.limits.Given()
	if err != nil {
		return err
	}
	return terminal.InProjectWith(t, f.dir, f.model.Models(), func(e *engine.Engine, root string) error {
		s := f.resuming(t, e)
		if id == "" {
			var err error
			if id, err = s.chooseRun(ctx, root); err != nil {
				return terminal.Explained(err)
			}
		}
		return s.resume(ctx, id, limits)
	})
}

// resume resumes a run, and shows it until it has ended.
func (s Session) resume(ctx context.Context, id string, raised execution.Limits) error {
	if s.Reply.Text != "" {
		s.Reply.Seen, _ = s.Engine.Events(ctx, id, 0) // of an unknown run, Resume says more
	}
	if err := s.Flags.model.Resumes(ctx, s.Engine, id, s.Flags.trust); err != nil {
		return err
	}
	run, err := s.Engine.Resume(ctx, id, s, raised)
	if err != nil {
		return terminal.Explained(err)
	}
	defer s.TellUnused()
	return s.Follow(ctx, run)
}

// shownChoices bounds the runs to choose from.
const shownChoices = 9

// chooseRun returns the run to resume: the only one, or the one that the user chooses.
func (s Session) chooseRun(ctx context.Context, root string) (string, error) {
	runs, err := s.Engine.Resumable(ctx, root)
	if err != nil {
		return "", err
	}
	switch {
	case len(runs) == 0:
		return "", s.noneOpen(ctx, root)
	case len(runs) == 1:
		return runs[0].ID, nil
	case !s.Interactive:
		return "", terminal.ExitWith(terminal.ExitUsage, fmt.Sprintf("%d runs can be resumed, and there is no terminal to choose one: "+
			"name one, as in\n  forge resume %s", len(runs), runs[0].ID))
	}
	q := event.Question{Title: "Which run?", Default: "none"}
	for _, r := range runs[:min(len(runs), shownChoices)] {
		q.Choices = append(q.Choices, event.Choice{ID: r.ID, Title: fmt.Sprintf("%s  %s, %s: %s", r.ID, whyOpen(r), service.Ago(time.Since(r.Started)), r.Title)})
	}
	q.Choices = append(q.Choices, event.Choice{ID: "none", Title: "None of them"})
	answer, err := s.Decide(ctx, q)
	if err != nil {
		return "", err
	}
	if answer.Choice == "none" {
		return "", terminal.ExitWith(terminal.ExitCancelled, "nothing was resumed")
	}
	return answer.Choice, nil
}

// noneOpen is the error if no run of a folder is open. A cancelled run is resumed only by its id, so the error names it.
func (s Session) noneOpen(ctx context.Context, root string) error {
	none := "no run to resume in " + root + ": none was interrupted, and none of the last day is open; "
	runs, err := s.Engine.Runs(ctx, root)
	if err != nil {
		return err
	}
	for _, r := range runs {
		if r.State == event.Cancelled && !r.Foreign {
			return terminal.ExitWith(terminal.ExitFailed, fmt.Sprintf("%sthe last one that was cancelled, %s, is \"%s\". To continue it: forge resume %s",
				none, service.Ago(time.Since(r.Started)), inert.Text(r.Title), r.ID))
		}
	}
	return terminal.ExitWith(terminal.ExitFailed, none+"forge runs lists all runs, and forge resume accepts any of them")
}

// whyOpen returns why a run can be resumed.
func whyOpen(r history.Run) string {
	if r.State == event.Succeeded {
		return "not applied"
	}
	return string(r.State)
}
