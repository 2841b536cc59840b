package lsp

import (
	"context"
	"errors"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/lsp/editor"
)

// onHunks are lenses above the hunks of open proposals that are shown in a file: they do what the quick fixes do. A client with a user interface
// for proposals draws its own.
func (ls *lenses) onHunks(u uri.URI) (all []protocol.CodeLens, err error) {
	full, isFile := editor.FilePath(u)
	if !isFile || ls.session.Features().Rich {
		return nil, nil
	}
	folder, err := editor.FolderOf(editor.OnDisk(ls.folders.Current()), string(u))
	if err != nil {
		return nil, nil //nolint:nilerr // it is in no folder, so no proposal changes it
	}
	path, _ := editor.Relative(folder, full)
	now, err := ls.folders.Read(folder, path)
	if err != nil {
		return nil, nil //nolint:nilerr // a file that is gone has no lines
	}
	for _, h := range ls.placer.PlacedIn(folder, path, editor.NewLines(now.Text, ls.folders.Docs.Unit)) {
		at := protocol.Range{Start: h.Where.Start, End: h.Where.Start}
		for _, a := range actionsOn(h, nil) {
			c, failed := commandOf(a.title, a.command, a.args)
			all, err = append(all, protocol.CodeLens{Range: at, Command: c}), errors.Join(err, failed)
		}
	}
	return all, err
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
