package work

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/engine"
	"forge/engine/checks"
	"forge/engine/event"
	"forge/engine/execution"
	"forge/engine/mode"
	"forge/engine/proposal"
	"forge/engine/workspace"
	"forge/internal/inert"
	"forge/memory"
)

// RunFlags are the flags of forge run.
type RunFlags struct {
	dir, recipe, file string
	mode, profile     string
	answer            string // of resume: to the question that the run is blocked with
	task              string // the draft to work on
	domain            string
	Yes, trust, json  bool
	unverified        bool // with yes: a change that was not accepted is applied too
	wholeSuite        bool // all tests look at the change before it is offered
	plan              bool
	fanOut            int // levels of sub-tasks that are worked on side by side
	direct            directFlags
	control           controlFlags
	permissions       permissionFlags
	limits            terminal.LimitFlags
	bounds            terminal.BoundFlags
	model             terminal.ModelFlags
}

// NewRun returns the command forge run.
func NewRun(t terminal.Terminal) *cobra.Command {
	var f RunFlags
	c := &cobra.Command{
		Use:   `run "what to do"`,
		Short: "Run a request in a folder; nothing is written before you say yes",
		Long: "Writes a specification if one is needed, tests that are seen to fail, then the change, in a scratch copy of the folder.\n" +
			"Compilers, linters and tests judge it, and what fails goes back to the model with the reason. You see the result, say yes to\n" +
			"all or some of it, and may undo it later. A run that does not succeed offers the best of what it made, marked as not verified.\n" +
			"A run that is cut off or blocked goes on with forge resume.\n\n" +
			"Exit codes: 0 applied, 1 failed, 3 nothing was accepted or the run is blocked, 4 cancelled, 6 with --non-interactive: it needs an answer.",
		Example: `  forge run "add a Sum function to package stats, with tests"
  forge run --yes --json "fix the failing test" > events.jsonl
  forge run --domain research "where are refunds rounded?"
  forge run --tool apply_patch --args @change.json
  forge run --task task_0123456789ab`,
		Args: f.checkTask,
		RunE: func(c *cobra.Command, args []string) error { return runTask(c.Context(), t, f, terminal.First(args)) },
	}
	c.Flags().StringVar(&f.dir, "dir", ".", "the folder")
	c.Flags().StringVar(&f.file, "file", "", "the file the task is about, relative to the folder")
	c.Flags().StringVar(&f.task, "task", "", "do a draft of forge task list, instead of what is said here")
	c.Flags().StringVar(&f.recipe, "recipe", "", "what kind of work: "+listed(mode.Recipes())+"; without it what the domain says, or "+string(mode.Implement))
	c.Flags().StringVar(&f.mode, "mode", "", "how the run works: "+listed(modeNames())+"; without it what you have set, or "+string(mode.Default))
	c.Flags().StringVar(&f.profile, "profile", "", "how the change is asked for: "+listed(mode.Profiles())+"; without it what fits mode and recipe")
	c.Flags().StringVar(&f.domain, "domain", "", "what recipe and mode are where neither is said: "+listed(mode.Domains()))
	c.Flags().BoolVar(&f.plan, "plan", false, "cut the task into parts that are worked on side by side; you see the plan first")
	c.Flags().IntVar(&f.fanOut, "fanout-depth", 1, "with --plan: 0 works on the sub-tasks of a part as one, 1 side by side")
	c.Flags().BoolVar(&f.Yes, "yes", false, "accept the specification, the plan and the whole result without asking")
	f.addUnverified(c)
	c.Flags().BoolVar(&f.wholeSuite, "whole-suite", false, "in a folder with many tests: run all of them before you see the change; what fails goes back to the model")
	c.Flags().BoolVar(&f.trust, "trust", false, terminal.TrustUsage)
	c.Flags().BoolVar(&f.json, "json", false, "print the run's events as JSON lines, then the result")
	f.control.add(c)
	f.permissions.add(c)
	f.direct.add(c)
	f.limits.Add(c, fmt.Sprintf("; %d without it", execution.DefaultTokens))
	f.bounds.Add(c)
	f.model.Add(c)
	return c
}

// checkTask demands a task: in words, by the name of a draft, or as tools that do it.
func (f *RunFlags) checkTask(c *cobra.Command, args []string) error {
	switch {
	case f.task == "":
		return f.direct.task(c, args)
	case len(args) > 0:
		return fmt.Errorf("--task %s: a draft says itself what is to be done; leave %q away, or --task", f.task, args[0])
	}
	return nil
}

// check refuses flags that make no sense, before anything is started.
func (f RunFlags) check(root string) error {
	if err := errors.Join(f.checkWay(), f.permissions.check()); err != nil {
		return err
	}
	if f.fanOut < 0 || f.fanOut > 1 {
		return terminal.ExitWith(terminal.ExitUsage, fmt.Sprintf("--fanout-depth %d: it is 0 or 1", f.fanOut))
	}
	if f.file == "" {
		return nil
	}
	if !filepath.IsLocal(f.file) {
		return terminal.ExitWith(terminal.ExitUsage, fmt.Sprintf("--file %s: give a path inside of the folder, relative to %s", f.file, root))
	}
	if info, err := os.Stat(filepath.Join(root, f.file)); err != nil || !info.Mode().IsRegular() {
		return terminal.ExitWith(terminal.ExitUsage, fmt.Sprintf("--file %s: there is no such file in %s", f.file, root))
	}
	return nil
}

func runTask(ctx context.Context, t terminal.Terminal, f RunFlags, task string) error {
	root, inside, err := terminal.ProjectFolder(f.dir)
	if err != nil {
		return err
	}
	if inside != "" {
		fmt.Fprintf(t.Err, "[forge] %s is part of the project in %s: the run works on that\n", inside, root)
		if f.file != "" {
			f.file = filepath.Join(filepath.FromSlash(inside), f.file)
		}
	}
	if err := f.check(root); err != nil {
		return err
	}
	limits, err := f.limits.Given()
	if err != nil {
		return err
	}
	bounds, err := f.bounds.Given()
	if err != nil {
		return err
	}
	direct, err := f.direct.given()
	if err != nil {
		return err
	}
	e, err := terminal.OpenTrusting(t, f.model, root, f.trust)
	if err != nil {
		return err
	}
	defer e.Close()
	remind(ctx, t, e.Engine, root)
	t.Person = t.Person && !f.permissions.NonInteractive
	talk := terminal.NewDialogue(t)
	talk.Yes = f.Yes
	request := engine.Request{
		Task: task, TaskID: memory.ID(f.task), Recipe: f.recipe, Mode: f.mode, Profile: f.profile, Snapshot: workspace.Snapshot{Root: root},
		Focus: execution.Focus{Path: terminal.FocusPath(f.file)}, AskSpec: !f.Yes, Asker: talk,
		Plan:   execution.Plan{Wanted: f.plan, Inline: f.fanOut == 0},
		Limits: limits, Bounds: bounds, Domain: f.domain, Direct: direct, Flags: f.permissions.Flags,
	}
	if f.wholeSuite {
		request.WholeSuite = checks.SuiteBefore
	}
	if request, err = settle(ctx, talk, e.Engine, request); err != nil {
		return err
	}
	run, err := e.Start(request)
	if err != nil {
		return draftFailed(err, f.task, root)
	}
	f.Yes = f.Yes || f.permissions.files
	return Session{Dialogue: talk, Engine: e.Engine, Flags: f}.Follow(ctx, run)
}

// draftFailed says what to do where the draft of a run is not there or cannot be worked on; of other errors it says nothing.
func draftFailed(err error, id, root string) error {
	if illegal := (*memory.StateError)(nil); errors.Is(err, memory.ErrNotFound) || errors.As(err, &illegal) {
		return terminal.Explained(service.Missing(service.Tasks, id, service.At(root), err))
	}
	return err
}

// Session is one run on a terminal, from its first event to what became of its proposal.
type Session struct {
	*terminal.Dialogue
	Engine *engine.Engine
	Flags  RunFlags
}

// Follow shows the run until it has ended, and then its proposal.
func (s Session) Follow(ctx context.Context, run *execution.Run) error {
	return s.denied(s.conclude(ctx, run, s.watch(ctx, run)))
}

// watch shows the run until it has ended.
func (s Session) watch(ctx context.Context, run *execution.Run) execution.Result {
	stop := context.AfterFunc(ctx, run.Cancel)
	defer stop()
	show := newPrinter(s.Err).show
	if s.Flags.json {
		show = func(e event.Event) { _ = terminal.WriteJSON(s.Out, api.EventOf(e)) }
	}
	// The context is not the caller's: a cancelled run still has a last event, which ends this loop.
	whole := context.WithoutCancel(ctx)
	var result execution.Result
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		result, _ = run.Wait(whole) // which has no end, so that there is no error
	}()
	for e := range run.Log.Follow(whole, run.Resumed) {
		show(e)
		s.unanswered(e)
		if asked, is := e.Data.(event.Asked); is {
			s.Put(asked.Question, ended)
		}
	}
	<-ended
	return result
}

func (s Session) conclude(ctx context.Context, run *execution.Run, result execution.Result) error {
	if run.Recipe == string(mode.Review) {
		return reading{engine: s.Engine, run: run, result: result}.reviewed(s.Terminal, s.Flags.json)
	}
	outcome := RunOutcome{RunID: run.ID, State: string(result.State), Reason: result.Reason, Files: []fileOutcome{}}
	var err error
	outcome.Answer = result.Answer
	if result.Answer != "" && !s.Flags.json {
		fmt.Fprint(s.Out, inert.Text(result.Answer))
	}
	if result.Proposal != nil {
		if err = s.startSuite(ctx, result); err == nil {
			err = s.offer(ctx, run.Root, result.Proposal, &outcome)
		}
		outcome.Unverified = result.Proposal.Unverified
	}
	outcome.Unanswered = s.Unanswered
	if s.Flags.json {
		err = outcome.print(s.Out, err)
	}
	if err == nil && len(outcome.Files) == 0 { // nothing to propose, or the user does not want it
		return exitFor(result.State)
	}
	return outcome.ending(err)
}

// ending is how the program ends after the user could decide about a proposal.
func (o RunOutcome) ending(err error) error {
	var exit *terminal.ExitError
	switch {
	case errors.As(err, &exit):
		return exit
	case err == nil && o.inConflict():
		return &terminal.ExitError{Code: terminal.ExitBlocked}
	case err == nil:
		return nil
	case errors.As(err, &exit):
		return err
	case errors.Is(err, context.Canceled): // heeded until the first file is written
		return terminal.ExitWith(terminal.ExitCancelled, "cancelled; nothing was applied")
	}
	return terminal.ExitWith(terminal.ExitFailed, err.Error())
}

// RunOutcome is the last line of forge run --json.
type RunOutcome struct {
	RunID      string                `json:"runId"`
	State      string                `json:"state"`
	Reason     string                `json:"reason,omitempty"`
	Answer     string                `json:"answer,omitempty"` // Markdown, of a run whose mode only answers
	Diff       string                `json:"diff,omitempty"`
	Unverified string                `json:"unverified,omitempty"` // what speaks against the diff, a line each, where the run did not accept it
	Files      []fileOutcome         `json:"files"`
	Checkpoint string                `json:"checkpoint,omitempty"`
	Unanswered []terminal.Unanswered `json:"unanswered,omitempty"` // questions that no terminal could ask
	Error      string                `json:"error,omitempty"`      // why an accepted change could not be applied
}

// print writes the outcome as a line of JSON, the error that came in between included, and returns that.
func (o RunOutcome) print(w io.Writer, err error) error {
	if err != nil {
		o.Error = err.Error()
	}
	return errors.Join(err, terminal.WriteJSON(w, o))
}

type fileOutcome struct {
	Path  string `json:"path"`
	State string `json:"state"` // one of the states below
}

// The states of an accepted file.
const (
	stateApplied  = "applied"
	statePartial  = "partial" // some of it conflicts with what is in the folder now
	stateSkipped  = "skipped" // there was nothing left to do
	stateConflict = "conflict"
)

// inConflict reports whether the user has to look at what was accepted and could not be applied.
func (o RunOutcome) inConflict() bool {
	return slices.ContainsFunc(o.Files, func(f fileOutcome) bool { return f.State == statePartial || f.State == stateConflict })
}

func exitFor(s event.State) error {
	switch s {
	case event.Succeeded:
		return nil
	case event.Blocked, event.Waiting:
		return &terminal.ExitError{Code: terminal.ExitBlocked}
	case event.Cancelled, event.Paused, event.Interrupted:
		return &terminal.ExitError{Code: terminal.ExitCancelled}
	case event.Failed, event.Running: // a run that has ended is not running
	}
	return &terminal.ExitError{Code: terminal.ExitFailed}
}

// offer shows a proposal and applies what the user accepts of it.
func (s Session) offer(ctx context.Context, root string, p *proposal.Proposal, outcome *RunOutcome) error {
	outcome.Diff = s.Engine.Redact(p.Unified())
	s.warn(p)
	lookFirst(s.Err, p)
	if !s.Flags.json {
		fmt.Fprint(s.Out, inert.Text(outcome.Diff))
	}
	files, err := s.accept(ctx, p)
	s.endSuite()
	if err != nil || len(files) == 0 {
		if err == nil {
			fmt.Fprintln(s.Err, "[forge] nothing was applied; your files are as they were")
		}
		return err
	}
	return ApplyAccepted(ctx, s.Engine, s.Terminal, root, p, files, nil, outcome)
}
