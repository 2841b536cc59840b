package lsp

import (
	"context"
	"slices"
	"sync"

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

// review finds a proposal by its id; an empty id is the last one. One that was announced by an event
// just now is waited for.
func (f *front) review(ctx context.Context, id string) (*review, error) {
	if r := f.announced(id); r != nil {
		select {
		case <-r.ended:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if r, ok := f.reviews.find(id); ok {
		return r, nil
	}
	var ids []string
	for _, r := range f.reviews.list() {
		ids = append(ids, r.id)
	}
	if len(ids) == 0 {
		return nil, invalidParams("proposalId: there is no proposal in this session; forge.run makes one")
	}
	return nil, invalidParams("proposalId: there is no proposal %q in this session; want one of %s", id, enumerate(ids))
}

// announced returns the run that has announced the proposal but not handed it over yet, or nil. With
// an empty id it is any such run.
func (f *front) announced(id string) *run {
	for _, r := range f.runs.list() {
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
func (f *front) selection(r *review, s *api.Select) ([]string, error) {
	var picked proposal.Selection
	if s != nil {
		picked.Hunks = s.Hunks
		for _, name := range s.Files {
			picked.Files = append(picked.Files, relativeName(r.folder, name))
		}
	}
	ids, err := r.view().Select(picked)
	if err != nil {
		return nil, invalidParams("select: %v", err)
	}
	return ids, nil
}

// relativeName turns a URI into a path of the folder, and leaves a path as it is.
func relativeName(folder Folder, name string) string {
	if full, ok := filePath(uri.URI(name)); ok {
		if rel, inside := relative(folder, full); inside {
			return rel
		}
	}
	return name
}

// listProposals answers forge.proposal.list.
func (f *front) listProposals(context.Context, *api.NoArgs) (api.ProposalList, error) {
	list := api.ProposalList{Proposals: []api.Proposal{}}
	for _, r := range f.reviews.list() {
		list.Proposals = append(list.Proposals, f.wireProposal(r))
	}
	return list, nil
}

// showProposal answers forge.proposal.get.
func (f *front) showProposal(ctx context.Context, a *api.ProposalArgs) (api.Proposal, error) {
	r, err := f.review(ctx, a.ProposalID)
	if err != nil {
		return api.Proposal{}, err
	}
	return f.wireProposal(r), nil
}

// reject answers forge.proposal.reject.
func (f *front) reject(ctx context.Context, a *api.ProposalArgs) (api.ApplyResult, error) {
	r, err := f.review(ctx, a.ProposalID)
	if err != nil {
		return api.ApplyResult{}, err
	}
	ids, err := f.selection(r, a.Select)
	if err != nil {
		return api.ApplyResult{}, err
	}
	r.change(func(p *proposal.Proposal) { p.Reject(ids) })
	f.board.touchReview(r)
	return f.outcome(r, ids, nil, ""), nil
}
