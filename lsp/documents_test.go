package lsp_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/lsp"
	"forge/lsp/editor"
	"forge/lsp/lsptest"
)

// inspected starts a server whose Server the test may look into. A round trip before each look makes
// sure that everything sent so far was handled.
func inspected(t *testing.T) (*lsptest.Editor, func() *lsp.Server) {
	t.Helper()
	return inspectedAs(t, nil)
}

// inspectedAs is inspected for an editor that says something else of itself.
func inspectedAs(
	t *testing.T, change func(p *protocol.InitializeParams),
) (*lsptest.Editor, func() *lsp.Server) {
	t.Helper()
	var server *lsp.Server
	e := connectWith(t, lsp.Options{}, func(s *lsp.Server) { server = s })
	e.Initialize(change)
	return e, func() *lsp.Server {
		requireAlive(t, e)
		return server
	}
}

func at(line, character uint32) protocol.Position {
	return protocol.Position{Line: line, Character: character}
}

func TestDocuments_FollowTheClient(t *testing.T) {
	t.Parallel()
	e, server := inspected(t)
	e.Open(mainURI, "go", "package main\n")
	e.Edit(mainURI, protocol.TextEdit{Range: protocol.Range{Start: at(0, 8), End: at(0, 12)}, NewText: "𝒳"},
		protocol.TextEdit{Range: protocol.Range{Start: at(0, 10), End: at(0, 10)}, NewText: "y"})
	doc, ok := server().Open(mainURI)
	require.True(t, ok)
	want := editor.Document{URI: mainURI, LanguageID: "go", Version: 2, Text: "package 𝒳y\n"}
	require.Empty(t, cmp.Diff(want, doc, cmpopts.IgnoreUnexported(editor.Document{})))
	require.Equal(t, e.Text(mainURI), doc.Text)

	e.Close(mainURI)
	_, ok = server().Open(mainURI)
	require.False(t, ok)
}

func TestDocuments_RefuseFaults(t *testing.T) {
	t.Parallel()
	const none = uri.URI("file:///w/none.go")
	whole := func(text string) protocol.TextDocumentContentChangeEvent {
		return &protocol.TextDocumentContentChangeWholeDocument{Text: text}
	}
	tests := []struct {
		name string
		do   func(e *lsptest.Editor)
		want string // text of mainURI afterwards
	}{
		{"a change of what is not open", func(e *lsptest.Editor) { e.Change(none, 3, whole("x")) }, "a\n"},
		{"a close of what is not open", func(e *lsptest.Editor) { e.Close(none) }, "a\n"},
		{"an old version", func(e *lsptest.Editor) { e.Change(mainURI, -3, whole("x")) }, "x"},
		{"opened twice", func(e *lsptest.Editor) { e.Open(mainURI, "go", "again") }, "again"},
		{"a change without changes", func(e *lsptest.Editor) { e.Change(mainURI, 2) }, "a\n"},
		{"half a surrogate pair in the text", func(e *lsptest.Editor) {
			e.Notify(protocol.MethodTextDocumentDidChange, jsonrpc2.RawMessage(
				`{"textDocument":{"uri":"file:///w/main.go","version":2},"contentChanges":[{"text":"x\ud800y"}]}`))
		}, "x\uFFFDy"},
		{"URIs that are none", func(e *lsptest.Editor) {
			for _, u := range []uri.URI{"untitled:Untitled-1", "file://%zz", "::", "", "http://x/y", "file:///../../outside.go"} {
				e.Open(u, "go", "x")
			}
		}, "a\n"},
		{"another spelling of the URI", func(e *lsptest.Editor) { e.Open("file:///w/./m%61in.go", "go", "other") }, "other"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e, server := inspected(t)
			e.Open(mainURI, "go", "a\n")
			test.do(e)
			document, ok := server().Open(mainURI)
			require.True(t, ok)
			require.Equal(t, test.want, document.Text)
			_, ok = server().Open(none)
			require.False(t, ok)
		})
	}
}

func TestDocuments_AreSnapshots(t *testing.T) {
	t.Parallel()
	e, server := inspected(t)
	for i := range 3 {
		e.Open(uri.URI(fmt.Sprintf("file:///w/%d.go", i)), "go", fmt.Sprint(i))
	}
	e.Close("file:///w/1.go")
	snapshot := server().Snapshot()
	e.Edit("file:///w/0.go", protocol.TextEdit{NewText: "changed"})
	requireAlive(t, e)
	slices.SortFunc(snapshot, func(a, b editor.Document) int { return strings.Compare(string(a.URI), string(b.URI)) })
	want := []editor.Document{
		{URI: "file:///w/0.go", LanguageID: "go", Version: 1, Text: "0"},
		{URI: "file:///w/2.go", LanguageID: "go", Version: 1, Text: "2"},
	}
	require.Empty(t, cmp.Diff(want, snapshot, cmpopts.IgnoreUnexported(editor.Document{})))
}

// A storm of edits, requests between them: the server's text is the editor's, byte for byte.
func TestDocuments_SurviveAStormOfEdits(t *testing.T) {
	t.Parallel()
	e, server := inspected(t)
	e.Open(mainURI, "go", strings.Repeat("línea 𝒳\r\n", 40))
	random := rand.New(rand.NewPCG(1, 2))
	texts := []string{"", "x", "𝒳é", "\n", "\r\n", "one\ntwo\n"}
	for range 3000 {
		line, character := random.Uint32N(50), random.Uint32N(10)
		e.Edit(mainURI, protocol.TextEdit{
			Range:   protocol.Range{Start: at(line, character), End: at(line+random.Uint32N(2), character+random.Uint32N(3))},
			NewText: texts[random.IntN(len(texts))],
		})
	}
	document, ok := server().Open(mainURI)
	require.True(t, ok)
	require.Equal(t, e.Text(mainURI), document.Text)
	require.EqualValues(t, 3001, document.Version)
}

// BenchmarkDidChange measures didChange from the wire to the text.
func BenchmarkDidChange(b *testing.B) {
	e := lsptest.Start(b, lsp.Options{})
	e.Initialize(nil)
	e.Open(mainURI, "go", strings.Repeat("// a line of a usual file\n", 2000))
	change := &protocol.TextDocumentContentChangePartial{Range: protocol.Range{Start: at(1000, 3), End: at(1000, 4)}, Text: "x"}
	b.ResetTimer()
	for i := range b.N {
		e.Change(mainURI, int32(i), change)
	}
	if err := e.Request(protocol.MethodTextDocumentDocumentSymbol, symbolsOf(mainURI), nil); err != nil {
		b.Fatal(err)
	}
}
