package lsp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/protocol"

	"forge/api"
	"forge/api/service"
	"forge/engine"
	"forge/engine/event"
	"forge/engine/execution"
	"forge/lsp/editor"
	"forge/lsp/review"
	"forge/lsp/transport"
)

// runner starts, resumes and stops runs. It owns the runs of the session, and may call the engine, the questioner and the follower.
type runner struct {
	engine     service.Runner
	store      service.RunStore
	tasks      service.TaskStore
	runs       *editor.Runs
	questions  *questions
	questioner *questioner
	requests   *requests
	follower   *follower
	reviewer   *review.Reviewer
	board      *review.Board
	folders    *editor.Folders
	session    *editor.Session
	work       *transport.Tasks
	resuming   sync.Mutex // one run is resumed at a time: a second command to resume it must not forget the questions of the first
}

// quietWithin is how long a cancelled run may take to be quiet.
const quietWithin = time.Second

var (
	errNotStarted = errors.New("the run could not be started")
)

// run answers forge.run: it freezes the folder, starts the run and acknowledges it.
func (rn *runner) run(ctx context.Context, a *api.RunArgs) (api.RunResult, error) {
	return rn.launch(ctx, a.ClientRunID, a.Wait, func() (engine.Request, editor.Folder, error) { return rn.requests.request(ctx, a) })
}

// launch starts the run that request makes, unless the client has started it already, and acknowledges it.
func (rn *runner) launch(ctx context.Context, clientID string, wait bool, request func() (engine.Request, editor.Folder, error)) (api.RunResult, error) {
	if rn.engine == nil {
		return api.RunResult{}, editor.ErrNoEngine
	}
	if ctx.Err() != nil {
		return api.RunResult{}, ctx.Err()
	}
	r, fresh := rn.runs.Reserve(clientID)
	if fresh {
		rn.start(r, request)
	} else if err := wasStarted(ctx, r); err != nil {
		return api.RunResult{}, err
	}
	if !fresh && errors.Is(r.Err, context.Canceled) && ctx.Err() == nil { // the command that was starting it was cancelled, not this one
		return rn.launch(ctx, clientID, wait, request)
	}
	if r.Err != nil {
		return api.RunResult{}, r.Err
	}
	if fresh && ctx.Err() != nil { // the client cancelled the command while the run was being started
		r.Cancel()
		return api.RunResult{}, ctx.Err()
	}
	if wait {
		return rn.waitFor(ctx, r)
	}
	return r.Acknowledge(), nil
}

// wasStarted waits until another command has started the run, or could not.
func wasStarted(ctx context.Context, r *editor.Run) error {
	select {
	case <-r.Started:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// start starts a reserved run, and follows it in a goroutine of the server.
func (rn *runner) start(r *editor.Run, demand func() (engine.Request, editor.Folder, error)) {
	defer rn.runs.Settle(r)
	r.Err = errNotStarted // stays only if what follows panics
	request, folder, err := demand()
	if err != nil {
		r.Err = err
		return
	}
	if r.Err = rn.folders.Reach(folder); r.Err != nil {
		return
	}
	request.Asker = rn.questioner.asker()
	r.Run, err = rn.engine.Start(request)
	if r.Err = err; err != nil {
		return
	}
	r.Folder, r.About, r.Kind = folder, request.Focus, cmp.Or(r.Recipe, request.Recipe)
	if rn.session.Features().Progress {
		r.Token = "forge/" + r.ID
	}
	if finds(r.Kind) {
		rn.board.Clear(folder)
	}
	rn.work.Run("run "+r.ID, func(ctx context.Context) { rn.follower.follow(ctx, r) })
}

// waitFor keeps the request open until the run has ended. A request that is cancelled cancels the run.
func (rn *runner) waitFor(ctx context.Context, r *editor.Run) (api.RunResult, error) {
	select {
	case <-r.Ended:
		return r.Acknowledge(), nil
	case <-ctx.Done():
		r.Cancel()
		return api.RunResult{}, ctx.Err()
	}
}

// cancel answers forge.cancel, when the run is quiet.
func (rn *runner) cancel(ctx context.Context, a *api.RunRef) (api.StateResult, error) {
	r, err := rn.toCancel(ctx, a.RunID)
	if err != nil {
		return api.StateResult{}, err
	}
	r.Cancel()
	wait, done := context.WithTimeout(ctx, quietWithin)
	defer done()
	// The run's own state reports a timeout.
	_, _ = r.Wait(wait)
	rn.quiet(wait, r)
	return api.StateResult{RunID: r.ID, State: string(r.Standing().State)}, nil
}

// toCancel is the run of an id. Without an id it is the last one, which another command may be starting.
func (rn *runner) toCancel(ctx context.Context, id string) (*editor.Run, error) {
	last := rn.runs.Newest()
	if id != "" || last == nil {
		return rn.runs.Find(id)
	}
	if err := wasStarted(ctx, last); err != nil {
		return nil, err
	}
	return last, last.Err
}

// quiet ends the work that continues after a run has ended, and waits for it.
func (rn *runner) quiet(ctx context.Context, r *editor.Run) {
	select {
	case <-r.Ended:
	case <-ctx.Done():
		return
	}
	if r.StopSuite(); r.Result.Suite == nil {
		return
	}
	select {
	case <-r.Result.Suite.Done():
	case <-ctx.Done():
	}
}

// cancelProgress is the cancel button of a progress.
func (rn *runner) cancelProgress(_ context.Context, p *protocol.WorkDoneProgressCancelParams) {
	token, _ := p.Token.(protocol.String)
	rn.reviewer.CancelCheck(string(token))
	for _, r := range rn.runs.List() {
		if r.Token != "" && r.Token == string(token) {
			r.Cancel()
		}
		if r.Token != "" && suiteToken(r) == string(token) {
			r.StopSuite()
		}
	}
}

// foreignQuietWithin is how long a run of another process may take to be quiet: it looks for requests now and then.
const foreignQuietWithin = 5 * time.Second

// kill answers forge.kill: forge.cancel for the runs of this session, and the same for those of any other process.
func (rn *runner) kill(ctx context.Context, a *api.KillArgs) (api.StateResult, error) {
	if a.RunID == "" {
		return api.StateResult{}, transport.InvalidParams("Choose the run to stop. The list of runs shows those of a folder.")
	}
	if r, err := rn.runs.Find(a.RunID); err == nil && !editor.IsClosed(r.Ended) {
		return rn.cancel(ctx, &api.RunRef{RunID: a.RunID})
	}
	if rn.store == nil {
		return api.StateResult{}, editor.ErrNoEngine
	}
	return service.KillRun(ctx, rn.store, foreignQuietWithin, a)
}

// resume answers forge.resume: it resumes a run, of this session or of any other, and follows it like one that was
// started here.
func (rn *runner) resume(ctx context.Context, a *api.ResumeArgs) (api.RunResult, error) {
	if a.Offer && (a.Answer != "" || a.Limits != nil) {
		return api.RunResult{}, &api.ArgumentError{Field: "offer", Problem: "cannot be combined with answer or limits, because no step is repeated; leave out offer, or both"}
	}
	id, folder, err := rn.runToResume(ctx, a)
	if err != nil {
		return api.RunResult{}, err
	}
	if a.Offer {
		return rn.offerStored(ctx, id, folder)
	}
	r, err := rn.resumeIn(ctx, id, folder, a.Answer, service.RunLimits(a.Limits))
	if err != nil {
		return api.RunResult{}, err
	}
	if a.Wait {
		return rn.waitFor(ctx, r)
	}
	return r.Acknowledge(), nil
}

// runToResume is the run that is named, or else the newest of the folder that was interrupted.
func (rn *runner) runToResume(ctx context.Context, a *api.ResumeArgs) (string, editor.Folder, error) {
	if a.RunID != "" {
		return rn.storedRun(ctx, a.RunID)
	}
	if rn.engine == nil {
		return "", editor.Folder{}, editor.ErrNoEngine
	}
	folder, err := rn.folders.Choose(a.Folder)
	if err != nil {
		return "", editor.Folder{}, err
	}
	runs, err := rn.engine.Resumable(ctx, folder.Path)
	if err != nil {
		return "", editor.Folder{}, err
	}
	for _, run := range runs {
		if run.State == event.Interrupted {
			return run.ID, folder, nil
		}
	}
	return "", editor.Folder{}, transport.InvalidParams("No run of %s was interrupted. Choose one from the list of runs.", folder.URI)
}

// storedRun finds a run, and the open folder that it is of.
func (rn *runner) storedRun(ctx context.Context, id string) (string, editor.Folder, error) {
	if rn.store == nil {
		return "", editor.Folder{}, editor.ErrNoEngine
	}
	run, err := rn.store.Find(ctx, id)
	if err != nil {
		return "", editor.Folder{}, err
	}
	if folder, open := rn.folders.At(run.Root); open {
		return id, folder, nil
	}
	return "", editor.Folder{}, transport.InvalidParams("Run %s works on %s, which is not open. Open that folder, and resume the run there.", id, run.Root)
}

// resumeIn resumes a run, and follows it in a goroutine of the server.
func (rn *runner) resumeIn(ctx context.Context, id string, folder editor.Folder, reply string, raised execution.Limits) (*editor.Run, error) {
	if err := rn.requests.settings.await(ctx); err != nil {
		return nil, err
	}
	rn.resuming.Lock()
	defer rn.resuming.Unlock()
	if r, err := rn.runs.Find(id); err != nil || editor.IsClosed(r.Ended) {
		rn.questions.forget(id)
	}
	given := &given{Reply: service.Reply{Text: strings.TrimSpace(reply)}}
	if given.Text != "" && rn.store != nil {
		given.Seen, _ = rn.store.Events(ctx, id, 0) // of an unknown run, Resume says more
	}
	resumed, err := rn.engine.Resume(ctx, id, given.before(rn.questioner.asker()), raised)
	if err != nil {
		return nil, err
	}
	r := rn.runs.Adopt(resumed, folder)
	if rn.session.Features().Progress {
		r.Token = fmt.Sprintf("forge/%s/%d", r.ID, r.Resumed) // a new one each time the run is resumed
	}
	close(r.Started)
	rn.board.Clear(folder)
	rn.work.Run("run "+r.ID, func(ctx context.Context) {
		rn.follower.follow(ctx, r)
		if note := given.unused(); note != "" && ctx.Err() == nil {
			rn.follower.dialog.Notify(ctx, protocol.MessageTypeWarning, note)
		}
	})
	return r, nil
}

// retry answers forge.retry: it starts a run with the request of another one, of this session or of any other.
func (rn *runner) retry(ctx context.Context, a *api.RetryArgs) (api.RunResult, error) {
	return rn.launch(ctx, a.ClientRunID, a.Wait, func() (engine.Request, editor.Folder, error) {
		id := a.RunID
		if id == "" {
			last, err := rn.runs.Find("")
			if err != nil {
				return engine.Request{}, editor.Folder{}, err
			}
			id = last.ID
		}
		id, folder, err := rn.storedRun(ctx, id)
		if err != nil {
			return engine.Request{}, folder, err
		}
		request, err := rn.engine.Again(ctx, id, "", rn.folders.Freeze(folder))
		if err == nil {
			request.Focus, err = rn.requests.within(folder, request.Focus)
		}
		if err == nil {
			err = rn.requests.settings.await(ctx)
		}
		return request, folder, err
	})
}

// reject answers forge.proposal.reject. With retry it starts a run of the same task, which is given the notes on what was rejected.
func (rn *runner) reject(ctx context.Context, a *api.RejectArgs) (api.ApplyResult, error) {
	result, err := rn.reviewer.Reject(ctx, a)
	if err != nil || !a.Retry {
		return result, err
	}
	again, err := rn.launch(ctx, "", false, func() (engine.Request, editor.Folder, error) {
		folder, run, notes, err := rn.reviewer.Rejections(ctx, result.ProposalID)
		if err != nil {
			return engine.Request{}, folder, err
		}
		request, err := rn.engine.Again(ctx, run, notes, rn.folders.Freeze(folder))
		if err == nil {
			err = rn.requests.settings.await(ctx)
		}
		return request, folder, err
	})
	if err != nil {
		return result, err
	}
	result.Run = &again
	return result, nil
}

// resumeTask answers forge.task.resume.
func (rn *runner) resumeTask(ctx context.Context, a *api.TaskResumeArgs) (api.TaskResumed, error) {
	if rn.tasks == nil {
		return api.TaskResumed{}, editor.ErrNoEngine
	}
	folder, err := rn.folders.Choose(a.Folder)
	if err != nil {
		return api.TaskResumed{}, err
	}
	task, id, err := service.ResumeTask(ctx, rn.tasks, rn.folders.Served(folder), a)
	if err != nil {
		return api.TaskResumed{}, err
	}
	result := api.TaskResumed{Task: task}
	if id != "" {
		var run api.RunResult
		run, err = rn.resume(ctx, &api.ResumeArgs{RunID: id, Wait: a.Wait})
		result.Run = &run
	}
	return result, err
}

// offerStored offers the change of a run that has ended, without doing anything of the run again.
func (rn *runner) offerStored(ctx context.Context, id string, folder editor.Folder) (api.RunResult, error) {
	p, _, err := rn.engine.Offered(ctx, id)
	if err != nil {
		return api.RunResult{}, err
	}
	run, err := rn.store.Find(ctx, id)
	if err != nil {
		return api.RunResult{}, err
	}
	rn.reviewer.Present(ctx, review.NewReview(folder, p))
	return api.RunResult{RunID: id, Folder: string(folder.URI), State: string(run.State), Reason: run.Reason, ProposalID: p.ID}, nil
}
