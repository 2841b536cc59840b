package lsp_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

func (d *harness) lenses(u uri.URI) (all []protocol.CodeLens) {
	d.t.Helper()
	require.NoError(d.t, d.Request(protocol.MethodTextDocumentCodeLens, &protocol.CodeLensParams{TextDocument: protocol.TextDocumentIdentifier{URI: u}}, &all))
	return all
}

func lensTitles(lenses []protocol.CodeLens) (all []string) {
	for _, l := range lenses {
		all = append(all, l.Command.Title)
	}
	return all
}

// lensing is a client that requests lenses again when the server asks.
func lensing(p *protocol.InitializeParams) {
	yes := true
	p.Capabilities.Workspace.CodeLens = &protocol.CodeLensWorkspaceClientCapabilities{RefreshSupport: &yes}
}

// refreshes counts how often the client was asked to request lenses again.
func (d *harness) refreshes() (n int) {
	synctest.Wait()
	for _, m := range d.Messages() {
		if m.Method == protocol.MethodWorkspaceCodeLensRefresh {
			n++
		}
	}
	return n
}

// Above each hunk stands what accepts and what rejects it, where the hunk is now. The client is asked to request them again after a decision.
func TestCodeLens_AcceptsAndRejectsHunks(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startWithCalc(t, lensing)
		u := d.uri("calc.go")
		before := d.refreshes()
		require.NotZero(t, before, "the proposal is there")
		d.Edit(u, insert(0, "// typed\n"))
		lenses := d.lenses(u)
		require.Equal(t, []string{"Forge: accept hunk f1h1", "Forge: reject hunk f1h1", "Forge: accept hunk f1h2", "Forge: reject hunk f1h2"}, lensTitles(lenses))
		require.Equal(t, protocol.Range{Start: protocol.Position{Line: 3}, End: protocol.Position{Line: 3}}, lenses[0].Range)

		require.NoError(t, d.execute(lenses[0].Command.Command, lenses[0].Command.Arguments[0], nil))
		require.Equal(t, "// typed\n"+fixedCalc, d.Text(u))
		require.Greater(t, d.refreshes(), before)
		lenses = d.lenses(u)
		require.Equal(t, []string{"Forge: accept hunk f1h2", "Forge: reject hunk f1h2"}, lensTitles(lenses))
		before = d.refreshes()
		require.NoError(t, d.execute(lenses[1].Command.Command, lenses[1].Command.Arguments[0], nil))
		require.Equal(t, "// typed\n"+fixedCalc, d.Text(u))
		require.Greater(t, d.refreshes(), before)
		require.Empty(t, d.lenses(u))
	})
}

// A hunk whose lines the user has changed can only be rejected.
func TestCodeLens_RejectsAHunkInConflict(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startWithCalc(t, lensing)
		u := d.uri("calc.go")
		d.Edit(u, insert(2, "mine "))
		d.apply(nil, "f1h1")
		titles := lensTitles(d.lenses(u))
		require.Contains(t, titles, "Forge: reject hunk f1h1")
		require.NotContains(t, titles, "Forge: accept hunk f1h1")
	})
}

// A client with a user interface for proposals draws its own lenses.
func TestCodeLens_NoneForAClientWithItsOwn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startWithCalc(t, lensing, rich)
		require.Empty(t, d.lenses(d.uri("calc.go")))
		before := d.refreshes()
		d.apply(nil, "f1h1")
		require.Equal(t, before, d.refreshes())
	})
}
