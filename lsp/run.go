package lsp

import (
	"cmp"
	"context"
	"errors"
	"time"

	"go.lsp.dev/protocol"

	"forge/api"
	"forge/api/service"
	"forge/engine"
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
}

func (rn *runner) commands() editor.Commands {
	return editor.Commands{
		api.Run:          editor.Handler(rn.run),
		api.AskQuestion:  editor.Handler(rn.ask),
		api.ReviewCode:   editor.Handler(rn.reviewCode),
		api.GenerateSpec: editor.Handler(rn.generateSpec),
		api.Cancel:       editor.Handler(rn.cancel),
		api.Kill:         editor.Handler(rn.kill),
		api.Resume:       editor.Handler(rn.resume),
		api.ResumeTask:   editor.Handler(rn.resumeTask),
	}
}

// quietWithin is how long a cancelled run may take to be quiet.
const quietWithin = time.Second

var (
	errNotStarted = errors.New("the run could not be started")
)

// run answers forge.run: it freezes the folder, starts the run and acknowledges it.
func (rn *runner) run(ctx context.Context, a *api.RunArgs) (api.RunResult, error) {
	return rn.launch(ctx, a.ClientRunID, a.Wait, func() (engine.Request, editor.Folder, error) { return rn.requests.request(a) })
}

// launch starts the run that request makes, unless the client has started it already, and acknowledges it.
func (rn *runner) launch(ctx context.Context, clientID string, wait bool, request func() (engine.Request, editor.Folder, error)) (api.RunResult, error) {
	if rn.engine == nil {
		return api.RunResult{}, editor.ErrNoEngine
	}
	r, fresh := rn.runs.Reserve(clientID)
	if fresh {
		rn.start(r, request)
	}
	select {
	case <-r.Started:
	case <-ctx.Done():
		return api.RunResult{}, ctx.Err()
	}
	if r.Err != nil {
		return api.RunResult{}, r.Err
	}
	if wait {
		return rn.waitFor(ctx, r)
	}
	return r.Acknowledge(), nil
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
	r, err := rn.runs.Find(a.RunID)
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

// quiet ends what goes on after a run has ended, and waits for that.
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
	for _, r := range rn.runs.List() {
		if r.Token != "" && r.Token == string(token) {
			r.Cancel()
		}
		if r.Token != "" && suiteToken(r) == string(token) {
			r.StopSuite()
		}
	}
}
