package lsp_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/lsp"
	"forge/lsp/lsptest"
)

const mainURI = uri.URI("file:///w/main.go")

// symbolsOf are the parameters of a request that every server answers once it runs.
func symbolsOf(u uri.URI) *protocol.DocumentSymbolParams {
	return &protocol.DocumentSymbolParams{TextDocument: protocol.TextDocumentIdentifier{URI: u}}
}

// requireCode checks that an answer is an error with this code; 0 means a result.
func requireCode(t *testing.T, want jsonrpc2.Code, err error) {
	t.Helper()
	if want == 0 {
		require.NoError(t, err)
		return
	}
	var wire *jsonrpc2.Error
	require.ErrorAs(t, err, &wire)
	require.Equal(t, want, wire.Code, wire.Message)
}

// requireAlive checks that the server still answers.
func requireAlive(t *testing.T, e *lsptest.Editor) {
	t.Helper()
	require.NoError(t, e.Request(protocol.MethodTextDocumentDocumentSymbol, symbolsOf(mainURI), nil))
}

func TestServer_FollowsTheLifecycle(t *testing.T) {
	t.Parallel()
	type step struct {
		method string
		params any
		code   jsonrpc2.Code // 0 is a result
	}
	initialize := step{protocol.MethodInitialize, &protocol.InitializeParams{}, 0}
	symbols := step{protocol.MethodTextDocumentDocumentSymbol, symbolsOf(mainURI), 0}
	down := step{protocol.MethodShutdown, nil, 0}
	as := func(s step, code jsonrpc2.Code) step { s.code = code; return s }
	tests := []struct {
		name  string
		steps []step
		exit  int
	}{
		{"the usual way", []step{initialize, symbols, down}, 0},
		{"exit at once", nil, 1},
		{"exit without shutdown", []step{initialize, symbols}, 1},
		{"requests before initialize", []step{
			as(symbols, jsonrpc2.ServerNotInitialized), as(down, jsonrpc2.ServerNotInitialized),
			{"probe/unknown", nil, jsonrpc2.ServerNotInitialized}, initialize, symbols,
		}, 1},
		{"bad initialize may be repeated", []step{
			{protocol.MethodInitialize, jsonrpc2.RawMessage(`[5]`), jsonrpc2.InvalidParams}, initialize, symbols,
		}, 1},
		{"second initialize", []step{initialize, as(initialize, jsonrpc2.InvalidRequest), symbols, down}, 0},
		{"requests after shutdown", []step{
			initialize, down, as(symbols, jsonrpc2.InvalidRequest), as(down, jsonrpc2.InvalidRequest),
			as(initialize, jsonrpc2.InvalidRequest), {"probe/unknown", nil, jsonrpc2.InvalidRequest},
		}, 0},
		{"unknown requests", []step{
			initialize, {"probe/unknown", nil, jsonrpc2.MethodNotFound}, {"$/unknown", nil, jsonrpc2.MethodNotFound},
			{protocol.MethodTextDocumentDidOpen, nil, jsonrpc2.MethodNotFound}, symbols,
		}, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e := lsptest.Start(t, lsp.Options{Log: quiet()})
			for _, s := range test.steps {
				requireCode(t, s.code, e.Request(s.method, s.params, nil))
			}
			e.Notify(protocol.MethodExit, nil)
			require.Equal(t, test.exit, e.ExitCode())
		})
	}
}
