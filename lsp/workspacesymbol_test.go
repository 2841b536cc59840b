package lsp_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/codeintel"
	"forge/lsp"
	"forge/lsp/index"
	"forge/lsp/lsptest"
)

func (r *reading) symbols(text string) []protocol.SymbolInformation {
	r.t.Helper()
	var found protocol.SymbolInformationSlice
	require.NoError(r.t, r.Request(protocol.MethodWorkspaceSymbol, &protocol.WorkspaceSymbolParams{Query: text}, &found))
	require.NotNil(r.t, found)
	return found
}

func TestWorkspaceSymbol_FindsDefinitions(t *testing.T) {
	t.Parallel()
	r := read(t, map[string]string{"pkg/a.py": "# 𝒳\ndef needle_long\n", "b.py": "def needle\n"})
	entry := func(path, name string, at protocol.Range) protocol.SymbolInformation {
		s := protocol.SymbolInformation{Location: protocol.Location{URI: r.uri(path), Range: at}}
		s.Name, s.Kind = name, protocol.SymbolKindFunction
		return s
	}
	want := []protocol.SymbolInformation{entry("b.py", "needle", span(0, 4, 0, 10)), entry("pkg/a.py", "needle_long", span(1, 4, 1, 15))}
	require.Empty(t, cmp.Diff(want, r.symbols("needle")), "the better one first")
	require.Empty(t, r.symbols("walrus"))

	r.Open(r.uri("b.py"), "python", "\n\ndef needle\ndef walrus\n")
	require.Empty(t, cmp.Diff(entry("b.py", "needle", span(2, 4, 2, 10)), r.symbols("needle")[0]), "where it stands in the buffer")
	require.Len(t, r.symbols("walrus"), 1)
}

func TestWorkspaceSymbols_AreBounded(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, "def needle%d\n", i)
	}
	r := read(t, map[string]string{"a.py": b.String()})
	require.Len(t, r.symbols("needle"), 100)
}

func TestWorkspaceSymbol_WithoutAFolder(t *testing.T) {
	t.Parallel()
	d := startWithout(t)
	var found protocol.SymbolInformationSlice
	require.NoError(t, d.Request(protocol.MethodWorkspaceSymbol, &protocol.WorkspaceSymbolParams{Query: "x"}, &found))
	require.Empty(t, found)
}

func TestWorkspaceSymbol_IsAnnouncedWhereThereIsAnAtlas(t *testing.T) {
	t.Parallel()
	none := lsptest.Start(t, lsp.Options{}).Initialize(nil)
	require.Nil(t, none.Capabilities.WorkspaceSymbolProvider)
	open := func(context.Context, string) (index.Atlas, error) { return nil, nil }
	result := lsptest.Start(t, lsp.Options{Atlas: open}).Initialize(nil)
	require.Equal(t, protocol.Boolean(true), result.Capabilities.WorkspaceSymbolProvider)
}

// everyKind is an outliner that finds one symbol of each kind.
type everyKind struct{}

var allKinds = []codeintel.Kind{
	codeintel.Function, codeintel.Method, codeintel.Constructor, codeintel.Class, codeintel.Struct, codeintel.Interface, codeintel.Enum,
	codeintel.Member, codeintel.Type, codeintel.Module, codeintel.Macro, codeintel.Field, codeintel.Constant, codeintel.Variable,
	codeintel.Table, codeintel.Heading, codeintel.Key,
}

func (everyKind) Outline(ctx context.Context, language codeintel.Language, _ string) (codeintel.Outline, error) {
	o := codeintel.Outline{Language: language}
	for _, kind := range allKinds {
		o.Symbols = append(o.Symbols, codeintel.Symbol{Name: string(language) + " " + string(kind), Kind: kind})
	}
	return o, ctx.Err()
}

// Every kind has one of the protocol, and every language that clients name is known.
func TestWorkspaceSymbol_EveryKindAndLanguage(t *testing.T) {
	t.Parallel()
	e := lsptest.Start(t, lsp.Options{Outliner: everyKind{}})
	e.Initialize(nil)
	for name, want := range map[string]string{
		"python": "python", "typescriptreact": "tsx", "javascriptreact": "javascript", "shellscript": "bash", "sh": "bash", "cs": "csharp",
		"toml": "toml", "kotlin": "kotlin", "": "rust", "never heard of": "rust",
	} {
		u := uri.URI("file:///w/" + want + ".rs")
		e.Open(u, name, "text")
		var got protocol.DocumentSymbolSlice
		require.NoError(t, e.Request(protocol.MethodTextDocumentDocumentSymbol, symbolsOf(u), &got))
		require.Len(t, got, len(allKinds))
		for i, s := range got {
			require.Equal(t, want+" "+string(allKinds[i]), s.Name)
			require.NotZero(t, s.Kind)
			require.Equal(t, allKinds[i] == codeintel.Variable, s.Kind == protocol.SymbolKindVariable, "%s is not mapped", allKinds[i])
		}
	}
	e.Open("file:///w/notes.txt", "plaintext", "text")
	var none protocol.DocumentSymbolSlice
	require.NoError(t, e.Request(protocol.MethodTextDocumentDocumentSymbol, symbolsOf("file:///w/notes.txt"), &none))
	require.Empty(t, none, "a language without outline is not read")
}
