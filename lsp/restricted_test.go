package lsp_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"

	"forge/api"
	"forge/lsp"
	"forge/lsp/lsptest"
)

// restrictions records what the client said.
type restrictions struct{ told []bool }

func (r *restrictions) Restrict(on bool) { r.told = append(r.told, on) }

// A client restricts its workspace when the session begins, and says when the user trusts it. Options of other shapes are of no concern to Forge,
// but what is not clear restricts.
func TestRestriction_IsThatOfTheClient(t *testing.T) {
	t.Parallel()
	for options, want := range map[string][]bool{
		``:                                {},
		`null`:                            {},
		`[1]`:                             {},
		`{"models":{"default":"x"}}`:      {},
		`{"restricted":false}`:            {},
		`{"restricted":true,"models":[]}`: {true},
		`{"restricted":"yes"}`:            {true},
	} {
		t.Run(options, func(t *testing.T) {
			t.Parallel()
			told := &restrictions{told: []bool{}}
			parts := (&fakeEngine{}).parts()
			parts.Restrictor = told
			e := lsptest.Start(t, lsp.Options{Engine: parts})
			e.Initialize(func(p *protocol.InitializeParams) { p.InitializationOptions = protocol.LSPAny(options) })
			require.Equal(t, want, told.told)
			e.Notify(api.RestrictMethod, api.Restriction{})
			require.NoError(t, e.Request(protocol.MethodWorkspaceExecuteCommand, executeParams(t, api.Status, nil), nil))
			require.Equal(t, append(want, false), told.told, "the next request knows")
		})
	}
}
