package lsp

import (
	"context"
	"slices"
	"sync"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// following are the documents that show the latest version of a specification, whichever that is.
type following struct {
	mu  sync.Mutex
	all []uri.URI // guarded by mu
}

// add notes a document that the client has read, if its text can change with the next version.
func (w *following) add(u uri.URI) {
	place, _ := splitFolder(string(u))
	if place != documentScheme+"://spec/"+latestVersion {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Contains(w.all, u) {
		w.all = append(w.all, u)
	}
}

func (w *following) list() []uri.URI {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.all)
}

// refresh has the client reload what it shows of specifications: there may be another version, or a review of work on
// one.
func (pg *pages) refresh() {
	can := pg.session.Features()
	pg.work.Run("specification", func(ctx context.Context) {
		var err error
		if can.LensRefresh {
			err = pg.client.Call(ctx, protocol.MethodWorkspaceCodeLensRefresh, nil, nil)
		}
		for _, u := range pg.following.list() {
			if can.DocumentContent && err == nil {
				params := &protocol.TextDocumentContentRefreshParams{URI: u}
				err = pg.client.Call(ctx, protocol.MethodWorkspaceTextDocumentContentRefresh, params, nil)
			}
		}
		if err != nil {
			pg.log.Debug("the client did not refresh what it shows of a specification", "why", err)
		}
	})
}
