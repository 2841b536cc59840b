package lsp

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"go.lsp.dev/protocol"

	"forge/api"
	"forge/engine"
	"forge/engine/event"
)

// quietWithin is how long a cancelled run may take to be quiet.
const quietWithin = time.Second

var (
	errNoEngine   = errors.New("this server was started without an engine, so it has no runs")
	errNotStarted = errors.New("the run could not be started")
)

// run answers forge.run: it freezes the folder, starts the run and acknowledges it.
func (f *front) run(ctx context.Context, a *api.RunArgs) (api.RunResult, error) {
	return f.launch(ctx, a.ClientRunID, a.Wait, func() (engine.Request, Folder, error) { return f.request(a) })
}

// launch starts the run that request makes, unless the client has started it already, and acknowledges it.
func (f *front) launch(ctx context.Context, clientID string, wait bool, request func() (engine.Request, Folder, error)) (api.RunResult, error) {
	if f.server.options.Engine == nil {
		return api.RunResult{}, errNoEngine
	}
	r, fresh := f.runs.reserve(clientID)
	if fresh {
		f.start(r, request)
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
		return f.waitFor(ctx, r)
	}
	return r.acknowledge(), nil
}

// start starts a reserved run, and follows it in a goroutine of the server.
func (f *front) start(r *run, demand func() (engine.Request, Folder, error)) {
	defer f.runs.settle(r)
	r.err = errNotStarted // stays only if what follows panics
	request, folder, err := demand()
	if err != nil {
		r.err = err
		return
	}
	request.Asker = f.asker()
	r.Run, err = f.server.options.Engine.Start(request)
	if r.err = answerable(err); r.err != nil {
		return
	}
	r.folder, r.about, r.only = folder, request.Focus, cmp.Or(r.Recipe, request.Recipe)
	if f.server.features().progress {
		r.token = "forge/" + r.ID
	}
	if finds(r.only) {
		f.board.clear(folder)
	}
	f.server.Go("run "+r.ID, func(ctx context.Context) { f.follow(ctx, r) })
}

// follow tells the client everything about a run, in order, until its end. If the session ends first
// the run is left, to be resumed, and followed until it is quiet.
func (f *front) follow(ctx context.Context, r *run) {
	defer close(r.ended)
	stop := context.AfterFunc(ctx, r.Leave)
	defer stop()
	deliver := context.WithoutCancel(ctx)
	meter := newMeter()
	if r.token != "" {
		f.server.Go("progress "+r.ID, func(ctx context.Context) { meter.show(ctx, f.client(), r.token, r.Task) })
	}
	defer meter.finish()
	f.server.Go("speech "+r.ID, func(ctx context.Context) { f.listen(ctx, r, meter) })
	for _, e := range r.Log.Since(0)[:r.Resumed] {
		meter.see(e.Data) // the client was told in an earlier life
	}
	for e := range r.Log.Follow(deliver, r.Resumed) {
		meter.see(e.Data)
		f.board.see(r, e.Data)
		f.sendEvent(deliver, e)
	}
	r.result, _ = r.Wait(deliver) // deliver does not end
	if r.only == recipeSpec || !r.reads() {
		f.specMoved() // the run keeps its specification, and what its reviewer said, when it ends
	}
	f.conclude(ctx, r)
}

// conclude puts the result of a run before the person.
func (f *front) conclude(ctx context.Context, r *run) {
	if r.result.Proposal == nil {
		f.explain(ctx, r)
		f.showReading(ctx, r)
		return
	}
	f.board.propose(r.folder, r.result)
	f.present(ctx, newReview(r.folder, r.result.Proposal))
}

// explain says why a run has nothing to propose. Rich clients show it themselves, and a person who
// cancelled knows.
func (f *front) explain(ctx context.Context, r *run) {
	if f.server.features().rich || r.result.Reason == "" || r.reads() || ctx.Err() != nil || r.result.State == event.Cancelled {
		return
	}
	f.tell(ctx, protocol.MessageTypeWarning, "Forge: "+oneLine(r.Task, 60)+": "+shorten(r.result.Reason, 400))
}

// waitFor keeps the request open until the run has ended. A request that is cancelled cancels the run.
func (f *front) waitFor(ctx context.Context, r *run) (api.RunResult, error) {
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
func (f *front) cancel(ctx context.Context, a *api.RunRef) (api.StateResult, error) {
	r, err := f.runs.find(a.RunID)
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
func (f *front) cancelProgress(_ context.Context, p *protocol.WorkDoneProgressCancelParams) {
	token, _ := p.Token.(protocol.String)
	for _, r := range f.runs.list() {
		if r.token != "" && r.token == string(token) {
			r.Cancel()
		}
	}
}

func (f *front) runInfos(want func(standing) bool) []api.RunInfo {
	infos := []api.RunInfo{}
	for _, r := range f.runs.list() {
		now := r.standing()
		if want(now) {
			info := api.RunInfo{
				RunID: r.ID, Task: r.Task, Recipe: now.way.Recipe, Mode: now.way.Mode, Profile: now.way.Profile, State: string(now.state), Reason: now.reason,
				Folder: string(r.folder.URI), ProposalID: now.proposal, Progress: api.ProgressOf(now.progress), Tokens: int(now.spent.Tokens), CachedTokens: now.spent.Usage.CacheRead,
				Batch: now.batch,
			}
			if now.spent.Tokens > 0 {
				cost := api.CostOf(now.spent.Cost)
				info.Cost = &cost
			}
			infos = append(infos, info)
		}
	}
	return infos
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

var _ Engine = (*engine.Engine)(nil)
