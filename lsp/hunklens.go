package lsp

import (
	"context"
	"errors"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/lsp/editor"
	"forge/lsp/review"
)

// onHunks are lenses above the hunks of open proposals that are shown in a file: they do what the quick fixes do. A client with a user interface
// for proposals draws its own.
func (ls *lenses) onHunks(u uri.URI) (all []protocol.CodeLens, err error) {
	if ls.session.Features().Rich {
		return nil, nil
	}
	_, hunks := hunksIn(ls.folders, ls.placer, u)
	for _, h := range hunks {
		at := protocol.Range{Start: h.Where.Start, End: h.Where.Start}
		for _, a := range actionsOn(h, nil) {
			c, failed := commandOf(a.title, a.command, a.args)
			all, err = append(all, protocol.CodeLens{Range: at, Command: c}), errors.Join(err, failed)
		}
	}
	return all, err
}

// hunksIn returns the hunks that are shown in a document, and its path in its folder. A document that is no file of an open folder has none.
func hunksIn(folders *editor.Folders, placer *review.Placer, u uri.URI) (path string, hunks []review.Placed) {
	folder, err := editor.FolderOf(editor.OnDisk(folders.Current()), string(u))
	if err != nil {
		return "", nil
	}
	full, _ := editor.FilePath(u)
	path, _ = editor.Relative(folder, full)
	return path, placer.PlacedIn(folder, path)
}

// hunksChanged has the client request lenses again, if it does so when it is asked: after a decision its text may be the same.
func (ls *lenses) hunksChanged() {
	can := ls.session.Features()
	if !can.LensRefresh || can.Rich {
		return
	}
	ls.work.Run("lenses", func(ctx context.Context) {
		if err := ls.client.Call(ctx, protocol.MethodWorkspaceCodeLensRefresh, nil, nil); err != nil {
			ls.log.Debug("the client did not refresh its lenses", "why", err)
		}
	})
}
