package lsp

import (
	"cmp"
	"context"
	"path"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/codeintel"
)

// symbolKinds translates to what clients know.
var symbolKinds = map[codeintel.Kind]protocol.SymbolKind{
	codeintel.Function:  protocol.SymbolKindFunction,
	codeintel.Method:    protocol.SymbolKindMethod,
	codeintel.Struct:    protocol.SymbolKindStruct,
	codeintel.Interface: protocol.SymbolKindInterface,
	codeintel.Type:      protocol.SymbolKindClass,
	codeintel.Field:     protocol.SymbolKindField,
	codeintel.Constant:  protocol.SymbolKindConstant,
	codeintel.Variable:  protocol.SymbolKindVariable,
}

func (s *Server) registerSymbols() {
	onRequest(s, protocol.MethodTextDocumentDocumentSymbol, s.documentSymbol)
	s.announce(func(c *protocol.ServerCapabilities) { c.DocumentSymbolProvider = protocol.Boolean(true) })
}

// documentSymbol answers with a tree or a list, as the client can take it. A document that is not
// open, or not Go, has no symbols.
func (s *Server) documentSymbol(_ context.Context, p *protocol.DocumentSymbolParams) (any, error) {
	if p.TextDocument.URI == "" {
		return nil, invalidParams("textDocument.uri is missing: it names the document")
	}
	document, ok := s.docs.Document(p.TextDocument.URI)
	var symbols []codeintel.Symbol
	if ok && isGo(document) {
		symbols = codeintel.GoOutline(document.Text).Symbols
	}
	index := document.lines()
	if s.session.client.hierarchicalSymbols() {
		return symbolTree(index, symbols), nil
	}
	return symbolList(index, p.TextDocument.URI, symbols), nil
}

func isGo(d Document) bool {
	return d.LanguageID == string(protocol.LanguageKindGo) || path.Ext(string(d.URI)) == ".go"
}

// symbolTree is never nil, so that it is an array on the wire.
func symbolTree(index *lines, symbols []codeintel.Symbol) protocol.DocumentSymbolSlice {
	tree := make(protocol.DocumentSymbolSlice, 0, len(symbols))
	for _, s := range symbols {
		node := protocol.DocumentSymbol{
			Name: treeName(s), Kind: symbolKinds[s.Kind],
			Range:          index.span(s.Span.Start, s.Span.End),
			SelectionRange: index.span(s.NameSpan.Start, s.NameSpan.End),
		}
		if s.Detail != "" {
			node.Detail = &s.Detail
		}
		if len(s.Children) > 0 {
			node.Children = symbolTree(index, s.Children)
		}
		tree = append(tree, node)
	}
	return tree
}

// treeName is a symbol's name; a method stands beside its type, not below, and says whose it is.
func treeName(s codeintel.Symbol) string {
	if s.Receiver == "" {
		return s.Name
	}
	return "(" + s.Receiver + ")." + s.Name
}

// symbolList is the tree without its levels, for clients that show a list.
func symbolList(index *lines, u uri.URI, symbols []codeintel.Symbol) protocol.SymbolInformationSlice {
	list := protocol.SymbolInformationSlice{}
	var add func(container string, symbols []codeintel.Symbol)
	add = func(container string, symbols []codeintel.Symbol) {
		for _, s := range symbols {
			entry := protocol.SymbolInformation{Location: protocol.Location{URI: u, Range: index.span(s.Span.Start, s.Span.End)}}
			entry.Name, entry.Kind = s.Name, symbolKinds[s.Kind]
			if holder := cmp.Or(s.Receiver, container); holder != "" {
				entry.ContainerName = &holder
			}
			list = append(list, entry)
			add(s.Name, s.Children)
		}
	}
	add("", symbols)
	return list
}
