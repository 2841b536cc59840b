package service

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"forge/api"
	"forge/engine"
	"forge/engine/event"
	"forge/engine/execution"
	"forge/engine/history"
	"forge/engine/mode"
	"forge/engine/proposal"
	"forge/engine/spend"
	"forge/engine/workspace"
	"forge/memory"
)

// RunStore stores the runs of all processes, including ended ones.
type RunStore interface {
	history.Stoppable
	// Runs lists the runs of a folder, newest first; Events returns the events of a run.
	Runs(ctx context.Context, root string) ([]history.Run, error)
	Events(ctx context.Context, id string, since int) ([]event.Event, error)
}

// ListRuns lists the stored runs of a folder: forge.runs without the runs of the session.
func ListRuns(ctx context.Context, e RunStore, in Folder, a *api.RunsArgs) (api.RunsResult, error) {
	runs, err := e.Runs(ctx, in.Path)
	if a.Limit > 0 && len(runs) > a.Limit {
		runs = runs[:a.Limit]
	}
	return api.RunsResult{Runs: runsOf(runs)}, err
}

// BusyError reports that a run did not stop in time.
type BusyError = history.BusyError

// KillRun answers forge.kill for a run of any process. A run that does not stop within the given time is a *BusyError.
func KillRun(ctx context.Context, e RunStore, within time.Duration, a *api.KillArgs) (api.StateResult, error) {
	run, err := history.Stop(ctx, e, a.RunID, within)
	return api.StateResult{RunID: a.RunID, State: string(run.State)}, err
}

// AttemptStore stores the results of attempts.
type AttemptStore interface {
	Iterations(ctx context.Context, root, run, node string) ([]memory.Attempt, error)
	ResetIterations(ctx context.Context, root, run, node string) (int, error)
}

// Iterations answers forge.iterations.
func Iterations(ctx context.Context, e AttemptStore, in Folder, a *api.IterationsArgs) (api.IterationsResult, error) {
	if a.Reset {
		forgotten, err := e.ResetIterations(ctx, in.Path, a.RunID, a.Node)
		result := api.IterationsOf(nil)
		result.Forgotten = forgotten
		return result, err
	}
	attempts, err := e.Iterations(ctx, in.Path, a.RunID, a.Node)
	return api.IterationsOf(attempts), err
}

// Ledger lists the accepted changes of a folder.
type Ledger interface {
	Checkpoints(ctx context.Context, root string) ([]history.Checkpoint, error)
}

// Checkpoints answers forge.checkpoints.
func Checkpoints(ctx context.Context, e Ledger, in Folder, _ *api.FolderArgs) (api.CheckpointsResult, error) {
	checkpoints, err := e.Checkpoints(ctx, in.Path)
	return checkpointsOf(checkpoints), err
}

// Runner starts and resumes runs.
type Runner interface {
	// Start starts a run and returns at once.
	Start(r engine.Request) (*execution.Run, error)
	// Again returns the request of a run, for another run of the same task with the user's advice.
	Again(ctx context.Context, id, advice string, s workspace.Snapshot) (engine.Request, error)
	// Resume continues a run that has ended or was interrupted.
	Resume(ctx context.Context, id string, asker event.Asker, raised execution.Limits) (*execution.Run, error)
	// Interrupted lists the runs of a folder that the user is offered to resume; Resumable lists all that can be resumed.
	Interrupted(ctx context.Context, root string) ([]history.Run, error)
	Resumable(ctx context.Context, root string) ([]history.Run, error)
	// Offered returns the proposal of an ended run, and its folder.
	Offered(ctx context.Context, id string) (*proposal.Proposal, string, error)
	// Trusted reports whether the user trusts a folder.
	Trusted(folder string) (bool, error)
}

// RunRequest converts the arguments of forge.run to a request of the engine. It does not set the fields that depend on the folder
// and the settings: snapshot, focus, the parts of a plan file, task from a comment, and mode. Its error names the argument, its value and the allowed values.
func RunRequest(a *api.RunArgs) (engine.Request, error) {
	bounds, err := runBounds(a.Bounds)
	if err != nil {
		return engine.Request{}, err
	}
	direct, err := runActions(a.Direct)
	if err != nil {
		return engine.Request{}, err
	}
	base, err := execution.BaseNamed(a.Base)
	if err != nil {
		return engine.Request{}, &InputError{err}
	}
	if a.Task != "" && a.TaskID != "" {
		return engine.Request{}, &api.ArgumentError{Field: "taskId", Problem: "cannot be combined with task; leave task out, or start a run without taskId"}
	}
	if a.PlanFile != "" && a.TaskID != "" {
		return engine.Request{}, &api.ArgumentError{Field: "taskId", Problem: "cannot be combined with planFile; the plan has its own task"}
	}
	return engine.Request{
		Task: a.Task, TaskID: memory.ID(a.TaskID), Recipe: a.Recipe, Profile: a.Profile, Domain: a.Domain, Bounds: bounds, Direct: direct,
		Earlier: turnsOf(a.Earlier), Thread: a.Thread, Base: base,
		AskSpec: a.Approve != "edits", Plan: execution.Plan{Wanted: a.Plan || a.Lite || a.PlanFile != "", Inline: a.Inline, Lite: a.Lite}, Limits: RunLimits(a.Limits),
	}, nil
}

// turnsOf converts the turns of a conversation.
func turnsOf(earlier []api.Turn) (turns []engine.Turn) {
	for _, turn := range earlier {
		turns = append(turns, engine.Turn{Asked: turn.Asked, Answered: turn.Answered})
	}
	return turns
}

// runBounds parses the bounds of a run.
func runBounds(b *api.Bounds) (bounds mode.Bounds, err error) {
	if b == nil {
		return bounds, nil
	}
	for _, given := range []struct {
		field string
		bound mode.Bound
		value int
	}{
		{"attempts", mode.Attempts, b.Attempts}, {"maxHops", mode.Hops, b.MaxHops}, {"tasks", mode.Tasks, b.Tasks},
		{"writers", mode.Writers, b.Writers}, {"exploreRounds", mode.Rounds, b.Rounds},
		{"fanoutDepth", mode.Fanout, b.Fanout}, {"sanityEvery", mode.Sanity, b.Sanity},
	} {
		if given.value == 0 {
			continue
		}
		given.bound.Setting = "bounds." + given.field
		if err := given.bound.Set(&bounds, given.value); err != nil {
			return bounds, &InputError{err}
		}
	}
	if b.NoExplore {
		bounds.Rounds = mode.Never
	}
	return bounds, nil
}

// runActions parses the direct tool calls. The engine validates their arguments.
func runActions(tools []api.Direct) ([]engine.Action, error) {
	var actions []engine.Action
	for i, t := range tools {
		args, err := json.Marshal(t.Args)
		if err != nil {
			return nil, fmt.Errorf("read direct[%d].args: %w", i, err)
		}
		actions = append(actions, engine.Action{Tool: t.Tool, Args: args})
	}
	return actions, nil
}

// RunLimits converts limits; nil means no limits.
func RunLimits(l *api.Limits) execution.Limits {
	if l == nil {
		return execution.Limits{}
	}
	return execution.Limits{Tokens: l.Tokens, MicroUSD: spend.Micro(l.CostUSD), Duration: time.Duration(l.Minutes) * time.Minute}
}

// CheckMode returns an error that lists the modes if name is unknown.
func CheckMode(name string) error {
	_, err := mode.Lookup(name)
	return err
}

// CheckDomain returns an error that lists the domains if name is unknown.
func CheckDomain(name string) error {
	_, err := mode.LookupDomain(name)
	return err
}

// InputError reports wrong input of the caller. Its message describes it.
type InputError struct{ Err error }

// Error returns the wrapped message.
func (e *InputError) Error() string { return e.Err.Error() }

// Unwrap returns the wrapped error.
func (e *InputError) Unwrap() error { return e.Err }

// shownLines is the default number of lines of forge.log.
const shownLines = 50

// Log answers forge.log with the events of a run.
func Log(id string, events []event.Event, a *api.LogArgs) api.LogResult {
	formatter := NewFormatter(a)
	result := api.LogResult{RunID: id, Lines: []api.LogLine{}}
	for _, e := range events {
		result.Lines = append(result.Lines, formatter.Format(e)...)
	}
	if limit := cmp.Or(max(a.Limit, 0), shownLines); len(result.Lines) > limit {
		result.Lines = result.Lines[len(result.Lines)-limit:]
	}
	return result
}

// Formatter converts the events of one run, in order, to the lines of forge.log.
type Formatter struct {
	filter    event.Filter
	formatter *event.Formatter
}

// NewFormatter returns a Formatter for the lines that the arguments select.
func NewFormatter(a *api.LogArgs) *Formatter {
	return &Formatter{event.Filter{Node: a.Node, Phase: event.Phase(a.Phase), Severity: event.Severity(a.Severity)}, event.NewFormatter()}
}

// Format returns the log lines of the next event.
func (t *Formatter) Format(e event.Event) []api.LogLine {
	return logLines(t.filter.Of(t.formatter.Format(e)))
}

// LogPhases are the phases of lines, in the order of a run.
func LogPhases() []string { return texts(event.Phases) }

// LogSeverities are the severities of lines, lowest first.
func LogSeverities() []string { return texts(event.Severities) }

func texts[T ~string](all []T) []string {
	list := make([]string, len(all))
	for i, one := range all {
		list[i] = string(one)
	}
	return list
}
