package lsp

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"forge/lsp/transport"

	"go.lsp.dev/protocol"

	"forge/codeintel/search"
)

// maxWorkspaceSymbols bounds an answer: nobody reads more, and people type on.
const maxWorkspaceSymbols = 100

func (fi *finder) register(s *Server) {
	transport.OnRequest(s.dispatcher, protocol.MethodWorkspaceSymbol, fi.workspaceSymbol)
	transport.OnNotification(s.dispatcher, protocol.MethodWorkspaceDidChangeWatchedFiles, fi.surveys.didChangeFiles)
	s.onDocument(fi.surveys.mark)
	if s.options.Atlas != nil {
		s.announce(func(c *protocol.ServerCapabilities) { c.WorkspaceSymbolProvider = protocol.Boolean(true) })
	}
}

// inFolder is a definition somewhere in the workspace.
type inFolder struct {
	search.SymbolHit
	folder Folder
}

// workspaceSymbol answers workspace/symbol: definitions of all folders, best first. Without a folder there are none. A
// folder that cannot be searched does not keep those of the others back.
func (fi *finder) workspaceSymbol(ctx context.Context, p *protocol.WorkspaceSymbolParams) (protocol.SymbolInformationSlice, error) {
	var all []inFolder
	var failed error
	for _, folder := range onDisk(fi.folders.current()) {
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

func (fi *finder) symbolsIn(ctx context.Context, folder Folder, text string) ([]search.SymbolHit, error) {
	known, err := fi.surveys.of(ctx, folder)
	if err != nil {
		return nil, err
	}
	return known.Symbols(ctx, text, maxWorkspaceSymbols)
}

// wireSymbols is never nil, so that it is an array on the wire.
func (fi *finder) wireSymbols(found []inFolder) protocol.SymbolInformationSlice {
	list := make(protocol.SymbolInformationSlice, 0, len(found))
	files := map[string]sources{} // by folder
	for _, h := range found {
		if _, known := files[h.folder.Path]; !known {
			files[h.folder.Path] = fi.folders.sources(h.folder)
		}
		index := files[h.folder.Path].lines(h.Path)
		entry := protocol.SymbolInformation{Location: protocol.Location{
			URI: fi.folders.uriOf(h.folder, h.Path), Range: index.Span(h.Symbol.NameSpan.Start, h.Symbol.NameSpan.End),
		}}
		entry.Name, entry.Kind = h.Symbol.Name, kindOf(h.Symbol.Kind)
		if h.Symbol.Receiver != "" {
			entry.ContainerName = &h.Symbol.Receiver
		}
		list = append(list, entry)
	}
	return list
}
