package lsp_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/lsp"
	"forge/lsp/editor"
	"forge/lsp/lsptest"
)

func TestSession_ReadsCapabilities(t *testing.T) {
	t.Parallel()
	e := lsptest.Start(t, lsp.Options{Version: "1.2.3"})
	result := e.Initialize(nil)
	version, _ := result.ServerInfo.Version.Get()
	require.Equal(t, "forge", result.ServerInfo.Name)
	require.Equal(t, "1.2.3", version)

	sync, ok := result.Capabilities.TextDocumentSync.(*protocol.TextDocumentSyncOptions)
	require.True(t, ok)
	require.True(t, *sync.OpenClose)
	require.Equal(t, protocol.TextDocumentSyncKindIncremental, *sync.Change)
	require.NotNil(t, sync.Save)
	require.Equal(t, protocol.Boolean(true), result.Capabilities.DocumentSymbolProvider)
	require.Nil(t, result.Capabilities.ExecuteCommandProvider.WorkDoneProgress, "a token of a request would have no effect")
	folders := result.Capabilities.Workspace.WorkspaceFolders
	require.True(t, *folders.Supported)
	require.Equal(t, protocol.Boolean(true), folders.ChangeNotifications)
}

func TestSession_NegotiatesThePositionEncoding(t *testing.T) {
	t.Parallel()
	const utf8, utf16, utf32 = protocol.PositionEncodingKindUTF8, protocol.PositionEncodingKindUTF16, protocol.PositionEncodingKindUTF32
	tests := []struct {
		name    string
		general *protocol.GeneralClientCapabilities
		want    protocol.PositionEncodingKind
		end     uint32 // of the name 𝒳é in the encoding
	}{
		{"the client says nothing", nil, utf16, 8},
		{"the client offers none", &protocol.GeneralClientCapabilities{}, utf16, 8},
		{"the client's favourite", &protocol.GeneralClientCapabilities{PositionEncodings: []protocol.PositionEncodingKind{utf8, utf16}}, utf8, 11},
		{"code points", &protocol.GeneralClientCapabilities{PositionEncodings: []protocol.PositionEncodingKind{utf32}}, utf32, 7},
		{"an unknown one is passed over", &protocol.GeneralClientCapabilities{PositionEncodings: []protocol.PositionEncodingKind{"ebcdic", utf32}}, utf32, 7},
		{"only unknown ones", &protocol.GeneralClientCapabilities{PositionEncodings: []protocol.PositionEncodingKind{"ebcdic"}}, utf16, 8},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e := lsptest.Start(t, lsp.Options{})
			result := e.Initialize(func(p *protocol.InitializeParams) { p.Capabilities.General = test.general })
			require.Equal(t, test.want, result.Capabilities.PositionEncoding)
			e.Open(mainURI, "go", "package p\n\nfunc 𝒳é() {}\n")
			var symbols protocol.DocumentSymbolSlice
			require.NoError(t, e.Request(protocol.MethodTextDocumentDocumentSymbol, symbolsOf(mainURI), &symbols))
			require.Equal(t, protocol.Range{Start: at(2, 5), End: at(2, test.end)}, symbols[0].SelectionRange)
		})
	}
}

func TestSession_KnowsItsFolders(t *testing.T) {
	t.Parallel()
	root, other := uri.URI("file:///w/one"), uri.URI("file:///w/two%20words")
	folder := func(u uri.URI, name string) protocol.WorkspaceFolder {
		return protocol.WorkspaceFolder{URI: u, Name: name}
	}
	one, two := editor.Folder{URI: root, Name: "one", Path: "/w/one"}, editor.Folder{URI: other, Name: "2", Path: "/w/two words"}
	change := func(added, removed []protocol.WorkspaceFolder) *protocol.WorkspaceFoldersChangeEvent {
		return &protocol.WorkspaceFoldersChangeEvent{Added: added, Removed: removed}
	}
	tests := []struct {
		name   string
		given  func(p *protocol.InitializeParams)
		change *protocol.WorkspaceFoldersChangeEvent
		want   []editor.Folder
	}{
		{"none", func(*protocol.InitializeParams) {}, nil, nil},
		{"workspaceFolders win", func(p *protocol.InitializeParams) {
			p.WorkspaceFolders = protocol.NewNullable([]protocol.WorkspaceFolder{folder(root, "one"), folder(other, "2")})
			p.RootURI = &other
		}, nil, []editor.Folder{one, two}},
		{"rootUri", func(p *protocol.InitializeParams) {
			p.WorkspaceFolders = protocol.NullNullable[[]protocol.WorkspaceFolder]()
			p.RootURI = &root
			p.RootPath = protocol.NewNullable("/w/two")
		}, nil, []editor.Folder{one}},
		{"rootPath", func(p *protocol.InitializeParams) { p.RootPath = protocol.NewNullable("/w/one") }, nil, []editor.Folder{one}},
		{"a folder that is no file", func(p *protocol.InitializeParams) {
			p.WorkspaceFolders = protocol.NewNullable([]protocol.WorkspaceFolder{folder("vscode-vfs://github/x", "x")})
		}, nil, []editor.Folder{{URI: "vscode-vfs://github/x", Name: "x"}}},
		{"added", func(p *protocol.InitializeParams) { p.RootURI = &root },
			change([]protocol.WorkspaceFolder{folder(other, "2"), folder(root, "again")}, nil), []editor.Folder{one, two}},
		{"removed", func(p *protocol.InitializeParams) { p.RootURI = &root },
			change(nil, []protocol.WorkspaceFolder{folder("file:///w/./one", "one"), folder("file:///w/none", "")}), []editor.Folder{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			editor, server := inspectedAs(t, test.given)
			if test.change != nil {
				editor.Notify(protocol.MethodWorkspaceDidChangeWorkspaceFolders, &protocol.DidChangeWorkspaceFoldersParams{Event: *test.change})
			}
			require.Equal(t, test.want, server().Folders())
		})
	}
}
