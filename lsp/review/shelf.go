package review

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"forge/engine/execution"
	"forge/engine/history"
	"forge/engine/proposal"
	"forge/lsp/editor"
	"forge/lsp/transport"
)

// Offers are the proposals of stored runs, of any session and process, with what the user has decided about them.
type Offers interface {
	// Offers lists the runs of a folder with a proposal about which the user may want to decide, newest first.
	Offers(ctx context.Context, root string) ([]history.Run, error)
	// Offered returns the proposal of an ended run as the run made it, and its folder.
	Offered(ctx context.Context, run string) (*proposal.Proposal, string, error)
	Decided(ctx context.Context, run string) (proposal.Decisions, error)
	KeepDecided(ctx context.Context, run string, d proposal.Decisions) error
}

// shelf has the proposals that this session has not made, and keeps what the user decides. It owns nothing, reads the folders, and never
// calls the client.
type shelf struct {
	offers  Offers // nil is none
	reviews *reviews
	folders *editor.Folders
	log     *slog.Logger
}

// open adds the open proposals of the folder that is named, or else of all that are open, to those of the session.
func (s *shelf) open(ctx context.Context, named string) error {
	if s.offers == nil {
		return nil
	}
	folders := editor.OnDisk(s.folders.Current())
	if named != "" {
		folder, err := s.folders.Choose(named)
		if err != nil {
			return err
		}
		folders = []editor.Folder{folder}
	}
	for _, folder := range folders {
		runs, err := s.offers.Offers(ctx, folder.Path)
		if err != nil {
			return err
		}
		for _, run := range runs {
			s.openRun(ctx, folder, run.ID)
		}
	}
	return nil
}

// openRun adds the proposal of a run to those of the session, if it is open. One that cannot be read is left out: the command that names
// it reports why.
func (s *shelf) openRun(ctx context.Context, folder editor.Folder, run string) {
	if r, known := s.reviews.find(proposal.IDOf(run)); known {
		s.refresh(ctx, r)
		return
	}
	d, err := s.offers.Decided(ctx, run)
	if err == nil && closed(d) {
		return
	}
	p, _, err := s.offers.Offered(ctx, run)
	if err != nil {
		s.log.Warn("a stored proposal is left out", "run", run, "why", err)
		return
	}
	if r := s.restored(folder, p, d); r.view().Open() {
		s.reviews.addStored(r)
	}
}

// closed reports whether all of a proposal was decided.
func closed(d proposal.Decisions) bool {
	undecided := func(h proposal.DecidedHunk) bool { return h.State != proposal.Accepted && h.State != proposal.Rejected }
	return len(d.Files) > 0 && !slices.ContainsFunc(d.Files, func(f proposal.DecidedFile) bool { return slices.ContainsFunc(f.Hunks, undecided) })
}

// restored is a stored proposal with what was decided about it, as far as the texts still show it.
func (s *shelf) restored(folder editor.Folder, p *proposal.Proposal, d proposal.Decisions) *Review {
	r := NewReview(folder, p)
	r.stored = true
	s.decide(r, d)
	return r
}

// decide puts decisions into a proposal, and settles it by the texts as they are. The caller holds r.keeping, or nothing else has r yet.
func (s *shelf) decide(r *Review, d proposal.Decisions) {
	r.change(func(p *proposal.Proposal) { p.Decide(d) })
	s.settle(r)
	r.kept = encodedDecisions(d)
}

// settle sets what is accepted by the texts as they are: an editor that starts again opens its unsaved texts one by one.
func (s *shelf) settle(r *Review) {
	now, err := textsOf(s.folders, r.folder, r.view())
	if err != nil {
		s.log.Warn("a stored proposal is shown as it was left", "proposal", r.ID, "why", err)
		return
	}
	r.change(func(p *proposal.Proposal) {
		for path, text := range now {
			p.Settle(path, plain(text))
		}
	})
}

// find loads a stored proposal; an empty id is the newest open one. Its error is an answer.
func (s *shelf) find(ctx context.Context, id string) (*Review, error) {
	if s.offers == nil || id == "" {
		return s.newest(ctx)
	}
	run := proposal.RunOf(id)
	p, root, err := s.offers.Offered(ctx, run)
	switch {
	case errors.Is(err, history.ErrNoRun), errors.Is(err, execution.ErrNothingOffered):
		return nil, transport.InvalidParams("This proposal does not exist any more. The list of runs shows what there is.")
	case err != nil:
		return nil, err
	}
	folder, open := s.folders.At(root)
	if !open {
		return nil, transport.InvalidParams("This proposal is for the folder %s. Open that folder to see it.", root)
	}
	d, err := s.offers.Decided(ctx, run)
	if err != nil {
		return nil, err
	}
	return s.reviews.addStored(s.restored(folder, p, d)), nil
}

func (s *shelf) newest(ctx context.Context) (*Review, error) {
	if err := s.open(ctx, ""); err != nil {
		return nil, err
	}
	for _, r := range s.reviews.list() {
		if r.view().Open() && !r.aside.Load() {
			return r, nil
		}
	}
	return nil, transport.InvalidParams("There is no proposal yet. Start a run: it ends with one.")
}

// refresh takes over what was decided about a proposal in another window since, and what the texts show: an undo is a separate proposal.
func (s *shelf) refresh(ctx context.Context, r *Review) {
	if r.isAwaiting() {
		return // what comes is recorded before anything is settled
	}
	r.keeping.Lock()
	defer r.keeping.Unlock()
	if s.offers != nil {
		d, err := s.offers.Decided(ctx, r.view().RunID)
		if err == nil && len(d.Files) > 0 && encodedDecisions(d) != r.kept {
			s.decide(r, d)
			return
		}
	}
	s.settle(r)
}

// keep keeps what was decided about the proposal of a stored run; the others end with the session.
func (s *shelf) keep(ctx context.Context, r *Review) {
	if s.offers == nil {
		return
	}
	r.keeping.Lock()
	defer r.keeping.Unlock()
	p := r.view()
	d := p.Decisions()
	err := s.offers.KeepDecided(context.WithoutCancel(ctx), p.RunID, d)
	switch {
	case err == nil:
		r.kept = encodedDecisions(d)
	case !errors.Is(err, history.ErrNoRun):
		s.log.Warn("what was decided about a proposal ends with this session", "proposal", r.ID, "why", err)
	}
}

func encodedDecisions(d proposal.Decisions) string {
	text, err := json.Marshal(d)
	if err != nil {
		return fmt.Sprint(err)
	}
	return string(text)
}
