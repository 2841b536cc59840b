package work

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/cmd/forge/terminal"
	"forge/engine"
	"forge/engine/execution"
	"forge/engine/mode"
	"forge/engine/pipeline"
	"forge/engine/workspace"
	"forge/internal/inert"
)

// readFlags are the flags of commands that use models and change no file: forge ask, forge review and forge spec.
type readFlags struct {
	dir, file, lines string
	base             string              // forge review --final
	thread           terminal.ThreadFlag // forge ask
	yes, trust, json bool
	limits           terminal.LimitFlags
	model            terminal.ModelFlags
}

func (f *readFlags) add(c *cobra.Command, about string) {
	c.Flags().StringVar(&f.dir, "dir", ".", "the folder")
	c.Flags().StringVar(&f.file, "file", "", "the file that "+about+", relative to the folder")
	c.Flags().StringVar(&f.lines, "lines", "", "with --file: only these lines, from 1, as in 10-20")
	c.Flags().BoolVar(&f.trust, "trust", false, terminal.TrustToReadUsage)
	c.Flags().BoolVar(&f.json, "json", false, "print the run's events as JSON lines, then the result")
	f.limits.Add(c, fmt.Sprintf("; default: your setting, or %d", execution.DefaultTokens))
	f.model.Add(c)
}

// reading is a run on a terminal that changes no file.
type reading struct {
	engine *engine.Engine
	run    *execution.Run
	result execution.Result
}

// read executes the run, shows its progress, and passes its result to report. It calls task when the file is that of the project.
func (f *readFlags) read(ctx context.Context, t terminal.Terminal, recipe mode.Recipe, task func() string, report func(r reading) error) error {
	at, err := terminal.WorkedOn(t, f.dir)
	if err != nil {
		return err
	}
	root := at.Root
	f.file = at.File(f.file)
	focus, err := f.focus(root)
	if err != nil {
		return err
	}
	focus.Since = f.base
	limits, err := f.limits.Given()
	if err != nil {
		return err
	}
	e, err := terminal.OpenReading(t, f.model, root, f.trust)
	if err != nil {
		return err
	}
	defer e.Close()
	talk := terminal.NewDialogue(t)
	run, err := e.Start(engine.Request{
		Task: task(), Recipe: string(recipe), Snapshot: workspace.Snapshot{Root: root}, Focus: focus, AskSpec: !f.yes, Asker: talk, Limits: limits,
		Thread: f.thread.ID, Offline: f.model.Offline, Model: f.model.Name,
	})
	if err != nil {
		return threadFailed(err)
	}
	r := reading{engine: e.Engine, run: run}
	r.result = Session{Dialogue: talk, Engine: e.Engine, Flags: RunFlags{json: f.json}}.watch(ctx, run)
	if err := report(r); err != nil {
		return err
	}
	return exitFor(r.result.State)
}

// focus returns the file and lines that the flags select.
func (f *readFlags) focus(root string) (execution.Focus, error) {
	if err := (RunFlags{file: f.file}).check(root); err != nil {
		return execution.Focus{}, err
	}
	focus := execution.Focus{Path: terminal.FocusPath(f.file)}
	if f.lines == "" {
		return focus, nil
	}
	if f.file == "" {
		return focus, terminal.ExitWith(terminal.ExitUsage, "--lines "+f.lines+": also set --file")
	}
	n, err := fmt.Sscanf(f.lines+" ", "%d-%d ", &focus.StartLine, &focus.EndLine)
	if n == 1 && err != nil {
		focus.EndLine = focus.StartLine
	}
	if n == 0 || fmt.Sprintf("%d-%d", focus.StartLine, focus.EndLine) != f.lines && fmt.Sprint(focus.StartLine) != f.lines ||
		focus.StartLine < 1 || focus.EndLine < focus.StartLine {
		return focus, terminal.ExitWith(terminal.ExitUsage, "--lines "+f.lines+": want the first and last line, from 1, as in 10-20")
	}
	text, err := workspace.ReadPlainFile(filepath.Join(root, f.file), workspace.MaxRead)
	if err == nil {
		focus, err = focus.In(string(text))
	}
	if err != nil {
		return focus, terminal.ExitWith(terminal.ExitUsage, "--lines "+f.lines+": "+err.Error())
	}
	return focus, nil
}

// readOutcome is the last line of forge ask, forge review and forge spec with --json.
type readOutcome struct {
	RunID  string          `json:"runId"`
	State  string          `json:"state"`
	Reason string          `json:"reason,omitempty"`
	Answer string          `json:"answer,omitempty"`
	Issues []api.Finding   `json:"issues,omitempty"`
	Note   string          `json:"note,omitempty"` // which issues were left out
	Spec   *api.SpecResult `json:"spec,omitempty"`
}

func (r reading) outcome() readOutcome {
	o := readOutcome{RunID: r.run.ID, State: string(r.result.State), Reason: r.result.Reason, Answer: r.result.Answer}
	if r.result.Review != nil {
		o.Issues, o.Note = api.GateOf(*r.result.Review).Findings, r.result.Review.Output
	}
	return o
}

// NewAsk returns the command forge ask.
func NewAsk(t terminal.Terminal) *cobra.Command {
	var f readFlags
	c := &cobra.Command{
		Use:   `ask "a question"`,
		Short: "Answer a question about a folder; changes no file",
		Example: `  forge ask "where are refunds rounded?"
  forge ask --file pay.go --lines 10-40 "what does this do?"
  forge ask --continue "and in which tests?"`,
		Args: terminal.OneTask,
		RunE: func(c *cobra.Command, args []string) error {
			return f.read(c.Context(), t, pipeline.Ask, func() string { return args[0] }, func(r reading) error {
				if f.json {
					return terminal.WriteJSON(t.Out, r.outcome())
				}
				_, err := fmt.Fprint(t.Out, inert.Text(r.result.Answer))
				return err
			})
		},
	}
	f.add(c, "the question is about")
	f.thread.Add(c)
	return c
}
