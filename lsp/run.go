package lsp

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"forge/lsp/transport"

	"go.lsp.dev/protocol"

	"forge/api"
	"forge/api/service"
	"forge/engine"
)

// runner starts, resumes and stops runs. It owns the runs of the session, and may call the engine, the questioner and the follower.
type runner struct {
	engine     Runner
	store      service.RunStore
	tasks      service.TaskStore
	runs       *runs
	questions  *questions
	questioner *questioner
	requests   *requests
	follower   *follower
	reviewer   *reviewer
	board      *board
	folders    *folders
	session    *session
	work       *transport.Tasks
}

func (rn *runner) commands() commands {
	return commands{
		api.Run:          handler(rn.run),
		api.AskQuestion:  handler(rn.ask),
		api.ReviewCode:   handler(rn.reviewCode),
		api.GenerateSpec: handler(rn.generateSpec),
		api.Cancel:       handler(rn.cancel),
		api.Kill:         handler(rn.kill),
		api.Resume:       handler(rn.resume),
		api.ResumeTask:   handler(rn.resumeTask),
	}
}

// quietWithin is how long a cancelled run may take to be quiet.
const quietWithin = time.Second

var (
	errNoEngine   = errors.New("this server was started without an engine, so it has no runs")
	errNotStarted = errors.New("the run could not be started")
)

// run answers forge.run: it freezes the folder, starts the run and acknowledges it.
func (rn *runner) run(ctx context.Context, a *api.RunArgs) (api.RunResult, error) {
	return rn.launch(ctx, a.ClientRunID, a.Wait, func() (engine.Request, Folder, error) { return rn.requests.request(a) })
}

// launch starts the run that request makes, unless the client has started it already, and acknowledges it.
func (rn *runner) launch(ctx context.Context, clientID string, wait bool, request func() (engine.Request, Folder, error)) (api.RunResult, error) {
	if rn.engine == nil {
		return api.RunResult{}, errNoEngine
	}
	r, fresh := rn.runs.reserve(clientID)
	if fresh {
		rn.start(r, request)
	}
	select {
	case <-r.started:
	case <-ctx.Done():
		return api.RunResult{}, ctx.Err()
	}
	if r.err != nil {
		return api.RunResult{}, r.err
	}
	if wait {
		return rn.waitFor(ctx, r)
	}
	return r.acknowledge(), nil
}

// start starts a reserved run, and follows it in a goroutine of the server.
func (rn *runner) start(r *run, demand func() (engine.Request, Folder, error)) {
	defer rn.runs.settle(r)
	r.err = errNotStarted // stays only if what follows panics
	request, folder, err := demand()
	if err != nil {
		r.err = err
		return
	}
	request.Asker = rn.questioner.asker()
	r.Run, err = rn.engine.Start(request)
	if r.err = err; err != nil {
		return
	}
	r.folder, r.about, r.only = folder, request.Focus, cmp.Or(r.Recipe, request.Recipe)
	if rn.session.features().progress {
		r.token = "forge/" + r.ID
	}
	if finds(r.only) {
		rn.board.clear(folder)
	}
	rn.work.Run("run "+r.ID, func(ctx context.Context) { rn.follower.follow(ctx, r) })
}

// waitFor keeps the request open until the run has ended. A request that is cancelled cancels the run.
func (rn *runner) waitFor(ctx context.Context, r *run) (api.RunResult, error) {
	select {
	case <-r.ended:
		return r.acknowledge(), nil
	case <-ctx.Done():
		r.Cancel()
		return api.RunResult{}, ctx.Err()
	}
}

func (r *run) acknowledge() api.RunResult {
	now := r.standing()
	result := api.RunResult{
		RunID: r.ID, ProgressToken: r.token, Folder: string(r.folder.URI), State: string(now.state), Reason: now.reason,
	}
	if !isClosed(r.ended) {
		return result
	}
	if r.result.Proposal != nil {
		result.ProposalID = r.result.Proposal.ID
	}
	if r.result.Review != nil {
		review := api.GateOf(*r.result.Review)
		result.Review = &review
	}
	result.Answer, result.SpecVersion = r.result.Answer, now.spec
	return result
}

// cancel answers forge.cancel, when the run is quiet.
func (rn *runner) cancel(ctx context.Context, a *api.RunRef) (api.StateResult, error) {
	r, err := rn.runs.find(a.RunID)
	if err != nil {
		return api.StateResult{}, err
	}
	r.Cancel()
	wait, done := context.WithTimeout(ctx, quietWithin)
	defer done()
	// Late is told by the state, which is the run's own.
	_, _ = r.Wait(wait)
	return api.StateResult{RunID: r.ID, State: string(r.standing().state)}, nil
}

// cancelProgress is the cancel button of a progress.
func (rn *runner) cancelProgress(_ context.Context, p *protocol.WorkDoneProgressCancelParams) {
	token, _ := p.Token.(protocol.String)
	for _, r := range rn.runs.list() {
		if r.token != "" && r.token == string(token) {
			r.Cancel()
		}
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// enumerate lists names for a message.
func enumerate(names []string) string { return strings.Join(names, ", ") }
