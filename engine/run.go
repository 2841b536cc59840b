package engine

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"forge/engine/ask"
	"forge/engine/event"
	"forge/engine/gate/golang"
	"forge/engine/llm"
	"forge/engine/pipeline"
	"forge/engine/proposal"
	"forge/engine/shadow"
	"forge/engine/step"
	"forge/internal/bug"
)

// Result is how a run ended.
type Result struct {
	State    event.State
	Reason   string             // for people; may be empty for Succeeded
	Proposal *proposal.Proposal // nil when there is nothing to propose
}

// Run is a run that was started.
type Run struct {
	ID   string
	Task string
	Root string
	Log  *event.Log

	cancel context.CancelFunc
	done   chan struct{}
	result Result // valid once done is closed
}

// Cancel asks the run to stop; it is quiet within a second. It is idempotent.
func (r *Run) Cancel() { r.cancel() }

// Wait returns how the run ended, or ctx's error if ctx ends first.
func (r *Run) Wait(ctx context.Context) (Result, error) {
	select {
	case <-r.done:
		return r.result, nil
	case <-ctx.Done():
		return Result{}, ctx.Err()
	}
}

// end tells how the run ended. Invariant: whoever was let go by Wait finds RunEnded in the log.
func (r *Run) end(result Result) {
	r.result = result
	r.Log.Append(event.RunEnded{State: result.State, Reason: result.Reason})
	close(r.done)
}

// window is how many tokens a request may have: what common models take, less room for the answer.
const window = 84_000

// perform is the life of a run, from the choice of a model to the proposal.
func (e *Engine) perform(ctx context.Context, run *Run, r Request) Result {
	limit := r.Limits.Duration
	if limit <= 0 {
		limit = DefaultDuration
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("the run took longer than its limit of %s", limit))
	defer cancel()
	result := e.attempt(ctx, run, r)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) && result.Proposal == nil {
		return Result{State: event.Failed, Reason: context.Cause(ctx).Error()}
	}
	return result
}

func (e *Engine) attempt(ctx context.Context, run *Run, r Request) Result {
	model, err := e.begin(ctx, run, r)
	if err != nil {
		return ended(ctx, err)
	}
	repo, err := e.repo(ctx, run.Root)
	if err != nil {
		return ended(ctx, err)
	}
	base, err := repo.Snapshot(ctx, r.Snapshot)
	if err != nil {
		return ended(ctx, err)
	}
	tree, err := repo.Checkout(ctx, base)
	if err != nil {
		return ended(ctx, err)
	}
	result := e.inTree(ctx, run, r, model, base, tree)
	if err := tree.Close(); err != nil {
		bug.Reportf("remove a scratch tree: %v", err)
	}
	return result
}

// begin announces the run and chooses its model. The search for one opens connections, and so waits
// until the folder is trusted: then the model is not known yet when the run is announced.
func (e *Engine) begin(ctx context.Context, run *Run, r Request) (llm.Model, error) {
	started := event.RunStarted{Task: r.Task, Folder: run.Root}
	trusted, err := e.Trusted(run.Root)
	if err != nil || !trusted {
		run.Log.Append(started)
		if err == nil {
			err = e.askTrust(ctx, run, r.Asker)
		}
		if err != nil {
			return nil, err
		}
		return e.options.Model(ctx)
	}
	model, err := e.options.Model(ctx)
	if err == nil {
		started.Model = model.Name()
	}
	run.Log.Append(started)
	return model, err
}

func (e *Engine) inTree(ctx context.Context, run *Run, r Request, model llm.Model, base shadow.Snapshot, tree *shadow.Tree) Result {
	tokens := r.Limits.Tokens
	if tokens <= 0 {
		tokens = DefaultTokens
	}
	outcome := pipeline.Run(ctx, pipeline.Env{
		Env: step.Env{
			Model: model, Retry: &llm.Policy{}, Log: run.Log, Budget: &step.Budget{Limit: tokens},
			Now: e.options.Now, Window: window,
		},
		RunID: run.ID, Base: base.Commit, Tree: tree, Project: e.project(tree), Asker: r.Asker,
	}, task(r))
	result := Result{State: outcome.State, Reason: outcome.Reason}
	if outcome.State == event.Succeeded && len(outcome.Changes.Files) > 0 {
		p := proposal.New("p-"+strings.TrimPrefix(run.ID, "r-"), run.ID, title(r.Task), outcome.Changes, outcome.Reports, scope(r.Focus))
		run.Log.Append(event.ProposalReady{ProposalID: p.ID, Files: len(p.Files), Hunks: p.Count()})
		result.Proposal = p
	}
	return result
}

// project tells how the tree's language is checked. A tree of no known language has no gates, and a run
// in it ends before it costs anything.
func (e *Engine) project(tree *shadow.Tree) pipeline.Project {
	if !golang.Detect(tree) {
		return pipeline.Project{}
	}
	gates := golang.Gates(e.runner)
	return pipeline.Project{Gates: gates, Tests: gates[len(gates)-1], IsTest: golang.IsTest, Red: golang.Red}
}

func task(r Request) pipeline.Task {
	recipe := pipeline.Recipe(r.Recipe)
	if recipe == "" {
		recipe = pipeline.Implement
	}
	return pipeline.Task{Text: r.Task, Recipe: recipe, Focus: pipeline.Focus(r.Focus), ApproveSpec: r.AskSpec}
}

// title is a task as one short line.
func title(task string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(task), "\n")
	if runes := []rune(line); len(runes) > 72 {
		return string(runes[:71]) + "…"
	}
	return line
}

// scope reports what the person pointed at: with a focus, its folder and what is below it.
func scope(f Focus) func(string) bool {
	dir := path.Dir(f.Path)
	if f.Path == "" || dir == "." {
		return func(string) bool { return true }
	}
	return func(p string) bool { return strings.HasPrefix(p, dir+"/") }
}

// Why nothing of a folder was run: a person did not want that, or there was none to ask.
var (
	errUntrusted = errors.New("the folder is not trusted, so nothing in it was run")
	errNobody    = errors.New("nobody has said that the folder is trusted, so nothing in it was run")
)

// ended is the result of a run that came to nothing before its graph began.
func ended(ctx context.Context, err error) Result {
	switch {
	case ctx.Err() != nil:
		return Result{State: event.Cancelled, Reason: "cancelled"}
	case errors.Is(err, errUntrusted):
		return Result{State: event.Cancelled, Reason: err.Error()}
	}
	return Result{State: event.Blocked, Reason: err.Error()}
}

// askTrust asks once for each folder whether its code may be executed, before any process is started.
func (e *Engine) askTrust(ctx context.Context, run *Run, asker ask.Asker) error {
	q := ask.Question{
		ID: "trust", RunID: run.ID, Kind: ask.Trust, Title: "Do you trust the code in " + run.Root + "?",
		Detail:  "Forge compiles and tests it in a scratch copy, which executes code from this folder.",
		Choices: []ask.Choice{{ID: "trust", Title: "Trust and run"}, {ID: "no", Title: "Don't run"}}, Default: "no",
	}
	run.Log.Append(event.Asked{Question: q})
	answer, err := asker.Ask(ctx, q)
	run.Log.Append(event.Answered{QuestionID: q.ID, Choice: answer.Choice})
	if errors.Is(err, ask.ErrNoAnswer) {
		return errNobody
	}
	if err != nil {
		return fmt.Errorf("ask for trust: %w", err)
	}
	if answer.Choice != "trust" {
		return errUntrusted
	}
	return e.Trust(run.Root)
}
