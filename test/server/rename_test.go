package server

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"

	"forge/api"
	"forge/codeintel/treesitter"
)

// A rename is a proposal of the whole folder that no model was asked for; textDocument/rename is left to the server of the language.
func TestRename_IsAProposal(t *testing.T) {
	t.Parallel()
	trusts := false
	d := start(t, setting{params: rich, outliner: new(treesitter.Outliner), answer: func(q protocol.ShowMessageRequestParams) *protocol.MessageActionItem {
		require.Contains(t, q.Message, "do you trust the code in")
		if !trusts {
			return dismiss(q)
		}
		return choosing("Trust and apply")(q)
	}})
	for name, text := range map[string]string{"a.py": "def total():\n    return 'total'\n", "b.py": "from a import total\n\ntotal()\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(d.root, name), []byte(text), 0o644))
	}
	require.Nil(t, d.offers.RenameProvider)
	got := ask[api.SweepResult](d, api.Rename, api.RenameArgs{Symbol: "total", To: "sum_up", DryRun: true})
	require.False(t, got.Refused, got.Text)
	require.Contains(t, got.Text, "renamed total to sum_up: 3 places in 2 files\na.py: 1\nb.py: 2")
	require.NotNil(t, got.Proposal)
	require.Len(t, got.Proposal.Files, 2)
	require.ErrorContains(t, d.execute(api.ApplyProposal, api.ProposalArgs{ProposalID: got.Proposal.ProposalID}, nil), "the folder is not trusted, so nothing was applied")
	require.Equal(t, "from a import total\n\ntotal()\n", d.disk()["b.py"])
	trusts = true
	applied := ask[api.ApplyResult](d, api.ApplyProposal, api.ProposalArgs{ProposalID: got.Proposal.ProposalID})
	require.Len(t, applied.Files, 2)
	require.Equal(t, "from a import sum_up\n\nsum_up()\n", d.disk()["b.py"])

	got = ask[api.SweepResult](d, api.Rename, api.RenameArgs{Symbol: "print", To: "show", DryRun: true})
	require.True(t, got.Refused)
	require.Nil(t, got.Proposal)
	got = ask[api.SweepResult](d, api.Replace, api.ReplaceArgs{Find: "sum_up", Replace: "add_up", Paths: []string{"b.py"}, DryRun: true})
	require.Contains(t, got.Text, "b.py: 2")
}
