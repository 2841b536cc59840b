package review

import (
	"context"
	"errors"
	"time"

	"go.lsp.dev/protocol"

	"forge/api"
	"forge/api/service"
	"forge/engine/proposal"
	"forge/internal/inert"
)

// quietFor is how long the user decides and changes nothing more before what they take is checked.
const quietFor = time.Second

// recheck is a check that was not asked for.
type recheck struct{ cancel context.CancelFunc }

// versionOf identifies what gates are to judge of a proposal beyond what its run had judged: the part of it that is accepted, or the user's own
// version of it. It is empty if there is no such thing.
func versionOf(p *proposal.Proposal) string {
	switch of, _ := p.Checked(); {
	case of == proposal.Amended && (p.Open() || len(p.Accepted()) > 0):
		return p.Taken(true)
	case of == proposal.Part && len(p.Accepted()) > 0 && len(p.Gates) > 0:
		return p.Taken(false)
	}
	return ""
}

// recheck starts a check of the part or version of a proposal that the user has accepted, once they pause, if it has changed. It cancels an
// earlier such check.
func (rv *Reviewer) recheck(r *Review) {
	p := r.view()
	if !r.takeVersion(versionOf(p)) {
		return
	}
	r.replaceRecheck(nil)
	if _, reports := p.Checked(); rv.gates == nil || versionOf(p) == "" || len(reports) > 0 {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	mine := &recheck{cancel}
	r.replaceRecheck(mine)
	rv.work.Run("check of a version of "+r.ID, func(session context.Context) {
		stop := context.AfterFunc(session, cancel)
		defer stop()
		defer cancel()
		err := rv.checkQuietly(ctx, r)
		if !r.dropRecheck(mine) || session.Err() != nil {
			return // a later version, or a check on request, is reported instead
		}
		rv.applier.changed(session, r)
		rv.reportVersion(session, r, err)
	})
}

// takeVersion records the version that the user accepts, and reports whether it has changed.
func (r *Review) takeVersion(version string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.version
	r.version = version
	return version != before
}

// checkQuietly waits for a pause, and for the end of another check, and runs the gates.
func (rv *Reviewer) checkQuietly(ctx context.Context, r *Review) error {
	pause := time.NewTimer(quietFor)
	defer pause.Stop()
	select {
	case <-pause.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	mine := &checking{cancel: cancel, ended: make(chan struct{}), byItself: true}
	for other := r.beginChecking(mine); other != nil; other = r.beginChecking(mine) {
		select {
		case <-other.ended:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	defer r.endChecking(mine)
	of, _ := r.view().Checked()
	return rv.try(ctx, r, of == proposal.Amended)
}

// replaceRecheck makes a check the next one, and ends the previous one.
func (r *Review) replaceRecheck(c *recheck) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.recheck != nil {
		r.recheck.cancel()
	}
	r.recheck = c
}

// dropRecheck ends the time of a check; false if another one has replaced it.
func (r *Review) dropRecheck(c *recheck) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.recheck != c {
		return false
	}
	r.recheck = nil
	return true
}

// reportVersion reports the end of a check that was not asked for. Rich clients show what it says themselves.
func (rv *Reviewer) reportVersion(ctx context.Context, r *Review, err error) {
	rich, cancelled := rv.session.Features().Rich, errors.Is(err, context.Canceled)
	if rich {
		if err := rv.client.Notify(ctx, api.ProposalMethod, api.ProposalChanged{ProposalID: r.ID}); err != nil {
			return
		}
	}
	p := r.view()
	text, kind := "Forge: "+inert.OneLine(p.Title, 60)+": ", protocol.MessageTypeInfo
	of, reports := p.Checked()
	what := map[proposal.Extent]string{proposal.Part: "the accepted part", proposal.Amended: "your version"}[of]
	switch {
	case cancelled, rich && (err == nil || service.FaultOf(err) == service.NotTrusted):
		return
	case err != nil:
		text, kind = text+what+" was not checked: "+err.Error(), protocol.MessageTypeWarning
	case len(reports) == 0:
		return // it was decided or changed meanwhile
	default:
		verdict, passed := service.VerdictOf(what, reports)
		if text += verdict; !passed {
			kind = protocol.MessageTypeWarning
		}
	}
	rv.dialog.Notify(ctx, kind, inert.Shorten(text, 600))
}
