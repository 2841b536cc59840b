package lsp_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"forge/api"
)

// A client that announces what it cannot do gets everything without it: hints, messages, and an honest result.
func TestClient_AnnouncesWhatItCannotDo(t *testing.T) {
	bubble(t, func(t *testing.T) {
		yes := true
		d := start(t, map[string]string{"calc.go": calcGo, "doc.go": matrixFiles[1].Before}, &fakeEngine{script: proposing(matrixFiles...)}, func(p *protocol.InitializeParams) {
			p.Capabilities.Window.ShowDocument = &protocol.ShowDocumentClientCapabilities{Support: true}
			p.Capabilities.Window.WorkDoneProgress = &yes
			p.Capabilities.Workspace.Configuration = &yes
			p.Capabilities.Workspace.ApplyEdit = &yes
		})
		for _, method := range []string{
			protocol.MethodWindowShowDocument, protocol.MethodWindowWorkDoneProgressCreate, protocol.MethodWorkspaceConfiguration,
			protocol.MethodClientRegisterCapability, protocol.MethodWorkspaceApplyEdit,
		} {
			d.Handle(method, func([]byte) (any, error) { return nil, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "no such method") })
		}
		d.Handle(protocol.MethodWindowShowMessageRequest, choosingIfOffered("Show"))
		d.Open(d.uri("calc.go"), "go", calcGo)
		d.proposal()
		synctest.Wait()
		require.NotEmpty(t, said(d, "accept or reject each hunk"), "no document can be shown, so a message says where the hunks are")
		var result api.ApplyResult
		require.NoError(t, d.Await(d.Post(protocol.MethodWorkspaceExecuteCommand, executeParams(t, api.ApplyProposal, api.ProposalArgs{})), &result))
		for _, file := range result.Files {
			require.Equal(t, "skipped", file.State)
			require.NotEmpty(t, file.Message)
		}
		require.Equal(t, calcGo, d.Text(d.uri("calc.go")))
		require.Empty(t, d.engine.records())
	})
}
