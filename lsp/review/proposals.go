// Package review takes a proposal to the client's files: it shows and previews it, applies the accepted parts through the client, verifies the
// result, and records it for undo.
//
//	Reviewer ─► applier ─► the client ─► what is really there ─► the engine's ledger
//	    └─► Board: findings and hunks as diagnostics
//
// Invariants:
//   - Applied in the client's answer proves nothing: the texts are compared afterwards.
//   - One edit at a time is on its way to the client, and it is noted before the client is asked.
//   - Nothing that the user typed is lost: what does not fit is a conflict.
package review

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"go.lsp.dev/uri"

	"forge/api"
	"forge/api/service"
	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/proposal"
	"forge/lsp/editor"
	"forge/lsp/transport"
)

// Review is a proposal on its way to consent.
type Review struct {
	ID     string
	stored bool // it was made in an earlier session, or in another window
	folder editor.Folder
	hints  atomic.Bool // its hunks are shown as hints with quick fixes
	aside  atomic.Bool // it was only returned: until it is shown or decided about, commands find it by its id alone

	keeping sync.Mutex // is held while decisions are kept, and while those of other windows are read
	kept    string     // the decisions that were kept or read last, encoded; guarded by keeping

	mu       sync.Mutex // guards what follows
	p        *proposal.Proposal
	checking *checking // the check of what was taken of it; nil if there is none
	recheck  *recheck  // the check that begins by itself when the user pauses; nil if there is none
	version  string    // what was, or is to be, judged of it; see versionOf
	awaited  int       // edits that the client called applied and has not shown; they are settled and recorded when they come
}

// NewReview returns a proposal about which nothing was decided.
func NewReview(folder editor.Folder, p *proposal.Proposal) *Review {
	return &Review{ID: p.ID, folder: folder, p: p, version: versionOf(p)}
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
	return r.p.Title, len(r.p.Accepted()) > 0
}

// reviews are the proposals of this session, oldest first.
type reviews struct {
	mu  sync.Mutex
	all []*Review // guarded by mu
}

func (rs *reviews) add(r *Review) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.all = slices.DeleteFunc(rs.all, func(other *Review) bool { return other.ID == r.ID }) // from before the run was resumed
	rs.all = append(rs.all, r)
}

// addStored adds a review of an earlier session as the oldest one, unless it is there, and returns the one that is there.
func (rs *reviews) addStored(r *Review) *Review {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if i := slices.IndexFunc(rs.all, func(other *Review) bool { return other.ID == r.ID }); i >= 0 {
		return rs.all[i]
	}
	rs.all = slices.Insert(rs.all, 0, r)
	return r
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
		if r.ID == id || id == "" && !r.aside.Load() {
			return r, true
		}
	}
	return nil, false
}

// Reviewer shows proposals and does what the user decides of them. It owns the proposals of the session, with their hints, and may call the
// client, the board and the applier.
type Reviewer struct {
	reviews *reviews
	shelf   *shelf
	gates   service.Gates // nil is none
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

// Commands are those of proposals.
func (rv *Reviewer) Commands() editor.Commands {
	return editor.Commands{
		api.ListProposals:   editor.Handler(rv.listProposals),
		api.ShowProposal:    editor.Handler(rv.showProposal),
		api.PreviewProposal: editor.Handler(rv.preview),
		api.ApplyProposal:   editor.Handler(rv.accept),
		api.AmendProposal:   editor.Handler(rv.amend),
		api.CheckProposal:   editor.Handler(rv.check),
	}
}

// accept answers forge.proposal.apply.
func (rv *Reviewer) accept(ctx context.Context, a *api.ProposalArgs) (api.ApplyResult, error) {
	r, err := rv.review(ctx, a.ProposalID)
	if err != nil {
		return api.ApplyResult{}, err
	}
	if err := rv.Idle(ctx, r.folder); err != nil { // what a killed process has half applied would pass for accepted
		return api.ApplyResult{}, err
	}
	r, ids, err := rv.chosen(ctx, r.ID, a.Select)
	if err != nil {
		return api.ApplyResult{}, err
	}
	confirm := confirmRisks
	if a.Reviewed {
		confirm = confirmControl
	}
	if r.view().Unverified != "" && !a.AllowUnverified {
		if confirm, err = rv.confirmUnverified(ctx, r); err != nil {
			return api.ApplyResult{}, err
		}
	}
	if everything(a.Select) {
		return rv.applier.applyAll(ctx, r, ids, way{confirm: confirm, answers: true})
	}
	return rv.applier.apply(ctx, r, ids, way{confirm: confirm, answers: true})
}

// chosen resolves which hunks of which proposal a command means.
func (rv *Reviewer) chosen(ctx context.Context, id string, s *api.Select) (*Review, []string, error) {
	r, err := rv.review(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	ids, err := rv.selection(r, s)
	return r, ids, err
}

// Present puts a proposal before the user.
func (rv *Reviewer) Present(ctx context.Context, r *Review) {
	rv.reviews.add(r)
	if ctx.Err() == nil {
		rv.offer(r.ID)
	}
}

// Offer adds a proposal, and shows it unless it is only to be returned.
func (rv *Reviewer) Offer(r *Review, only bool) api.Proposal {
	r.aside.Store(only)
	rv.reviews.add(r)
	if !only {
		rv.offer(r.ID)
	}
	return rv.wireProposal(r)
}

// Idle waits until no edit is on its way to the client, and settles those that killed processes left unsettled in a folder. It fails while the
// client asks the user about an edit.
func (rv *Reviewer) Idle(ctx context.Context, folder editor.Folder) error {
	release, err := rv.applier.take(ctx, folder)
	if err == nil {
		release()
	}
	return err
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
		rv.shelf.refresh(ctx, r)
		return r, nil
	}
	return rv.shelf.find(ctx, id)
}

// announced returns the run that has announced the proposal but not handed it over yet, or nil. With
// an empty id it is any such run.
func (rv *Reviewer) announced(id string) *editor.Run {
	for _, r := range rv.runs.List() {
		if editor.IsClosed(r.Ended) {
			continue
		}
		since := 0
		if _, here := rv.reviews.find(id); here {
			since = r.Resumed // the proposal of before the run was resumed is at hand
		}
		for _, e := range r.Log.Since(since) {
			if ready, ok := e.Data.(event.ProposalReady); ok && (id == "" || ready.ProposalID == id) {
				return r
			}
		}
	}
	return nil
}

// selection reads what a command selects: files by URI or path, hunks by id, lines of proposed texts. Its error is an answer.
func (rv *Reviewer) selection(r *Review, s *api.Select) (ids []string, err error) {
	if s == nil {
		s = &api.Select{}
	}
	picked := proposal.Selection{Hunks: s.Hunks}
	for _, name := range s.Files {
		picked.Files = append(picked.Files, relativeName(r.folder, name))
	}
	if len(s.Lines) == 0 || len(s.Files)+len(s.Hunks) > 0 {
		if ids, err = r.view().Select(picked); err != nil {
			return nil, transport.InvalidParams("%v", err)
		}
	}
	if len(s.Lines) == 0 {
		return ids, nil
	}
	lines, err := rv.linesSelected(r, s.Lines)
	return append(ids, lines...), err
}

// linesSelected returns the hunks of selected lines, after splitting those that are selected in part.
func (rv *Reviewer) linesSelected(r *Review, lines []api.Lines) (ids []string, err error) {
	now, err := textsOf(rv.folders, r.folder, r.view())
	if err != nil {
		return nil, err
	}
	r.change(func(p *proposal.Proposal) {
		for _, l := range lines {
			var some []string
			named := proposal.Lines{Path: relativeName(r.folder, l.Path), Start: l.Start, End: l.End, Digest: l.Digest}
			some, err = p.SelectLines(named, now.lookup)
			if err != nil {
				return
			}
			ids = append(ids, some...)
		}
	})
	if err != nil {
		return nil, transport.InvalidParams("%v", err)
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
func (rv *Reviewer) listProposals(ctx context.Context, a *api.ProposalsArgs) (api.ProposalList, error) {
	list := api.ProposalList{Proposals: []api.Proposal{}}
	if a.All {
		if err := rv.shelf.open(ctx, a.Folder); err != nil {
			return list, err
		}
	}
	in, err := rv.folders.Choose(a.Folder)
	if err != nil && a.Folder != "" {
		return list, err
	}
	for _, r := range rv.reviews.list() {
		if (a.Folder == "" || r.folder.Path == in.Path) && !r.aside.Load() && (!r.stored || a.All && r.view().Open()) {
			list.Proposals = append(list.Proposals, rv.wireProposal(r))
		}
	}
	return list, nil
}

// showProposal answers forge.proposal.get.
func (rv *Reviewer) showProposal(ctx context.Context, a *api.ProposalRef) (api.Proposal, error) {
	r, err := rv.review(ctx, a.ProposalID)
	if err != nil {
		return api.Proposal{}, err
	}
	return rv.wireProposal(r), nil
}

// StopSuite ends the background tests for the proposal of a run, or of the last run if no run is named: the proposal
// needs no further result.
func (rv *Reviewer) StopSuite(run string) {
	if r, err := rv.runs.Find(run); err == nil {
		r.StopSuite()
	}
}

// Reject rejects parts of a proposal: forge.proposal.reject without a retry.
func (rv *Reviewer) Reject(ctx context.Context, a *api.RejectArgs) (api.ApplyResult, error) {
	r, ids, err := rv.chosen(ctx, a.ProposalID, a.Select)
	if err != nil {
		return api.ApplyResult{}, err
	}
	r.change(func(p *proposal.Proposal) { p.Reject(ids, strings.TrimSpace(a.Note)) })
	rv.StopSuite(r.view().RunID)
	rv.applier.changed(ctx, r)
	return rv.applier.outcome(r, ids, nil), nil
}

// Rejections returns the folder and the run of a proposal, with the notes on what was rejected of it.
func (rv *Reviewer) Rejections(ctx context.Context, id string) (folder editor.Folder, run, notes string, err error) {
	r, err := rv.review(ctx, id)
	if err != nil {
		return editor.Folder{}, "", "", err
	}
	p := r.view()
	return r.folder, p.RunID, p.Rejections(), nil
}

// amend answers forge.proposal.amend.
func (rv *Reviewer) amend(ctx context.Context, a *api.AmendArgs) (api.Proposal, error) {
	r, err := rv.review(ctx, a.ProposalID)
	if err != nil {
		return api.Proposal{}, err
	}
	now, err := textsOf(rv.folders, r.folder, r.view())
	if err != nil {
		return api.Proposal{}, err
	}
	path := relativeName(r.folder, a.Path)
	r.change(func(p *proposal.Proposal) {
		if err = p.Shown(path, a.Digest, now.lookup); err == nil {
			err = p.Amend(path, now[path].Marked(a.Text), now.lookup)
		}
	})
	if err != nil {
		return api.Proposal{}, transport.InvalidParams("%v", err)
	}
	rv.StopSuite(r.view().RunID)
	rv.applier.changed(ctx, r)
	return rv.wireProposal(r), nil
}
