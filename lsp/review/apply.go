package review

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/api"
	"forge/engine/event"
	"forge/engine/history"
	"forge/engine/proposal"
	"forge/engine/workspace"
	"forge/internal/failpoint"
	"forge/internal/inert"
	"forge/lsp/editor"
	"forge/lsp/transport"
	"forge/patch"
)

// The places of this package where a process may die.
const (
	FailpointEditSending = "edit.sending" // an edit is noted, the client was not asked
	FailpointEditReplied = "edit.replied" // the client has answered, nothing is verified or recorded
)

// maxTries is how often an edit that the client refuses is recomputed.
const maxTries = 3

// staleWait is how long a refused edit waits for the change that made the client refuse it.
const staleWait = 300 * time.Millisecond

// ErrCannotApply is the error of a client that lets no server apply edits.
var ErrCannotApply = errors.New("this editor does not let a server apply edits, so the proposal cannot be applied here; `forge apply` in a terminal can")

// applier applies hunks of proposals to the user's files through the client. It owns the turn: at most one edit at a time is sent and not
// settled. It may call the client, the engine's record of edits and the board.
type applier struct {
	edits   Edits
	folders *editor.Folders
	session *editor.Session
	client  *transport.Client
	dialog  *editor.Dialog
	board   *Board
	changes *editor.Changes
	shelf   *shelf
	work    *transport.Tasks
	turn    chan struct{} // holds one token
	asking  chan string   // holds the files of the edit that has the turn while the client asks the user about it
	taken   func(*Review) // called when the user may have accepted another part of a proposal; it must not block
}

// take waits for the turn, settles the edits that killed processes left unsettled in a folder, and holds the turn until release is called. It fails
// while the user is asked about another edit, for however long.
func (ap *applier) take(ctx context.Context, folder editor.Folder) (release func(), err error) {
	select {
	case ap.turn <- struct{}{}:
	case files := <-ap.asking:
		ap.asking <- files // for the next one
		return nil, fmt.Errorf("an edit of %s waits for your confirmation in the editor; apply or discard it first", files)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	release = func() { <-ap.turn }
	if err = ap.edits.RecoverSeen(ctx, ap.folders.Freeze(folder)); err != nil {
		release()
	}
	return release, err
}

// confirming is which changes the client asks the user about before it applies them.
type confirming int

const (
	confirmRisks   confirming = iota // those with a risk
	confirmAll                       // every change: a preview
	confirmControl                   // those of files that act on their own: the user has seen the others in a diff
)

// application is one application of hunks to the user's files.
type application struct {
	by      *applier
	review  *Review
	ids     []string
	confirm confirming

	patience time.Duration // how long the client may take to show what it says it applied
	cautious bool          // the client refused an edit that may be too much for it

	notes      map[string]string // what to say of a file, by path
	checkpoint string
	edit       history.Recording   // of the edit that was prepared last; nil when it is recorded
	unseen     []proposal.FilePlan // what the client called applied although nothing of it was there
	sent       map[string]bool     // paths of those files of them that are expected to come
}

// way is how hunks come into the files.
type way struct {
	confirm confirming
	// answers means that a request of the client waits for the result. Some clients report no change of a text before it has come.
	answers bool
}

// apply brings the hunks into the files through the client, verifies what it did, and records it. One edit at a time is under way; the
// others wait, unless the user is asked about it.
func (ap *applier) apply(ctx context.Context, r *Review, ids []string, by way) (api.ApplyResult, error) {
	if !ap.session.Features().ApplyEdit {
		return api.ApplyResult{}, ErrCannotApply
	}
	if err := ap.admitted(ctx, r.folder); err != nil {
		return api.ApplyResult{}, err
	}
	release, err := ap.take(ctx, r.folder) // before any text is read: a plan on half an older change would leave half of it
	if err != nil {
		return api.ApplyResult{}, err
	}
	defer release()
	a := &application{by: ap, review: r, ids: ids, confirm: by.confirm, patience: ap.patience(by), notes: map[string]string{}}
	defer ap.changed(ctx, r)
	for try := 1; ; try++ {
		again, err := a.try(ctx)
		if err != nil {
			return api.ApplyResult{}, err
		}
		if !again || try == maxTries {
			break
		}
		a.awaitChange(ctx)
	}
	a.follow(a.unseen)
	ap.taken(r)
	result := ap.outcome(r, ids, a)
	ap.report(ctx, result)
	return result, nil
}

// The answers to whether the user trusts a folder.
const answerTrust, answerLeave = "Trust and apply", "Don't apply"

// admitted asks the user to trust a folder before the first change in it.
func (ap *applier) admitted(ctx context.Context, folder editor.Folder) error {
	err := ap.edits.Admits(folder.Path)
	if event.RemedyOf(err) != event.RemedyTrust {
		return err
	}
	text := "do you trust the code in " + folder.Name + "? Nothing in it is executed now, but git, which records the data for undo, and later runs are started in it."
	if ap.dialog.Choose(ctx, text, answerTrust, answerLeave) != answerTrust {
		return err
	}
	return ap.edits.Trust(folder.Path)
}

// changed has a proposal shown and checked as it is now, and keeps what was decided about it.
func (ap *applier) changed(ctx context.Context, r *Review) {
	r.aside.Store(false)
	ap.taken(r)
	ap.board.touchReview(r)
	ap.shelf.keep(ctx, r)
}

// try plans on the texts as they are, sends one edit, and settles every hunk by what is there
// afterwards. again reports that another try may succeed.
func (a *application) try(ctx context.Context) (again bool, err error) {
	p := a.review.view()
	now, err := textsOf(a.by.folders, a.review.folder, p)
	if err != nil {
		return false, err
	}
	plans, err := p.Plan(a.stillOpen(p), now.lookup)
	if err != nil {
		return false, err
	}
	c := a.compose(p, plans, now)
	if len(c.sent) == 0 {
		return false, a.settle(plans)
	}
	if stale, err := a.stale(c, now); err != nil || stale {
		return stale, err
	}
	if err := a.prepare(ctx, p, c.sent); err != nil {
		return false, err
	}
	if err := a.refused(c.sent); err != nil {
		a.drop(ctx)
		return false, err
	}
	answer := a.send(ctx, c)
	if answer.applied {
		a.await(context.WithoutCancel(ctx), c.sent, now)
	}
	if err := a.settle(plans); err != nil {
		return false, err
	}
	a.take(ctx, c, answer)
	again, err = a.judge(c, now, answer)
	return again && !answer.none && ctx.Err() == nil, err
}

// take records what is in the files, and remembers what the client is still to show.
func (a *application) take(ctx context.Context, c *composer, answer reply) {
	missing := notSeen(a.review.view(), c.sent)
	if a.unseen = nil; answer.applied {
		a.unseen = missing
	}
	a.sent = a.expected(c)
	switch {
	case answer.none && len(missing) == len(c.sent):
		a.edit = nil // the note stays: the next server finds out the result
	case len(a.unseen) < len(c.sent):
		a.record(ctx, c.sent)
	} // else it is recorded when it comes
}

// refused returns why an edit is not sent: a path of it leads out of the folder or into a git directory, by a link that an
// editor would follow. It is asked last, when nothing but the editor stands between the links and the files.
func (a *application) refused(sent []proposal.FilePlan) error {
	for _, path := range sentPaths(sent) {
		if err := workspace.CheckTarget(a.review.folder.Path, path); err != nil {
			return fmt.Errorf("nothing was applied: %w", err)
		}
	}
	return nil
}

// stillOpen are the wanted hunks that are not in the files yet. One that was rejected and is named
// again is wanted again.
func (a *application) stillOpen(p *proposal.Proposal) []string {
	accepted := p.Accepted()
	return slices.DeleteFunc(slices.Clone(a.ids), func(id string) bool { return accepted[id] })
}

// compose makes the edit, and takes note of what is not in it.
func (a *application) compose(p *proposal.Proposal, plans []proposal.FilePlan, now texts) *composer {
	c := &composer{
		can: a.by.session.Features(), unit: a.by.folders.Docs.Unit, confirming: a.confirm,
		cautious: a.cautious, proposal: p, now: now, left: map[string]string{},
		urls: func(path string) uri.URI { return a.by.folders.URIOf(a.review.folder, path) },
	}
	for _, plan := range plans {
		if len(plan.Edits) > 0 {
			c.add(plan)
		}
	}
	for path, why := range c.left {
		a.notes[path] = why
	}
	return c
}

// stale re-reads the texts just before they are sent without versions: such a client cannot notice
// itself that the edit is not for the text it has.
func (a *application) stale(c *composer, now texts) (bool, error) {
	if c.can.DocumentChanges {
		return false, nil
	}
	again, err := textsOf(a.by.folders, a.review.folder, c.proposal)
	if err != nil {
		return false, err
	}
	return !now.same(again, sentPaths(c.sent)), nil
}

// reply is what the client said, which is not yet what it did.
type reply struct {
	applied bool
	reason  string
	none    bool // the client has not answered, so it may still apply the edit
}

// prepare notes what is about to be sent, so that it is not lost to undo if this process dies before it knows
// what the client made of it.
func (a *application) prepare(ctx context.Context, p *proposal.Proposal, sent []proposal.FilePlan) (err error) {
	a.drop(ctx)
	a.edit, err = a.by.edits.Prepare(ctx, a.review.folder.Path, p, plannedChanges(sent))
	return err
}

// drop removes the note of an edit that was not applied.
func (a *application) drop(ctx context.Context) {
	if a.edit != nil {
		_, _ = a.edit(context.WithoutCancel(ctx), patch.ChangeSet{}) // what stays is settled by the next server
		a.edit = nil
	}
}

func (a *application) send(ctx context.Context, c *composer) reply {
	failpoint.Hit(FailpointEditSending)
	defer failpoint.Hit(FailpointEditReplied)
	if c.confirm {
		a.by.asking <- inert.OneLine(strings.Join(sentPaths(c.sent), ", "), 200)
		defer func() { <-a.by.asking }()
	}
	label := "Forge: " + inert.OneLine(c.proposal.Title, 60)
	result, err := a.by.client.ApplyEdit(ctx, &protocol.ApplyWorkspaceEditParams{Label: &label, Edit: c.edit})
	if err != nil {
		return reply{reason: err.Error(), none: !errors.As(err, new(*jsonrpc2.Error))}
	}
	answer := reply{applied: result.Applied}
	if result.FailureReason != nil {
		answer.reason = *result.FailureReason
	}
	return answer
}

// awaitChange waits for the change that may have made the client refuse, for a short while.
func (a *application) awaitChange(ctx context.Context) {
	timer := time.NewTimer(staleWait)
	defer timer.Stop()
	select {
	case <-a.by.changes.Wait():
	case <-timer.C:
	case <-ctx.Done():
	}
}

func sentPaths(sent []proposal.FilePlan) []string {
	var all []string
	for _, plan := range sent {
		all = append(all, plan.Path)
		if plan.From != "" {
			all = append(all, plan.From)
		}
	}
	return all
}
