package lsp_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/lsp"
	"forge/lsp/lsptest"
)

const symbolSource = `package p

type Server struct {
	name string
}

func (s *Server) Run(n int) error { return nil }
`

func span(a, b, c, d uint32) protocol.Range { return protocol.Range{Start: at(a, b), End: at(c, d)} }

func TestDocumentSymbol_IsATree(t *testing.T) {
	t.Parallel()
	e := lsptest.Start(t, lsp.Options{})
	e.Initialize(nil)
	e.Open(mainURI, "go", symbolSource)
	var got protocol.DocumentSymbolSlice
	require.NoError(t, e.Request(protocol.MethodTextDocumentDocumentSymbol, symbolsOf(mainURI), &got))
	text, signature := "string", "(n int) error"
	want := protocol.DocumentSymbolSlice{
		{
			Name: "Server", Kind: protocol.SymbolKindStruct, Range: span(2, 0, 4, 1), SelectionRange: span(2, 5, 2, 11),
			Children: []protocol.DocumentSymbol{{
				Name: "name", Kind: protocol.SymbolKindField, Detail: &text,
				Range: span(3, 1, 3, 12), SelectionRange: span(3, 1, 3, 5),
			}},
		},
		{
			Name: "(*Server).Run", Kind: protocol.SymbolKindMethod, Detail: &signature,
			Range: span(6, 0, 6, 48), SelectionRange: span(6, 17, 6, 20),
		},
	}
	require.Empty(t, cmp.Diff(want, got))
}

func TestDocumentSymbol_IsAListForOlderClients(t *testing.T) {
	t.Parallel()
	e := lsptest.Start(t, lsp.Options{})
	e.Initialize(func(p *protocol.InitializeParams) { p.Capabilities.TextDocument = nil })
	e.Open(mainURI, "go", symbolSource)
	var got protocol.SymbolInformationSlice
	require.NoError(t, e.Request(protocol.MethodTextDocumentDocumentSymbol, symbolsOf(mainURI), &got))
	entry := func(name string, kind protocol.SymbolKind, container string, r protocol.Range) protocol.SymbolInformation {
		s := protocol.SymbolInformation{Location: protocol.Location{URI: mainURI, Range: r}}
		s.Name, s.Kind = name, kind
		if container != "" {
			s.ContainerName = &container
		}
		return s
	}
	want := protocol.SymbolInformationSlice{
		entry("Server", protocol.SymbolKindStruct, "", span(2, 0, 4, 1)),
		entry("name", protocol.SymbolKindField, "Server", span(3, 1, 3, 12)),
		entry("Run", protocol.SymbolKindMethod, "*Server", span(6, 0, 6, 48)),
	}
	require.Empty(t, cmp.Diff(want, got))
}

func TestSymbols_DocumentsWithoutSymbols(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, language, text string
		uri                  uri.URI
		want                 int
	}{
		{"Go by its language", "go", symbolSource, "untitled:1", 2},
		{"Go by its name", "", symbolSource, "file:///w/x.go", 2},
		{"another language", "python", "def f(): pass", "file:///w/x.py", 0},
		{"no package clause", "go", "func f() {}", "file:///w/y.go", 0},
		{"broken in the middle", "go", "package p\n\nfunc a() {\n\nvar x = )(\n\nfunc b() {}\n", "file:///w/z.go", 1},
		{"nothing", "go", "", "file:///w/e.go", 0},
	}
	e := lsptest.Start(t, lsp.Options{})
	e.Initialize(nil)
	for _, test := range tests {
		e.Open(test.uri, test.language, test.text)
		var got protocol.DocumentSymbolSlice
		require.NoError(t, e.Request(protocol.MethodTextDocumentDocumentSymbol, symbolsOf(test.uri), &got), test.name)
		require.NotNil(t, got, test.name)
		require.Len(t, got, test.want, test.name)
	}
	var closed protocol.DocumentSymbolSlice
	require.NoError(t, e.Request(protocol.MethodTextDocumentDocumentSymbol, symbolsOf("file:///w/none.go"), &closed))
	require.Empty(t, closed)
}
