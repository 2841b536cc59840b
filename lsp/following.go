package lsp

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// followed limits how many changing documents of a client are followed. Beyond it, the one that was read longest ago is forgotten.
const followed = 256

// following are the documents that a client has read from the server, and whose texts change: those of the latest version of a specification,
// and those of proposals.
type following struct {
	mu    sync.Mutex
	texts map[uri.URI]string // as the client has them; guarded by mu
	order []uri.URI          // the keys of texts, the latest read last; guarded by mu
	dirty chan struct{}      // holds a token when a proposal or a text may have changed
}

func newFollowing() *following {
	return &following{texts: map[uri.URI]string{}, dirty: make(chan struct{}, 1)}
}

// add notes a document that the client has read, if its text can change.
func (w *following) add(u uri.URI, text string) {
	if !isLatestSpec(u) && !isProposal(u) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.texts[u] = text
	w.order = append(slices.DeleteFunc(w.order, func(known uri.URI) bool { return known == u }), u)
	if len(w.order) > followed {
		delete(w.texts, w.order[0])
		w.order = w.order[1:]
	}
}

func (w *following) list() map[uri.URI]string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.texts)
}

// poke has the documents of proposals looked at. It never blocks.
func (w *following) poke() {
	select {
	case w.dirty <- struct{}{}:
	default:
	}
}

func isLatestSpec(u uri.URI) bool {
	place, _ := splitFolder(string(u))
	return place == documentScheme+"://spec/"+latestVersion
}

func isProposal(u uri.URI) bool { return strings.HasPrefix(string(u), documentScheme+"://proposal/") }

// reload has the client read some of the documents again.
func (pg *pages) reload(ctx context.Context, which func(u uri.URI) bool) (err error) {
	for u := range pg.following.list() {
		if err == nil && which(u) {
			err = pg.client.Call(ctx, protocol.MethodWorkspaceTextDocumentContentRefresh, &protocol.TextDocumentContentRefreshParams{URI: u}, nil)
		}
	}
	return err
}

// refreshEvery is how long changes are collected: typing comes in bursts.
const refreshEvery = 100 * time.Millisecond

// refreshProposals has the client read documents of proposals again when their texts have changed, until ctx ends.
func (pg *pages) refreshProposals(ctx context.Context) {
	for pg.session.Features().DocumentContent {
		select {
		case <-pg.following.dirty:
		case <-ctx.Done():
			return
		}
		select {
		case <-time.After(refreshEvery):
		case <-ctx.Done():
			return
		}
		known := pg.following.list()
		changed := func(u uri.URI) bool { return isProposal(u) && pg.differs(ctx, u, known[u]) }
		if err := pg.reload(ctx, changed); err != nil {
			pg.log.Debug("the client did not refresh what it shows of a proposal", "why", err)
		}
	}
}

// differs reports whether a document has another text now.
func (pg *pages) differs(ctx context.Context, u uri.URI, text string) bool {
	d, err := pg.ownDocument(string(u))
	if err != nil {
		return false
	}
	now, err := d.text(ctx)
	return err == nil && now != text
}
