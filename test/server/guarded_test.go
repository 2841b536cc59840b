package server

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"

	"forge/api"
	"forge/internal/testkit"
)

const reviewed = "\n- {match: {node: review}, reply: {json: {pass: true, reason: good, issues: []}}}\n"

// edits are the workspace edits that an editor was sent, as they came.
type edits struct {
	mu   sync.Mutex // guards sent
	sent []string
}

func (e *edits) all() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]string(nil), e.sent...)
}

// creating is an editor that can make files, asking one that can have each change confirmed as well.
func creating(p *protocol.InitializeParams) {
	p.Capabilities.Workspace.WorkspaceEdit.ResourceOperations = []protocol.ResourceOperationKind{protocol.ResourceOperationKindCreate}
}

func asking(p *protocol.InitializeParams) {
	creating(p)
	p.Capabilities.Workspace.WorkspaceEdit.ChangeAnnotationSupport = &protocol.ChangeAnnotationsSupportOptions{}
}

// proposed is a session with the proposal of a run that wrote files, none of which is accepted yet.
func proposed(t *testing.T, params func(*protocol.InitializeParams), lay func(root string), files map[string]string) (*harness, *edits) {
	t.Helper()
	d := start(t, setting{script: reviewed, params: params, answer: func(q protocol.ShowMessageRequestParams) *protocol.MessageActionItem {
		if strings.Contains(q.Message, "trust") {
			return &q.Actions[0]
		}
		return nil
	}})
	lay(d.root)
	sent := &edits{}
	apply := d.Answering(protocol.MethodWorkspaceApplyEdit)
	d.Handle(protocol.MethodWorkspaceApplyEdit, func(params []byte) (any, error) {
		sent.mu.Lock()
		sent.sent = append(sent.sent, string(params))
		sent.mu.Unlock()
		return apply(params)
	})
	var direct []api.Direct
	for path, content := range files {
		direct = append(direct, api.Direct{Tool: "write_file", Args: map[string]string{"path": path, "content": content}})
	}
	result, err := d.run(api.RunArgs{Direct: direct, Approve: "edits"})
	require.NoError(t, err)
	require.Equal(t, "succeeded", result.State, result.Reason)
	return d, sent
}

// An editor is sent no edit of a path that links lead into .git: it would follow them.
func TestApply_SendsNoEditThroughALinkIntoGit(t *testing.T) {
	t.Parallel()
	for link, to := range testkit.SampleMap(1, map[string]string{"cfg": ".git/hooks", "sub/cfg": "../.git", "hook": ".git/hooks/pre-commit"}) {
		t.Run(link, func(t *testing.T) {
			t.Parallel()
			path := link
			if link != "hook" {
				path += "/pre-commit"
			}
			d, sent := proposed(t, creating, func(root string) {
				require.NoError(t, os.MkdirAll(filepath.Join(root, ".git", "hooks"), 0o755))
				require.NoError(t, os.MkdirAll(filepath.Join(root, "sub"), 0o755))
			}, map[string]string{path: "touch CANARY\n", "note.txt": "x\n"})
			require.NoError(t, os.Symlink(to, filepath.Join(d.root, link))) // after the run: no scratch copy had it
			var applied api.ApplyResult
			err := d.execute(api.ApplyProposal, api.ProposalArgs{}, &applied)
			require.ErrorContains(t, err, "leads into a git directory")
			require.Empty(t, sent.all())
			require.NoError(t, d.execute(api.ApplyProposal, api.ProposalArgs{Select: &api.Select{Files: []string{"note.txt"}}}, &applied))
			require.Equal(t, "applied", applied.Files[0].State, applied)
			require.Len(t, sent.all(), 1)
			found, err := os.ReadDir(filepath.Join(d.root, ".git", "hooks"))
			require.NoError(t, err)
			require.Empty(t, found)
		})
	}
}

// Applying everything shows a control file with the reason, to be confirmed; an editor that cannot ask gets the rest, and
// the file only by its own name.
func TestApply_AllDoesNotCoverControlFiles(t *testing.T) {
	t.Parallel()
	files := map[string]string{".vscode/tasks.json": "{}\n", "note.txt": "x\n", "Makefile": "all:\n"}
	lay := func(root string) { require.NoError(t, os.Mkdir(filepath.Join(root, ".vscode"), 0o755)) } // the editor here makes no folders
	t.Run("an editor that asks", func(t *testing.T) {
		t.Parallel()
		d, sent := proposed(t, asking, lay, files)
		var applied api.ApplyResult
		require.NoError(t, d.execute(api.ApplyProposal, api.ProposalArgs{Reviewed: true}, &applied), "also after a look at the diff")
		require.Len(t, sent.all(), 1)
		var edit protocol.ApplyWorkspaceEditParams
		require.NoError(t, protocol.Unmarshal([]byte(sent.all()[0]), &edit))
		for path, said := range map[string]string{".vscode/tasks.json": "when the folder is opened", "Makefile": "built, tested or installed"} {
			annotation, is := edit.Edit.ChangeAnnotations[protocol.ChangeAnnotationIdentifier(path)]
			require.True(t, is, path)
			require.True(t, *annotation.NeedsConfirmation, path)
			require.Contains(t, *annotation.Description, said)
		}
		require.False(t, *edit.Edit.ChangeAnnotations["note.txt"].NeedsConfirmation)
		require.Contains(t, applied.Files[0].URI, "tasks.json", "what needs a look stands first")
	})
	if testing.Short() {
		return // who cannot ask takes all but these files, as --yes does in TestRun_YesDoesNotCoverControlFiles
	}
	t.Run("an editor that cannot ask", func(t *testing.T) {
		t.Parallel()
		d, sent := proposed(t, creating, lay, files)
		var applied api.ApplyResult
		require.NoError(t, d.execute(api.ApplyProposal, api.ProposalArgs{}, &applied))
		require.Len(t, sent.all(), 1)
		require.NotContains(t, sent.all()[0], "tasks.json")
		require.NoFileExists(t, filepath.Join(d.root, ".vscode", "tasks.json"))
		require.Len(t, applied.Files, 3)
		require.Equal(t, "skipped", applied.Files[2].State)
		require.Contains(t, applied.Files[2].Message, "when the folder is opened")
		require.NoError(t, d.execute(api.ApplyProposal, api.ProposalArgs{Select: &api.Select{Files: []string{".vscode/tasks.json"}}}, &applied))
		require.Equal(t, "applied", applied.Files[0].State)
	})
}
