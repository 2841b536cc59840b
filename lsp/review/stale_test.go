package review

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/engine/proposal"
	"forge/lsp/editor"
	"forge/patch"
)

// A client that knows no versions cannot notice that an edit is not for the text it has: the text is
// read again just before the edit is sent.
func TestDocuments_TextsAreReadAgainForClientsWithoutVersions(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		versions bool
		typed    string
		want     bool
	}{
		"the same":      {false, "one\n", false},
		"changed":       {false, "one\ntyped\n", true},
		"with versions": {true, "one\ntyped\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			docs := editor.NewDocuments()
			folder := editor.Folder{Path: t.TempDir()}
			u := uri.File(folder.Path + "/a.txt")
			open := func(text string) {
				docs.Begin(protocol.TextDocumentItem{URI: u, Text: text})
			}
			p := proposal.New("p", "r", "x", patch.ChangeSet{
				Files: []patch.FileChange{{Path: "a.txt", Before: "one\n", After: "two\n"}},
			}, nil, nil)
			a := &application{by: &applier{folders: editor.NewFolders(&editor.Session{}, docs)}, review: NewReview(folder, p)}
			open("one\n")
			now, err := textsOf(a.by.folders, folder, p)
			require.NoError(t, err)
			plans, err := p.Plan([]string{"f1h1"}, now.lookup)
			require.NoError(t, err)
			c := &composer{can: editor.Features{DocumentChanges: tc.versions}, proposal: p, sent: plans}
			open(tc.typed)
			stale, err := a.stale(c, now)
			require.NoError(t, err)
			require.Equal(t, tc.want, stale)
		})
	}
}
