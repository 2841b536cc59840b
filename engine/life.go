package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"forge/engine/activity"
	"forge/engine/ask"
	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/history"
	"forge/engine/pipeline"
	"forge/engine/proposal"
	"forge/engine/shadow"
	"forge/engine/state"
	"forge/engine/step"
	"forge/internal/bug"
	"forge/internal/failpoint"
	"forge/patch"
)

// life is what one process does of a run: from its start, or from where an earlier life was cut off, to its end
// or until it is cut off itself. Whatever of it must outlive the process is in the store of its project.
type life struct {
	host   *Host
	run    *Run
	asker  ask.Asker
	params params

	project *state.Project
	lease   *flow.Lease
	again   *event.RunResumed   // in a later life
	done    *outcome            // of a run that has succeeded; nil otherwise
	raised  Limits              // in a later life: those that a person raised; zero leaves them
	model   string              // as people know it; empty until one was chosen
	models  *activity.Models    // nil until the run pays
	summary *history.Summarizer // what lists show; owned by the writer of events while it writes
	trees   activity.Trees
	idle    func() (over func()) // lets the time that the run may take stand still
	warmth  activity.Warmth
}

// window is how many tokens a request may have where nothing is known of its model: what common models take, less room
// for the answer.
const window = 84_000

// first is the first life of a run.
func (l *life) first(ctx context.Context) {
	failpoint.Hit(FailpointRunStarting)
	if err := l.claim(ctx); err != nil {
		l.run.Log.Append(l.begun())
		l.run.end(Result{State: event.Blocked, Reason: err.Error()})
		return
	}
	l.whole(ctx)
}

// claim begins the run in the store.
func (l *life) claim(ctx context.Context) (err error) {
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
		ID: l.run.ID, Kind: kindOfRun, Folder: l.params.Root, Title: title(l.params.Task), Input: input,
	})
	return l.host.State.Explain(err)
}

// whole lives a life for which there is a lease, and keeps what the run came to.
func (l *life) whole(ctx context.Context) {
	ctx, cancel := l.lease.Context(ctx)
	defer cancel()
	defer l.letGo()
	if l.again != nil {
		l.memory().reopen(ctx)
	}
	written, tracked := l.writeEvents(ctx), l.memory().trackTask(ctx)
	o := l.perform(ctx)
	result := o.result()
	if o.offers() {
		result.Proposal = l.propose(o)
	}
	l.run.Log.Append(event.RunEnded{State: result.State, Reason: result.Reason})
	written()
	tracked()
	failpoint.Hit(FailpointEnding)
	l.keep(o)
	l.run.settle(result)
}

// letGo gives the lease back in a panic, so that the run can be resumed.
func (l *life) letGo() {
	if !l.run.settled() {
		_ = l.lease.Release(context.Background()) // else it expires
	}
}

// propose makes the proposal of what the run came to, and tells of it: in every life, for it is there in this one.
func (l *life) propose(o outcome) *proposal.Proposal {
	failpoint.Hit(FailpointProposal)
	p := l.params.proposal(l.run.ID, o)
	l.run.Log.Append(event.ProposalReady{ProposalID: p.ID, Files: len(p.Files), Hunks: p.Count(), Unverified: p.Unverified})
	return p
}

// keep writes down how the run ended. Where that fails the run stands as interrupted: resumed, it comes to the
// same once more, and costs nothing.
func (l *life) keep(o outcome) {
	ctx := context.Background() // what has happened is kept, whatever was cancelled meanwhile
	state, ended := endings[o.State]
	if !ended {
		_ = l.lease.Release(ctx)
		return
	}
	l.memory().keepSpec(ctx, o.Spec)
	ends := o.State != event.Paused && !l.fenced()
	if ends {
		l.memory().end(ctx)
	}
	if err := l.summarize(ctx, o.summary(l.summary.Summary)); err != nil {
		l.host.State.Notify(fmt.Sprintf("lists of runs show an older state of run %s: %v", l.run.ID, err))
	}
	kept, err := json.Marshal(o)
	if err == nil {
		err = l.lease.End(ctx, state, o.Reason, kept)
	}
	if err != nil && !errors.Is(err, flow.ErrFenced) {
		l.host.State.Notify(fmt.Sprintf("how run %s ended could not be kept: %v; it can be resumed", l.run.ID, err))
	}
	if ends {
		l.memory().collect(ctx)
	}
}

// endings says how runs in a state are kept; one that is in none of these has not ended.
var endings = map[event.State]flow.State{
	event.Succeeded: flow.Done,
	event.Blocked:   flow.Failed,
	event.Failed:    flow.Failed,
	event.Cancelled: flow.Cancelled,
	event.Paused:    flow.Paused,
}

// writeEvents writes the events of the run to their file as they come, in a goroutine that the function it
// returns waits for: until the last event is written. Events that cannot be written are lost to later readers only.
func (l *life) writeEvents(ctx context.Context) (wait func()) {
	l.summary = history.Summarize(l.params.way(), l.run.Log.Since(0)[:l.run.Resumed])
	file, err := history.OpenEvents(l.project.EventsFile(l.run.ID))
	if err != nil {
		l.host.State.Notify(err.Error())
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for e := range l.run.Log.Follow(context.WithoutCancel(ctx), l.run.Resumed) {
			if l.fenced() {
				continue // the process that has the run now writes its events
			}
			if l.lease != nil && l.summary.Add(e) {
				_ = l.summarize(ctx, l.summary.Summary) // the last one, at the end of the run, reports an error
			}
			if err := file.Append(e); err != nil {
				l.host.State.Notify(fmt.Sprintf("an event of run %s could not be kept: %v", l.run.ID, err))
			}
		}
	}()
	return func() {
		<-done
		_ = file.Close()
	}
}

// fenced reports whether another process has taken the run over.
func (l *life) fenced() bool { return l.lease != nil && errors.Is(l.lease.Err(), flow.ErrFenced) }

// perform is the life, from the choice of a model to what the run came to.
func (l *life) perform(ctx context.Context) outcome {
	late := l.overtime()
	bounded, allowed, cancel := allow(ctx, l.params.Duration, late)
	defer cancel()
	l.idle = allowed.pause
	o := l.attempt(bounded)
	switch why := context.Cause(ctx); {
	case o.State == event.Succeeded || o.State == event.Failed:
	case errors.Is(why, flow.ErrPaused):
		o.State, o.Reason = event.Paused, "paused"
	case errors.Is(why, flow.ErrReleased), errors.Is(why, flow.ErrFenced):
		o.State, o.Reason = event.Interrupted, why.Error()
	case errors.Is(context.Cause(bounded), late):
		o.State, o.Reason = event.Blocked, late.Error()
	}
	if o.State != event.Blocked && o.State != event.Failed && o.Unverified != "" { // it goes on, or was called off
		o.Changes, o.Unverified = patch.ChangeSet{}, ""
	}
	if o.State == event.Cancelled {
		l.host.Calls.Abandon(ctx, l.run.ID)
	}
	l.addUp(&o)
	return o
}

// overtime says that the run took too long, and how it goes on.
func (l *life) overtime() error {
	limit := l.params.Duration
	minutes := int((2*limit + time.Minute - 1) / time.Minute)
	return fmt.Errorf("the run took longer than its limit of %s. Go on where it is: forge resume %s --minutes %d", limit, l.run.ID, minutes)
}

func (l *life) attempt(ctx context.Context) outcome {
	if err := l.open(ctx); err != nil {
		return came(ctx, err)
	}
	l.host.Secrets.learn(l.params.Root)
	if err := l.host.Ledger.RecoverSeen(ctx, l.params.snapshot()); err != nil {
		return came(ctx, err)
	}
	repo, err := l.host.State.Repo(ctx, l.params.Root)
	if err != nil {
		return came(ctx, err)
	}
	if l.again != nil { // the earlier life may have died since the repository was opened here
		if _, err := repo.Sweep(ctx); err != nil {
			return came(ctx, err)
		}
	}
	defer l.openTrees(repo)()
	return l.play(ctx, repo)
}

// openTrees has scratch trees made where they are needed, until close is called.
func (l *life) openTrees(repo *shadow.Repo) (remove func()) {
	l.trees.Open = func(ctx context.Context, base string) (activity.Tree, error) {
		return repo.Checkout(ctx, shadow.Snapshot{Commit: base})
	}
	return func() {
		if err := l.trees.Close(); err != nil {
			bug.Reportf("remove a scratch tree: %v", err)
		}
	}
}

// play plays the code of the run: what its journal has is not done again.
func (l *life) play(ctx context.Context, repo *shadow.Repo) outcome {
	if err := l.pay(ctx); err != nil {
		return cameAtStart(ctx, err)
	}
	f := watched{flow.New(l.lease, l.workers(ctx, repo), flow.DriverOptions{Now: l.host.Now})}
	env, err := l.starting(ctx, f)
	if err != nil {
		return cameAtStart(ctx, err)
	}
	r := pipeline.Run(ctx, env, l.params.task())
	return outcome{State: r.State, Reason: r.Reason, Changes: r.Changes, Unverified: r.Unverified, Reports: r.Reports, Spec: r.Spec, Review: r.Review, Answer: r.Answer, Retry: r.Retry}
}

// starting takes the steps before the graph: it gives what the run works with.
func (l *life) starting(ctx context.Context, f flow.Flow) (env pipeline.Env, err error) {
	taken, err := activitySnapshot.Call(ctx, f, atStart, "snapshot", l.params.snapshot())
	if err != nil {
		return env, err
	}
	if len(taken.Skipped) > 0 {
		l.run.Log.Tell(event.FilesSkipped{Base: taken.Base, Files: taken.Skipped})
	}
	units, err := l.unitsOf(ctx, f, taken.Base)
	if err != nil {
		return env, err
	}
	brief, err := step.ActivityBrief.Call(ctx, f, atStart, "brief", l.params.callBrief(taken.Base))
	if err != nil {
		return env, err
	}
	windows, err := l.windows(ctx, f)
	if err != nil {
		return env, err
	}
	retries := retriesOf(l.run.Log.Since(0))
	again, err := l.snapshotsAgain(ctx, f, retries)
	if err != nil {
		return env, err
	}
	return pipeline.Env{
		Env:     step.Env{Flow: f, Tell: l.tell, Model: l.model, Window: window, Windows: windows},
		Crew:    l.host.Crew(),
		Base:    taken.Base,
		Brief:   brief,
		Project: l.host.Checks.of(ctx, l.params.Root).projectOf(units),
		Retries: retries, Again: again,
		Rounds: l.params.Rounds, Attempts: l.params.Attempts,
		Hops: l.params.Hops, Tasks: l.params.Tasks, Writers: l.params.Writers,
		Steps: l.params.Steps, ToolCalls: l.params.ToolCalls,
		Grants: l.params.Grants, AtFirst: l.params.AtFirst,
	}, nil
}

// snapshotsAgain takes the user's files as they are when a retry judges a change again. Buffers of an editor are those with which the run
// began, so that a run with some stays with them.
func (l *life) snapshotsAgain(ctx context.Context, f flow.Flow, retries []pipeline.Retry) ([]string, error) {
	bases := make([]string, len(retries))
	for i, retry := range retries {
		if len(retry.Judge) == 0 || len(l.params.Unsaved) > 0 {
			continue
		}
		taken, err := activitySnapshot.Call(ctx, f, atStart, fmt.Sprintf("snapshot/again %d", i+1), l.params.snapshot())
		if err != nil {
			return nil, err
		}
		bases[i] = taken.Base
	}
	return bases, nil
}

// unitsOf finds the projects in the tree of the run. One that changes nothing has nothing checked.
func (l *life) unitsOf(ctx context.Context, f flow.Flow, base string) ([]step.Unit, error) {
	if l.params.reads() {
		return nil, nil
	}
	return step.ActivityUnits.Call(ctx, f, atStart, "units", step.State{Base: base})
}

// open announces the life, has the folder trusted and chooses the model. The search for one opens connections,
// and so waits until the folder is trusted: then the model is not known yet when the life is announced.
func (l *life) open(ctx context.Context) error {
	trusted, err := l.host.State.Trusted(l.params.Root)
	if err == nil && trusted {
		err = l.choose(ctx)
	}
	l.announce()
	if err != nil || trusted {
		return unlessResumed(l.again, err)
	}
	if err := l.askTrust(ctx); err != nil {
		return err
	}
	return unlessResumed(l.again, l.choose(ctx))
}

// choose chooses the model that most of the run is asked of.
func (l *life) choose(ctx context.Context) error {
	choice, err := l.host.choose(ctx, l.chooser(), l.params.Root)
	if err != nil {
		return &noModelError{err}
	}
	l.model = choice.Primary.Model.Name()
	return nil
}

// noModelError says that there is no model.
type noModelError struct{ error }

// unlessResumed lets a resumed run begin without a model: perhaps everything that it would be asked was answered.
func unlessResumed(again *event.RunResumed, err error) error {
	if missing := new(noModelError); again != nil && errors.As(err, &missing) {
		return nil
	}
	return err
}

func (l *life) announce() {
	if l.again != nil {
		l.again.Model = l.model
		l.run.Log.Append(*l.again)
		return
	}
	l.run.Log.Append(l.begun())
}

// came is what a run came to that ended before its graph began.
func came(ctx context.Context, err error) outcome {
	switch {
	case ctx.Err() != nil || errors.Is(err, context.Canceled):
		return outcome{State: event.Cancelled, Reason: "cancelled"}
	case errors.Is(err, errUntrusted):
		return outcome{State: event.Cancelled, Reason: err.Error()}
	}
	return outcome{State: event.Blocked, Reason: err.Error()}
}

// cameAtStart is came of a step before the graph, which can be tried again.
func cameAtStart(ctx context.Context, err error) outcome {
	o := came(ctx, err)
	o.Retry = pipeline.Retry{Stuck: []step.Place{atStart}}
	return o
}

// newLife is the first execution of a run, which has done nothing yet.
func (h *Host) newLife(id string, asker ask.Asker, p params) *life {
	run := &Run{ID: id, Task: p.Task, Root: p.Root, Log: event.NewLog(id, h.Now)}
	run.Log.Guard(h.Secrets.document)
	return &life{host: h, run: run, asker: asker, params: p}
}
