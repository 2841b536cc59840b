package review

import (
	"context"
	"slices"
	"strings"
	"sync"

	"go.lsp.dev/uri"

	"forge/api"
	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/proposal"
	"forge/lsp/editor"
	"forge/lsp/transport"
	"forge/patch"
)

// Review is a proposal on its way to consent.
type Review struct {
	ID     string
	folder editor.Folder

	mu    sync.Mutex
	p     *proposal.Proposal // guarded by mu
	hints bool               // its hunks are shown as hints with quick fixes; guarded by mu
}

// NewReview returns a proposal about which nothing was decided.
func NewReview(folder editor.Folder, p *proposal.Proposal) *Review {
	return &Review{ID: p.ID, folder: folder, p: p}
}

// view returns the proposal as it stands now; changes to it do not come back.
func (r *Review) view() *proposal.Proposal {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.p.Clone()
}

// change changes the proposal; do must be quick.
func (r *Review) change(do func(p *proposal.Proposal)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	do(r.p)
}

// Add adds reports to the checks of the proposal, and returns its title and whether the user has accepted a part of it.
func (r *Review) Add(reports []gate.Report) (title string, accepted bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.p.Gates = append(slices.Clip(r.p.Gates), reports...)
	return r.p.Title, len(acceptedHunks(r.p)) > 0
}

func (r *Review) showHints(on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hints = on
}

func (r *Review) hasHints() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.hints
}

// reviews are the proposals of this session, oldest first.
type reviews struct {
	mu  sync.Mutex
	all []*Review // guarded by mu
}

func newReviews() *reviews { return &reviews{} }

func (rs *reviews) add(r *Review) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.all = slices.DeleteFunc(rs.all, func(other *Review) bool { return other.ID == r.ID }) // from before the run was resumed
	rs.all = append(rs.all, r)
}

// list returns all reviews, newest first.
func (rs *reviews) list() []*Review {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	list := slices.Clone(rs.all)
	slices.Reverse(list)
	return list
}

func (rs *reviews) find(id string) (*Review, bool) {
	for _, r := range rs.list() {
		if id == "" || r.ID == id {
			return r, true
		}
	}
	return nil, false
}

// Reviewer shows proposals and does what the user decides of them. It owns the proposals of the session, with their hints, and may call the
// client, the board and the applier.
type Reviewer struct {
	reviews *reviews
	runs    *editor.Runs
	folders *editor.Folders
	placer  *Placer
	board   *Board
	applier *applier
	dialog  *editor.Dialog
	client  *transport.Client
	session *editor.Session
	work    *transport.Tasks
}

func (rv *Reviewer) commands() editor.Commands {
	return editor.Commands{
		api.ListProposals:   editor.Handler(rv.listProposals),
		api.ShowProposal:    editor.Handler(rv.showProposal),
		api.PreviewProposal: editor.Handler(rv.preview),
		api.ApplyProposal:   editor.Handler(rv.accept),
		api.RejectProposal:  editor.Handler(rv.reject),
	}
}

// accept answers forge.proposal.apply.
func (rv *Reviewer) accept(ctx context.Context, a *api.ProposalArgs) (api.ApplyResult, error) {
	r, ids, err := rv.chosen(ctx, a)
	if err != nil {
		return api.ApplyResult{}, err
	}
	confirm := false
	if r.view().Unverified != "" && !a.AllowUnverified {
		if confirm, err = rv.confirmUnverified(ctx, r); err != nil {
			return api.ApplyResult{}, err
		}
	}
	if everything(a.Select) {
		return rv.applier.applyAll(ctx, r, ids, confirm)
	}
	return rv.applier.apply(ctx, r, ids, confirm)
}

// chosen resolves which hunks of which proposal a command means.
func (rv *Reviewer) chosen(ctx context.Context, a *api.ProposalArgs) (*Review, []string, error) {
	r, err := rv.review(ctx, a.ProposalID)
	if err != nil {
		return nil, nil, err
	}
	ids, err := rv.selection(r, a.Select)
	return r, ids, err
}

// Present puts a proposal before the user.
func (rv *Reviewer) Present(ctx context.Context, r *Review) {
	rv.reviews.add(r)
	if ctx.Err() == nil {
		rv.offer(r.ID)
	}
}

// review finds a proposal by its id; an empty id is the last one. One that was announced by an event
// just now is waited for.
func (rv *Reviewer) review(ctx context.Context, id string) (*Review, error) {
	if r := rv.announced(id); r != nil {
		select {
		case <-r.Ended:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if r, ok := rv.reviews.find(id); ok {
		return r, nil
	}
	var ids []string
	for _, r := range rv.reviews.list() {
		ids = append(ids, r.ID)
	}
	if len(ids) == 0 {
		return nil, transport.InvalidParams("proposalId: there is no proposal in this session; forge.run makes one")
	}
	return nil, transport.InvalidParams("proposalId: there is no proposal %q in this session; want one of %s", id, strings.Join(ids, ", "))
}

// announced returns the run that has announced the proposal but not handed it over yet, or nil. With
// an empty id it is any such run.
func (rv *Reviewer) announced(id string) *editor.Run {
	for _, r := range rv.runs.List() {
		if editor.IsClosed(r.Ended) {
			continue
		}
		for _, e := range r.Log.Since(0) {
			if ready, ok := e.Data.(event.ProposalReady); ok && (id == "" || ready.ProposalID == id) {
				return r
			}
		}
	}
	return nil
}

// selection reads what a command selects: files by URI or path, hunks by id. Its error is an answer.
func (rv *Reviewer) selection(r *Review, s *api.Select) ([]string, error) {
	var picked proposal.Selection
	if s != nil {
		picked.Hunks = s.Hunks
		for _, name := range s.Files {
			picked.Files = append(picked.Files, relativeName(r.folder, name))
		}
	}
	ids, err := r.view().Select(picked)
	if err != nil {
		return nil, transport.InvalidParams("select: %v", err)
	}
	return ids, nil
}

// relativeName turns a URI into a path of the folder, and leaves a path as it is.
func relativeName(folder editor.Folder, name string) string {
	if full, ok := editor.FilePath(uri.URI(name)); ok {
		if rel, inside := editor.Relative(folder, full); inside {
			return rel
		}
	}
	return name
}

// listProposals answers forge.proposal.list.
func (rv *Reviewer) listProposals(context.Context, *api.NoArgs) (api.ProposalList, error) {
	list := api.ProposalList{Proposals: []api.Proposal{}}
	for _, r := range rv.reviews.list() {
		list.Proposals = append(list.Proposals, rv.wireProposal(r))
	}
	return list, nil
}

// showProposal answers forge.proposal.get.
func (rv *Reviewer) showProposal(ctx context.Context, a *api.ProposalArgs) (api.Proposal, error) {
	r, err := rv.review(ctx, a.ProposalID)
	if err != nil {
		return api.Proposal{}, err
	}
	return rv.wireProposal(r), nil
}

// stopSuite ends the background tests for the proposal of a run, or of the last run if no run is named: the proposal
// needs no further result.
func (rv *Reviewer) stopSuite(run string) {
	if r, err := rv.runs.Find(run); err == nil {
		r.StopSuite()
	}
}

// reject answers forge.proposal.reject.
func (rv *Reviewer) reject(ctx context.Context, a *api.ProposalArgs) (api.ApplyResult, error) {
	r, err := rv.review(ctx, a.ProposalID)
	if err != nil {
		return api.ApplyResult{}, err
	}
	ids, err := rv.selection(r, a.Select)
	if err != nil {
		return api.ApplyResult{}, err
	}
	r.change(func(p *proposal.Proposal) { p.Reject(ids) })
	rv.stopSuite(r.view().RunID)
	rv.board.touchReview(r)
	return rv.applier.outcome(r, ids, nil, ""), nil
}

// levelName is a rung of the match ladder as the wire knows it: "trailing-space".
func levelName(l patch.Level) string { return strings.ReplaceAll(l.String(), " ", "-") }

// wireProposal is a review as commands return it.
func (rv *Reviewer) wireProposal(r *Review) api.Proposal {
	p := r.view()
	wire := api.Proposal{
		ProposalID: p.ID, RunID: p.RunID, Title: p.Title, State: "closed",
		Files: []api.ProposalFile{}, Gates: []api.Gate{}, Diff: p.Unified(), Unverified: p.Unverified,
	}
	if p.Open() {
		wire.State = "open"
	}
	for _, file := range p.Files {
		wire.Files = append(wire.Files, rv.wireFile(r.folder, file))
	}
	for _, report := range p.Gates {
		wire.Gates = append(wire.Gates, api.GateOf(report))
	}
	return wire
}

func (rv *Reviewer) wireFile(folder editor.Folder, file proposal.File) api.ProposalFile {
	wire := api.ProposalFile{
		URI:  string(rv.folders.URIOf(folder, file.Change.Path)),
		Path: file.Change.Path, Kind: api.KindNames[file.Change.Kind], Hunks: []api.Hunk{},
	}
	index := editor.NewLines(file.Change.Before, rv.folders.Docs.Unit)
	for _, h := range file.Hunks {
		wire.Hunks = append(wire.Hunks, api.Hunk{
			ID: h.ID, Range: *editor.WireRange(index.Span(h.Edit.Start, h.Edit.End)), NewText: h.Edit.New,
			Level: levelName(h.Level), Risk: string(h.Risk), State: string(h.State),
		})
	}
	return wire
}
