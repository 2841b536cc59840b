package lsp

import (
	"context"
	"slices"
	"sync"

	"forge/lsp/document"
	"forge/lsp/transport"

	"go.lsp.dev/uri"

	"forge/api"
	"forge/engine/event"
	"forge/engine/proposal"
)

// review is a proposal on its way to consent.
type review struct {
	id     string
	folder Folder

	mu    sync.Mutex
	p     *proposal.Proposal // guarded by mu
	hints bool               // its hunks are shown as hints with quick fixes; guarded by mu
}

func newReview(folder Folder, p *proposal.Proposal) *review {
	return &review{id: p.ID, folder: folder, p: p}
}

// view returns the proposal as it stands now; changes to it do not come back.
func (r *review) view() *proposal.Proposal {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.p.Clone()
}

// change changes the proposal; do must be quick.
func (r *review) change(do func(p *proposal.Proposal)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	do(r.p)
}

func (r *review) showHints(on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hints = on
}

func (r *review) hasHints() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.hints
}

// paths returns the paths the proposal touches, former ones of moved files included.
func paths(p *proposal.Proposal) []string {
	var all []string
	for _, file := range p.Files {
		all = append(all, file.Change.Path)
		if file.Change.From != "" {
			all = append(all, file.Change.From)
		}
	}
	return all
}

// reviews are the proposals of this session, oldest first.
type reviews struct {
	mu  sync.Mutex
	all []*review // guarded by mu
}

func newReviews() *reviews { return &reviews{} }

func (rs *reviews) add(r *review) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.all = slices.DeleteFunc(rs.all, func(other *review) bool { return other.id == r.id }) // of an earlier life of the run
	rs.all = append(rs.all, r)
}

// list returns all reviews, newest first.
func (rs *reviews) list() []*review {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	list := slices.Clone(rs.all)
	slices.Reverse(list)
	return list
}

func (rs *reviews) find(id string) (*review, bool) {
	for _, r := range rs.list() {
		if id == "" || r.id == id {
			return r, true
		}
	}
	return nil, false
}

// reviewer shows proposals and does what the user decides of them. It owns the proposals of the session, with their hints, and may call the
// client, the board and the applier.
type reviewer struct {
	reviews *reviews
	runs    *runs
	folders *folders
	placer  *placer
	board   *board
	applier *applier
	dialog  *dialog
	client  *transport.Client
	session *session
	work    *transport.Tasks
}

func (rv *reviewer) commands() commands {
	return commands{
		api.ListProposals:   handler(rv.listProposals),
		api.ShowProposal:    handler(rv.showProposal),
		api.PreviewProposal: handler(rv.preview),
		api.ApplyProposal:   handler(rv.accept),
		api.RejectProposal:  handler(rv.reject),
	}
}

// accept answers forge.proposal.apply.
func (rv *reviewer) accept(ctx context.Context, a *api.ProposalArgs) (api.ApplyResult, error) {
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
func (rv *reviewer) chosen(ctx context.Context, a *api.ProposalArgs) (*review, []string, error) {
	r, err := rv.review(ctx, a.ProposalID)
	if err != nil {
		return nil, nil, err
	}
	ids, err := rv.selection(r, a.Select)
	return r, ids, err
}

// present puts a proposal before the user.
func (rv *reviewer) present(ctx context.Context, r *review) {
	rv.reviews.add(r)
	if ctx.Err() == nil {
		rv.offer(r.id)
	}
}

// review finds a proposal by its id; an empty id is the last one. One that was announced by an event
// just now is waited for.
func (rv *reviewer) review(ctx context.Context, id string) (*review, error) {
	if r := rv.announced(id); r != nil {
		select {
		case <-r.ended:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if r, ok := rv.reviews.find(id); ok {
		return r, nil
	}
	var ids []string
	for _, r := range rv.reviews.list() {
		ids = append(ids, r.id)
	}
	if len(ids) == 0 {
		return nil, transport.InvalidParams("proposalId: there is no proposal in this session; forge.run makes one")
	}
	return nil, transport.InvalidParams("proposalId: there is no proposal %q in this session; want one of %s", id, enumerate(ids))
}

// announced returns the run that has announced the proposal but not handed it over yet, or nil. With
// an empty id it is any such run.
func (rv *reviewer) announced(id string) *run {
	for _, r := range rv.runs.list() {
		if isClosed(r.ended) {
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
func (rv *reviewer) selection(r *review, s *api.Select) ([]string, error) {
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
func relativeName(folder Folder, name string) string {
	if full, ok := document.FilePath(uri.URI(name)); ok {
		if rel, inside := relative(folder, full); inside {
			return rel
		}
	}
	return name
}

// listProposals answers forge.proposal.list.
func (rv *reviewer) listProposals(context.Context, *api.NoArgs) (api.ProposalList, error) {
	list := api.ProposalList{Proposals: []api.Proposal{}}
	for _, r := range rv.reviews.list() {
		list.Proposals = append(list.Proposals, rv.wireProposal(r))
	}
	return list, nil
}

// showProposal answers forge.proposal.get.
func (rv *reviewer) showProposal(ctx context.Context, a *api.ProposalArgs) (api.Proposal, error) {
	r, err := rv.review(ctx, a.ProposalID)
	if err != nil {
		return api.Proposal{}, err
	}
	return rv.wireProposal(r), nil
}

// reject answers forge.proposal.reject.
func (rv *reviewer) reject(ctx context.Context, a *api.ProposalArgs) (api.ApplyResult, error) {
	r, err := rv.review(ctx, a.ProposalID)
	if err != nil {
		return api.ApplyResult{}, err
	}
	ids, err := rv.selection(r, a.Select)
	if err != nil {
		return api.ApplyResult{}, err
	}
	r.change(func(p *proposal.Proposal) { p.Reject(ids) })
	rv.board.touchReview(r)
	return rv.applier.outcome(r, ids, nil, ""), nil
}
