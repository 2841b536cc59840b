package work

import (
	"cmp"
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
	"forge/engine/history"
	"forge/engine/mode"
	"forge/engine/pipeline"
	"forge/engine/proposal"
	"forge/engine/workspace"
	"forge/internal/inert"
	"forge/memory"
)

// RunFlags are the flags of forge run.
type RunFlags struct {
	dir, recipe, file string
	mode, profile     string
	answer            string // of resume: answer to the question that blocks the run
	task              string // the draft to work on
	domain            string
	Yes, trust, json  bool
	unverified        bool // with yes: also apply a change that the run did not accept
	wholeSuite        bool // run all tests before the change is offered
	plan              bool
	planFile          string // a plan to carry out
	lite              bool
	base              string // what the run works on
	thread            terminal.ThreadFlag
	direct            terminal.DirectFlags
	control           controlFlags
	permissions       terminal.PermissionFlags
	limits            terminal.LimitFlags
	bounds            terminal.BoundFlags
	model             terminal.ModelFlags
}

// NewRun returns the command forge run.
func NewRun(t terminal.Terminal) *cobra.Command {
	var f RunFlags
	c := &cobra.Command{
		Use:   `run "what to do"`,
		Short: "Run a request in a folder; asks before it writes",
		Long: "Writes a specification if needed, tests that are seen to fail, then the change, in a scratch copy of the folder.\n" +
			"Compilers, linters and tests check it, and failures go back to the model. You see the result, accept\n" +
			"all or a part of it, and can undo it later. A run that does not succeed offers its best change, marked as not verified.\n" +
			"To continue a run that was interrupted or blocked, use forge resume.\n\n" +
			"Exit codes: 0 applied, answered, or nothing to change; 1 failed, or a review found an error; 3 nothing accepted or blocked; 4 cancelled;\n" +
			"6 with --non-interactive instead of 3, and instead of 1 if something was denied that would have been asked.",
		Example: `  forge run "add a Sum function to package stats, with tests"
  forge run --yes --json "fix the failing test" > events.jsonl
  forge run --domain research "where are refunds rounded?"
  forge run --tool apply_patch --args @change.json
  forge run --task task_0123456789ab`,
		Args: f.checkTask,
		RunE: func(c *cobra.Command, args []string) error { return runTask(c.Context(), t, f, terminal.First(args)) },
	}
	c.Flags().StringVar(&f.dir, "dir", ".", "the folder")
	c.Flags().StringVar(&f.file, "file", "", "the file that the task is about, relative to the folder")
	c.Flags().StringVar(&f.task, "task", "", "run a draft of forge task list, instead of a task argument")
	c.Flags().StringVar(&f.recipe, "recipe", "", "kind of work: "+listed(mode.Recipes())+"; default: by domain, or "+string(mode.Implement))
	c.Flags().StringVar(&f.mode, "mode", "", "how thoroughly the run works: "+listed(modeNames())+"; default: your setting, or "+string(mode.Default))
	c.Flags().StringVar(&f.profile, "profile", "", "format of the change: "+listed(mode.Profiles())+"; default: by mode and recipe")
	c.Flags().StringVar(&f.domain, "domain", "", "default for the recipe, if none is given, and for the mode, if neither the run nor your settings name one: "+listed(mode.Domains()))
	c.Flags().BoolVar(&f.plan, "plan", false, "split the task into parts that run in parallel; you see the plan first")
	c.Flags().StringVar(&f.planFile, "plan-file", "", "carry out the plan in this file, which forge plan has made; without a task the plan names it")
	c.Flags().BoolVar(&f.lite, "lite", false, "plan, and work on a plan of at most 4 parts that follow each other as one piece of work")
	c.Flags().BoolVar(&f.Yes, "yes", false, "accept the specification, the plan and the whole result without asking")
	f.addUnverified(c)
	c.Flags().StringVar(&f.base, "base", string(execution.Working), "what the run works on: working (the folder as it is) or head (the last commit, without your uncommitted changes)")
	c.Flags().BoolVar(&f.wholeSuite, "whole-suite", false, "in a folder with many tests: run all of them before you see the change; failures go back to the model")
	c.Flags().BoolVar(&f.trust, "trust", false, terminal.TrustUsage)
	c.Flags().BoolVar(&f.json, "json", false, "print the run's events as JSON lines, then the result")
	f.thread.Add(c)
	f.control.add(c)
	f.permissions.Add(c)
	f.direct.Add(c)
	f.limits.Add(c, fmt.Sprintf("; default: your setting, or %d", execution.DefaultTokens))
	f.bounds.Add(c)
	f.model.Add(c)
	terminal.RunForms(c)
	return c
}

// checkTask requires a task: in words, by the id of a draft, or as tool calls.
func (f *RunFlags) checkTask(c *cobra.Command, args []string) error {
	switch {
	case f.planFile != "" && f.task != "":
		return fmt.Errorf("--plan-file %s has its own task: leave out --task", f.planFile)
	case f.planFile != "" && len(args) == 0:
		return nil
	case f.task == "":
		return f.direct.Task(c, args)
	case len(args) > 0:
		return fmt.Errorf("--task %s has its own task: leave out either %q or --task", f.task, args[0])
	}
	return nil
}

// check rejects invalid flags, before the run starts.
func (f RunFlags) check(root string) error {
	if err := errors.Join(f.checkWay(), f.permissions.Check()); err != nil {
		return err
	}
	if _, err := execution.BaseNamed(f.base); err != nil {
		return terminal.ExitWith(terminal.ExitUsage, "--base: "+err.Error())
	}
	if f.file == "" {
		return nil
	}
	if !filepath.IsLocal(f.file) {
		return terminal.ExitWith(terminal.ExitUsage, fmt.Sprintf("--file %s: want a path in the folder, relative to %s", f.file, root))
	}
	if info, err := os.Stat(filepath.Join(root, f.file)); err != nil || !info.Mode().IsRegular() {
		return terminal.ExitWith(terminal.ExitUsage, fmt.Sprintf("--file %s does not exist in %s", f.file, root))
	}
	return nil
}

func runTask(ctx context.Context, t terminal.Terminal, f RunFlags, task string) error {
	at, err := terminal.WorkedOn(t, f.dir)
	if err != nil {
		return err
	}
	root := at.Root
	f.file = at.File(f.file)
	if err := f.check(root); err != nil {
		return err
	}
	limits, err := f.limits.Given()
	bounds, badBounds := f.bounds.Given()
	direct, badTools := f.direct.Given()
	if err := cmp.Or(err, badBounds, badTools); err != nil {
		return err
	}
	plan, text, err := f.planned(t, commandsIn(ctx, t, root))
	if err != nil {
		return err
	}
	e, err := terminal.OpenTrusting(t, f.model, root, f.trust)
	if err != nil {
		return err
	}
	defer e.Close()
	terminal.Remind(ctx, t, e.Engine, root)
	t.Interactive = t.Interactive && !f.permissions.NonInteractive
	talk := terminal.NewDialogue(t)
	talk.Yes = f.Yes
	request := engine.Request{
		Task: cmp.Or(task, text.plan.Task), TaskID: memory.ID(f.task), Recipe: f.recipe, Mode: f.mode, Profile: f.profile, Snapshot: workspace.Snapshot{Root: root},
		Focus: execution.Focus{Path: terminal.FocusPath(f.file)}, AskSpec: !f.Yes, Asker: talk,
		Plan:   plan,
		Limits: limits, Bounds: bounds, Domain: f.domain, Direct: direct, Flags: f.permissions.Flags,
		Thread: f.thread.ID, Base: execution.Base(f.base), Offline: f.model.Offline, Model: f.model.Name,
	}
	if f.wholeSuite {
		request.WholeSuite = checks.SuiteBefore
	}
	if request, err = settle(ctx, talk, e.Engine, request); err != nil {
		return err
	}
	run, err := e.Start(request)
	if err != nil {
		return threadFailed(draftFailed(err, f.task, root))
	}
	f.Yes = f.Yes || f.permissions.Files
	defer text.edited(t)
	return Session{Dialogue: talk, Engine: e.Engine, Flags: f}.Follow(ctx, run)
}

// planned returns the plan that the flags ask for, and its file.
func (f RunFlags) planned(t terminal.Terminal, refuses func(argv []string) string) (execution.Plan, planText, error) {
	wanted := execution.Plan{Wanted: f.plan || f.lite || f.planFile != "", Lite: f.lite}
	if f.planFile == "" {
		return wanted, planText{}, nil
	}
	file, err := readPlan(t, f.planFile, refuses)
	wanted.Given = file.plan.Parts
	return wanted, file, err
}

// draftFailed explains a draft that is missing or cannot be run; it ignores other errors.
func draftFailed(err error, id, root string) error {
	if illegal := (*memory.StateError)(nil); errors.Is(err, memory.ErrNotFound) || errors.As(err, &illegal) {
		return terminal.Explained(service.Missing(service.Tasks, id, service.At(root), err))
	}
	return err
}

// threadFailed explains a conversation that does not exist; it returns other errors as they are.
func threadFailed(err error) error {
	if errors.Is(err, history.ErrNoConversation) {
		return terminal.ExitWith(terminal.ExitFailed, err.Error()+". Leave out --continue to begin one")
	}
	return err
}

// Session is one run on a terminal, from its first event to the decision about its proposal.
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
	show, end := s.printer(run)
	defer end()
	// The context is not the caller's: a cancelled run still has a last event, which ends this loop.
	whole := context.WithoutCancel(ctx)
	var result execution.Result
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		result, _ = run.Wait(whole) // whole is never cancelled, so there is no error
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

// printer returns what shows the events of a run, and what must be called after the last one. The findings of a review are its result, which is printed at the end, and only then.
func (s Session) printer(run *execution.Run) (show func(event.Event), end func()) {
	if s.Flags.json {
		return func(e event.Event) { _ = terminal.WriteJSON(s.Out, api.EventOf(e)) }, func() {}
	}
	printer, running := terminal.NewPrinter(s.Err), terminal.NewRunning(s.Terminal)
	reviews := run.Recipe == string(mode.Review) || run.Recipe == string(pipeline.Final)
	show = func(e event.Event) {
		if review, is := e.Data.(event.Reviewed); is && reviews {
			review.Report.Findings = nil
			e.Data = review
		}
		running.Show(e, printer.Show)
	}
	return show, running.Watch()
}

func (s Session) conclude(ctx context.Context, run *execution.Run, result execution.Result) error {
	switch read := (reading{engine: s.Engine, run: run, result: result}); run.Recipe {
	case string(mode.Review), string(pipeline.Final):
		return read.reviewed(s.Terminal, s.Flags.json)
	case string(pipeline.Plan):
		return read.planned(s.Terminal, s.Flags.json)
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
	if err == nil && len(outcome.Files) == 0 && (result.Proposal == nil || result.State != event.Succeeded) {
		if ctx.Err() != nil && result.State == event.Cancelled {
			fmt.Fprintf(s.Err, "[forge] to continue: forge resume %s\n", run.ID)
		}
		return exitFor(result.State) // a declined change of a run that failed is a failure
	}
	return outcome.ending(err)
}

// ending returns the exit code after the user's decision about a proposal.
func (o RunOutcome) ending(err error) error {
	var exit *terminal.ExitError
	switch {
	case errors.As(err, &exit):
		return exit
	case err == nil && (len(o.Files) == 0 || o.inConflict()): // nothing was accepted, or not all could be applied
		return &terminal.ExitError{Code: terminal.ExitBlocked}
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled): // possible until the first file is written
		return terminal.ExitWith(terminal.ExitCancelled, "cancelled; nothing was applied")
	}
	return terminal.ExitWith(terminal.ExitFailed, err.Error())
}

// RunOutcome is the last line of forge run --json.
type RunOutcome struct {
	RunID       string                `json:"runId"`
	State       string                `json:"state"`
	Reason      string                `json:"reason,omitempty"`
	Answer      string                `json:"answer,omitempty"` // Markdown, of a run whose mode only answers
	Diff        string                `json:"diff,omitempty"`
	Explanation string                `json:"explanation,omitempty"` // what the model says of the diff
	Unverified  string                `json:"unverified,omitempty"`  // why the run did not accept the diff, one reason per line
	Files       []fileOutcome         `json:"files"`
	Checkpoint  string                `json:"checkpoint,omitempty"`
	Unanswered  []terminal.Unanswered `json:"unanswered,omitempty"` // questions that were not asked
	Error       string                `json:"error,omitempty"`      // why an accepted change could not be applied
}

// print writes the outcome, including err, as a line of JSON, and returns err.
func (o RunOutcome) print(w io.Writer, err error) error {
	if err != nil {
		o.Error = err.Error()
	}
	return errors.Join(err, terminal.WriteJSON(w, o))
}

type fileOutcome struct {
	Path  string `json:"path"`
	State string `json:"state"` // a service.FileState
}

// The states of an accepted file.
const (
	stateApplied  = string(service.FileApplied)
	statePartial  = string(service.FilePartial)
	stateSkipped  = string(service.FileSkipped)
	stateConflict = string(service.FileConflict)
)

// inConflict reports whether accepted changes could not be applied.
func (o RunOutcome) inConflict() bool {
	return slices.ContainsFunc(o.Files, func(f fileOutcome) bool { return f.State == statePartial || f.State == stateConflict })
}

func exitFor(s event.State) error {
	switch s {
	case event.Succeeded:
		return nil
	case event.Blocked, event.Waiting:
		return &terminal.ExitError{Code: terminal.ExitBlocked}
	case event.Cancelled, event.Interrupted:
		return &terminal.ExitError{Code: terminal.ExitCancelled}
	case event.Failed, event.Running: // a run that has ended is not running
	}
	return &terminal.ExitError{Code: terminal.ExitFailed}
}

// display shows a proposal, and what the user has to know of it.
func (s Session) display(p *proposal.Proposal, outcome *RunOutcome) {
	outcome.Diff = s.Engine.Redact(p.Unified())
	outcome.Explanation = p.Explanation
	s.warn(p)
	lookFirst(s.Err, p)
	s.explain(p)
	if !s.Flags.json {
		fmt.Fprint(s.Out, inert.Text(outcome.Diff))
	}
	if failing := p.StillFailing(); failing != "" {
		fmt.Fprintf(s.Err, "[forge] %s\n", inert.Text(failing))
	}
}

// offer shows a proposal and applies what the user accepts of it.
func (s Session) offer(ctx context.Context, root string, p *proposal.Proposal, outcome *RunOutcome) error {
	s.display(p, outcome)
	files, err := s.accept(ctx, p)
	if err == nil && len(files) > 0 {
		err = trusted(ctx, s.Dialogue, s.Engine, root, s.Flags.trust)
	}
	s.endSuite()
	if err != nil {
		return err
	}
	if len(files) == 0 {
		s.Engine.Decline(ctx, root, p)
		fmt.Fprintln(s.Err, "[forge] nothing was applied; your files are unchanged"+later(p, ". To apply it later: ", ""))
		return nil
	}
	err = ApplyAccepted(ctx, s.Engine, s.Terminal, root, p, files, nil, outcome)
	run, undone := history.RunOf(p.RunID)
	if _, none := os.Lstat(filepath.Join(root, ".git")); err == nil && none == nil && outcome.Checkpoint != "" && !undone {
		fmt.Fprintf(s.Err, "[forge] a message for your commit: forge commit-message %s\n", run)
	}
	return err
}
