package index

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"go.lsp.dev/protocol"

	"forge/codeintel/search"
	"forge/lsp/editor"
)

// maxWorkspaceSymbols bounds an answer: users refine the query rather than read more.
const maxWorkspaceSymbols = 100

// inFolder is a definition somewhere in the workspace.
type inFolder struct {
	search.SymbolHit
	folder editor.Folder
}

// WorkspaceSymbol answers workspace/symbol: definitions of all folders, best first. Without a folder there are none. A
// folder that cannot be searched does not keep those of the others back.
func (fi *Finder) WorkspaceSymbol(ctx context.Context, p *protocol.WorkspaceSymbolParams) (protocol.SymbolInformationSlice, error) {
	var all []inFolder
	var failed error
	for _, folder := range editor.OnDisk(fi.folders.Current()) {
		hits, err := fi.symbolsIn(ctx, folder, p.Query)
		failed = errors.Join(failed, err)
		for _, h := range hits {
			all = append(all, inFolder{h, folder})
		}
	}
	if ctx.Err() != nil || len(all) == 0 && failed != nil {
		return nil, errors.Join(ctx.Err(), failed)
	}
	slices.SortStableFunc(all, func(a, b inFolder) int { return cmp.Compare(b.Score, a.Score) })
	return fi.wireSymbols(all[:min(len(all), maxWorkspaceSymbols)]), nil
}

func (fi *Finder) symbolsIn(ctx context.Context, folder editor.Folder, text string) ([]search.SymbolHit, error) {
	known, err := fi.surveys.of(ctx, folder)
	if err != nil {
		return nil, err
	}
	return known.Symbols(ctx, text, maxWorkspaceSymbols)
}

// wireSymbols is never nil, so that it is an array on the wire.
func (fi *Finder) wireSymbols(found []inFolder) protocol.SymbolInformationSlice {
	list := make(protocol.SymbolInformationSlice, 0, len(found))
	files := map[string]sources{} // by folder
	for _, h := range found {
		if _, known := files[h.folder.Path]; !known {
			files[h.folder.Path] = sourcesOf(fi.folders, h.folder)
		}
		index := files[h.folder.Path].lines(h.Path)
		entry := protocol.SymbolInformation{Location: protocol.Location{
			URI: fi.folders.URIOf(h.folder, h.Path), Range: index.Span(h.Symbol.NameSpan.Start, h.Symbol.NameSpan.End),
		}}
		entry.Name, entry.Kind = h.Symbol.Name, kindOf(h.Symbol.Kind)
		if h.Symbol.Receiver != "" {
			entry.ContainerName = &h.Symbol.Receiver
		}
		list = append(list, entry)
	}
	return list
}
