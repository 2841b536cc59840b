// Package execution executes runs: from their start, or from where an earlier process was interrupted, to their end.
//
//	Host ─► New, Resume ─► Execution ─► trust ─► model ─► snapshot ─► brief ─► pipeline.Run ─► Outcome ─► proposal
//	                          │ each effect is an activity of engine/flow: see workers.go
//	                          └ meanwhile events are written, the task is moved, and memory learns
//
// Host holds what executions need of the engine, so that this package does not import it. State that must outlive the process is in the store of
// the folder's project.
//
// Invariants: what leaves a run contains no secrets (secrets.go lists the ways out); an execution whose lease another process has taken writes nothing.
package execution

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"forge/engine/activity"
	"forge/engine/checks"
	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/history"
	"forge/engine/pipeline"
	"forge/engine/pipeline/work"
	"forge/engine/proposal"
	"forge/engine/shadow"
	"forge/engine/spare"
	"forge/engine/spend"
	"forge/engine/state"
	"forge/engine/step"
	"forge/engine/tool"
	"forge/internal/failpoint"
	"forge/internal/inert"
	"forge/patch"
)

// Execution is the work of one process on a run: from the run's start, or from where an earlier execution was interrupted, until the run
// ends or this execution is interrupted. State that must outlive the process is in the store of the run's project.
type Execution struct {
	host   *Host
	Run    *Run
	asker  event.Asker
	params Params

	project *state.Project
	lease   *flow.Lease
	resumed *event.RunResumed   // in a later execution
	done    *Outcome            // of a run that has succeeded; nil otherwise
	raised  Limits              // in a later execution: those that the user raised; zero leaves them
	model   string              // as users know it; empty until one was chosen
	models  *activity.Models    // nil until the run pays
	summary *history.Summarizer // what lists show; owned by the writer of events while it writes
	trees   activity.Trees
	spare   spare.Time
	mcp     tool.MCPSession      // nil if the user has no MCP servers
	idle    func() (over func()) // pauses the time limit of the run
	loaded  activity.LoadedModels
}

// window limits the tokens of a request if its model's window is unknown: what common models accept, less room for the answer.
const window = 84_000

// Start runs the first execution of a run, and returns when it has ended.
func (l *Execution) Start(ctx context.Context) {
	failpoint.Hit(FailpointRunStarting)
	if err := l.claim(ctx); err != nil {
		l.Run.Log.Append(l.params.begun(l.model))
		l.Run.end(Result{State: event.Blocked, Reason: err.Error(), Remedy: event.RemedyOf(err)})
		return
	}
	l.replay(ctx)
}

// claim begins the run in the store.
func (l *Execution) claim(ctx context.Context) (err error) {
	if l.project, err = l.host.State.Project(l.params.Root); err != nil {
		return err
	}
	if err := l.memory().takeTask(ctx); err != nil {
		return err
	}
	store, err := l.project.Store()
	if err != nil {
		return err
	}
	input, err := json.Marshal(l.params)
	if err != nil {
		return fmt.Errorf("keep what the run is to do: %w", err)
	}
	l.lease, err = store.Begin(ctx, flow.NewRun{
		ID: l.Run.ID, Kind: KindOfRun, Folder: l.params.Root, Title: title(l.params.Task), Input: input,
	})
	return l.host.State.Explain(err)
}

// replay runs an execution that has a lease, and stores the result of the run.
func (l *Execution) replay(own context.Context) {
	ctx, cancel := l.lease.Context(own)
	defer cancel()
	defer l.releaseAfterPanic()
	if l.resumed != nil {
		l.memory().reopen(ctx)
	}
	written, tracked := l.writeEvents(ctx), l.memory().trackTask(ctx)
	o := l.perform(ctx)
	result := o.ended()
	if o.offers() {
		result.Proposal, result.Suite = l.propose(o), l.suite(o)
	}
	l.Run.Log.Append(l.Run.ended(result))
	written()
	tracked()
	failpoint.Hit(FailpointEnding)
	l.keep(o)
	l.Run.settle(result)
	if !l.fenced() {
		l.host.History.GCShadow(own, l.params.Root)
	}
}

// releaseAfterPanic gives the lease back in a panic, so that the run can be resumed.
func (l *Execution) releaseAfterPanic() {
	if !l.Run.settled() {
		_ = l.lease.Release(context.Background()) // else it expires
	}
}

// propose makes a proposal of the run's result, and reports it. Each execution does so: proposals live in memory.
func (l *Execution) propose(o Outcome) *proposal.Proposal {
	failpoint.Hit(FailpointProposal)
	p := l.params.proposal(l.Run.ID, o, l.Run.Log.Since(0))
	l.Run.Log.Append(event.ProposalReady{ProposalID: p.ID, Files: len(p.Files), Hunks: p.Count(), Explanation: p.Explanation, Unverified: p.Unverified, Missing: p.Missing})
	return p
}

// keep stores the result of the run. If that fails, the run counts as interrupted: when it is resumed, it replays to the same result at no cost.
func (l *Execution) keep(o Outcome) {
	ctx := context.Background() // what has happened is stored, even if the run was cancelled meanwhile
	state, ended := endings[o.State]
	if !ended {
		_ = l.lease.Release(ctx)
		return
	}
	l.memory().keepSpec(ctx, o.Spec)
	ends := !l.fenced()
	if ends {
		l.memory().end(ctx)
		l.keepTurn(ctx, o)
	}
	if err := l.summarize(ctx, o.summary(l.summary.Summary)); err != nil {
		l.host.State.Notify(fmt.Sprintf("lists of runs show an older state of run %s: %v", l.Run.ID, err))
	}
	kept, err := json.Marshal(o)
	if err == nil {
		err = l.lease.End(ctx, state, o.Reason, kept)
	}
	if err != nil && !errors.Is(err, flow.ErrFenced) {
		l.host.State.Notify(fmt.Sprintf("the result of run %s could not be stored: %v; it can be resumed", l.Run.ID, err))
	}
	if ends {
		l.memory().collect(ctx)
	}
}

// endings maps the state of a run to the stored one; a run in any other state has not ended.
var endings = map[event.State]flow.State{
	event.Succeeded: flow.Done,
	event.Blocked:   flow.Failed,
	event.Failed:    flow.Failed,
	event.Cancelled: flow.Cancelled,
}

// writeEvents starts a goroutine that writes the events of the run to their file. wait returns when the last event is written.
// An event that cannot be written is reported to the user, and is missing only for later readers.
func (l *Execution) writeEvents(ctx context.Context) (wait func()) {
	l.summary = history.Summarize(l.params.Way(), l.Run.Log.Since(0)[:l.Run.Resumed])
	l.summary.Summary.Thread = l.params.Thread
	file, err := state.OpenEvents(l.project.EventsFile(l.Run.ID))
	if err != nil {
		l.host.State.Notify(err.Error())
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for e := range l.Run.Log.Follow(context.WithoutCancel(ctx), l.Run.Resumed) {
			if l.fenced() {
				continue // the process that has the run now writes its events
			}
			if l.lease != nil && l.summary.Add(e) {
				_ = l.summarize(ctx, l.summary.Summary) // the last one, at the end of the run, reports an error
			}
			if err := file.Append(e); err != nil {
				l.host.State.Notify(fmt.Sprintf("an event of run %s could not be kept: %v", l.Run.ID, err))
			}
		}
	}()
	return func() {
		<-done
		_ = file.Close()
	}
}

// fenced reports whether another process has taken the run over.
func (l *Execution) fenced() bool { return l.lease != nil && errors.Is(l.lease.Err(), flow.ErrFenced) }

// perform does the work of an execution, from opening the run to its result, within the run's time limit.
func (l *Execution) perform(ctx context.Context) Outcome {
	late := l.overtime()
	bounded, allowed, cancel := spend.AllowTime(l.params.reach(ctx), l.params.Duration, late)
	defer cancel()
	l.idle = allowed.Pause
	o := l.attempt(bounded)
	o.Explanation = inert.Brief(l.host.Secrets.Plain(o.Explanation), maxExplained, maxExplanation) // in this order: a part of a secret is not recognized
	switch why := context.Cause(ctx); {
	case o.State == event.Succeeded || o.State == event.Failed:
	case errors.Is(why, flow.ErrReleased), errors.Is(why, flow.ErrFenced):
		o.State, o.Reason = event.Interrupted, why.Error()
	case errors.Is(context.Cause(bounded), late):
		o.State, o.Reason, o.Remedy = event.Blocked, late.Error(), event.RemedyLimit
	}
	if o.State == event.Blocked || o.State == event.Failed {
		now := l.Run.Log.Standing()
		o.Remedy = cmp.Or(o.Remedy, now.Obstacle())
	}
	if o.State != event.Blocked && o.State != event.Failed && o.Unverified != "" { // it can be resumed, or was cancelled
		o.Changes, o.Explanation, o.Unverified, o.Missing = patch.ChangeSet{}, "", "", nil
	}
	if o.State == event.Cancelled {
		l.host.Calls.Abandon(ctx, l.Run.ID)
	}
	l.addUp(&o)
	return o
}

// overtime returns the error of a run that exceeds its time limit, with the command that resumes it.
func (l *Execution) overtime() error {
	limit := l.params.Duration
	minutes := int((2*limit + time.Minute - 1) / time.Minute)
	return fmt.Errorf("the run took longer than its limit of %s. Resume it: forge resume %s --minutes %d", limit, l.Run.ID, minutes)
}

// attempt prepares the run, and executes its code. Steps whose results are in the journal are not repeated.
func (l *Execution) attempt(ctx context.Context) Outcome {
	if err := l.open(ctx); err != nil {
		return failedBefore(ctx, err)
	}
	l.host.Secrets.Learn(l.params.Root)
	if err := l.host.Ledger.RecoverSeen(ctx, l.params.snapshot()); err != nil {
		return failedBefore(ctx, err)
	}
	repo, err := l.host.State.Repo(ctx, l.params.Root)
	if err != nil {
		return failedBefore(ctx, err)
	}
	if l.resumed != nil { // the earlier execution may have died since the repository was opened here
		if _, err := repo.Trees.Sweep(ctx); err != nil {
			return failedBefore(ctx, err)
		}
	}
	defer l.openTrees(repo)()
	defer l.openMCP(ctx)()
	if err := l.pay(ctx); err != nil {
		return failedAtStart(ctx, err)
	}
	f := watched{flow.New(l.lease, l.workers(ctx, repo), flow.DriverOptions{Now: l.host.Now})}
	env, err := l.starting(ctx, f)
	if err != nil {
		return failedAtStart(ctx, err)
	}
	return Outcome{Result: pipeline.Run(ctx, env, l.params.Pipeline())}
}

// openTrees lets activities create scratch trees on demand; remove deletes them.
func (l *Execution) openTrees(repo *shadow.Repo) (remove func()) {
	l.trees.Open = treesOf(repo, l.Run.ID)
	return func() {
		l.spare.Close()
		if err := l.trees.Close(); err != nil {
			failpoint.ReportBug("remove a scratch tree: %v", err)
		}
	}
}

// openMCP opens a session for tools of MCP servers, if the user has some; end closes it, and stops the servers.
func (l *Execution) openMCP(ctx context.Context) (end func()) {
	open := l.host.Settings(ctx, l.params.Root).MCP
	if open == nil {
		return func() {}
	}
	l.mcp = open(l.params.Local())
	return l.mcp.Close
}

// treesOf makes scratch trees of snapshots for a run, by their ids.
func treesOf(repo *shadow.Repo, run string) func(context.Context, string) (activity.Tree, error) {
	return func(ctx context.Context, base string) (activity.Tree, error) {
		tree, err := repo.Trees.Checkout(ctx, shadow.Snapshot{Commit: base})
		if err != nil {
			return nil, err
		}
		if err := tree.Label(run); err != nil {
			return nil, errors.Join(fmt.Errorf("make a scratch tree: %w", err), tree.Close())
		}
		return tree, nil
	}
}

// starting performs the steps before the graph, and returns the environment of the run's code.
func (l *Execution) starting(ctx context.Context, f flow.Flow) (env work.Env, err error) {
	taken, err := activitySnapshot.Call(ctx, f, atStart, "snapshot", l.params.wanted())
	if err != nil {
		return env, err
	}
	if len(taken.Skipped) > 0 {
		l.Run.Log.AppendOnce(event.FilesSkipped{Base: taken.Base, Files: taken.Skipped})
	}
	if included, has := taken.included(l.params.Base); has {
		l.Run.Log.AppendOnce(included)
	}
	units, err := l.params.unitsOf(ctx, f, taken.Base)
	if err != nil {
		return env, err
	}
	brief, err := step.ActivityBrief.Call(ctx, f, atStart, "brief", l.params.callBrief(taken.Base))
	if err != nil {
		return env, err
	}
	windows, err := l.params.windows(ctx, f)
	if err != nil {
		return env, err
	}
	retries := retriesOf(l.Run.Log.Since(0))
	again, err := l.params.snapshotsAgain(ctx, f, retries)
	if err != nil {
		return env, err
	}
	grants, err := l.grants()
	if err != nil {
		return env, err
	}
	return work.Env{
		Env:     step.Env{Flow: f, Emit: l.emit, Model: l.model, Window: window, Windows: windows},
		Pool:    l.host.Pool,
		Base:    taken.Base,
		Dirty:   taken.dirty(l.params.Base),
		Brief:   brief,
		Project: l.host.Checks.Of(ctx, l.params.Root).Project(units),
		Retries: retries, Again: again,
		Spare:  &l.spare,
		Watch:  l.watch(l.host.Settings(ctx, l.params.Root).Patience).node,
		Rounds: l.params.Rounds, FanOut: l.params.Fanout, SanityEvery: l.params.Sanity, Attempts: l.params.Attempts,
		Hops: l.params.Hops, Tasks: l.params.Tasks, Writers: l.params.Writers,
		Steps: l.params.Steps, ToolCalls: l.params.ToolCalls,
		Grants: grants, AtFirst: l.params.AtFirst, Whole: l.params.WholeSuite == checks.SuiteBefore,
	}, nil
}

// snapshotsAgain returns a snapshot of the user's current files for each retry that judges a draft again, and "" for the others. A run that
// began with unsaved buffers keeps its first snapshot: only the buffers of that time are known.
func (p Params) snapshotsAgain(ctx context.Context, f flow.Flow, retries []work.Retry) ([]string, error) {
	bases := make([]string, len(retries))
	for i, retry := range retries {
		if len(retry.Judge) == 0 || len(p.Unsaved) > 0 {
			continue
		}
		taken, err := activitySnapshot.Call(ctx, f, atStart, fmt.Sprintf("snapshot/again %d", i+1), p.wanted())
		if err != nil {
			return nil, err
		}
		bases[i] = taken.Base
	}
	return bases, nil
}

// unitsOf finds the projects in the tree of the run. One that changes nothing has nothing checked.
func (p Params) unitsOf(ctx context.Context, f flow.Flow, base string) ([]step.Unit, error) {
	if p.reads() {
		return nil, nil
	}
	return step.ActivityUnits.Call(ctx, f, atStart, "units", step.State{Base: base})
}

// open reports the start of the execution, asks the user to trust the folder if they do not yet, and chooses the model. Choosing a
// model opens connections, so it waits for trust: without it, the start is reported with no model.
func (l *Execution) open(ctx context.Context) error {
	level, err := l.host.State.TrustLevel(l.params.Root)
	trusted := level >= l.params.needs()
	if err == nil && trusted {
		err = l.choose(ctx)
	}
	l.announce()
	if err == nil && !trusted {
		if err := l.askTrust(ctx); err != nil {
			return err
		}
		err = l.choose(ctx)
	}
	if err := unlessResumed(l.resumed, err); err != nil {
		return err
	}
	return l.askUnconfined(ctx)
}

// choose chooses the model that most of the run is asked of.
func (l *Execution) choose(ctx context.Context) error {
	choice, err := l.host.Choose(ctx, l.chooser(), l.params.Root)
	switch {
	case err == nil:
	case len(l.params.Direct) > 0 && l.params.NoReview: // no model is asked
		return nil
	default:
		return event.WithRemedy(cmp.Or(event.RemedyOf(err), event.RemedyModel), &noModelError{err})
	}
	l.model = choice.Primary.Model.Name()
	return nil
}

// noModelError means that there is no model.
type noModelError struct{ error }

// unlessResumed drops the error of a missing model for a resumed run: its journal may have all the answers that it needs.
func unlessResumed(again *event.RunResumed, err error) error {
	if missing := new(noModelError); again != nil && errors.As(err, &missing) {
		return nil
	}
	return err
}

func (l *Execution) announce() {
	if l.resumed != nil {
		l.resumed.Model = l.model
		l.Run.Log.Append(*l.resumed)
		return
	}
	l.Run.Log.Append(l.params.begun(l.model))
}

// failedBefore is the result of a run that ended before its graph began.
func failedBefore(ctx context.Context, err error) (o Outcome) {
	switch {
	case ctx.Err() != nil || errors.Is(err, context.Canceled):
		o.State, o.Reason = event.Cancelled, "cancelled"
	case errors.Is(err, errUntrusted):
		o.State, o.Reason, o.Remedy = event.Cancelled, err.Error(), event.RemedyOf(err)
	default:
		o.State, o.Reason, o.Remedy = event.Blocked, err.Error(), event.RemedyOf(err)
	}
	return o
}

// failedAtStart is the result of a run that a step before the graph has ended, which can be tried again.
func failedAtStart(ctx context.Context, err error) Outcome {
	o := failedBefore(ctx, err)
	o.Retry = work.Retry{Stuck: []step.Place{atStart}}
	return o
}

// New is the first execution of a run, which has done nothing yet.
func (h *Host) New(id string, asker event.Asker, p Params) *Execution {
	run := &Run{ID: id, Task: p.Task, Root: p.Root, Log: event.NewLog(id, h.Now)}
	run.Log.Guard(h.Secrets.Document)
	return &Execution{host: h, Run: run, asker: asker, params: p}
}
