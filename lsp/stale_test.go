package lsp

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/engine/proposal"
	"forge/patch"
)

// A client that knows no versions cannot notice that an edit is not for the text it has: the text is
// read again just before the edit is sent.
func TestTextsAreReadAgainForClientsWithoutVersions(t *testing.T) {
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
			s := newServer(t.Context(), Options{})
			folder := Folder{Path: t.TempDir()}
			u := uri.File(folder.Path + "/a.txt")
			open := func(text string) {
				s.docs.Begin(protocol.TextDocumentItem{URI: u, Text: text})
			}
			p := proposal.New("p", "r", "x", patch.ChangeSet{
				Files: []patch.FileChange{{Path: "a.txt", Before: "one\n", After: "two\n"}},
			}, nil, nil)
			a := &application{by: newFront(s).applier, review: newReview(folder, p)}
			open("one\n")
			now, err := a.by.folders.texts(folder, p)
			require.NoError(t, err)
			plans, err := p.Plan([]string{"f1h1"}, now.lookup)
			require.NoError(t, err)
			c := &composer{can: features{documentChanges: tc.versions}, proposal: p, sent: plans}
			open(tc.typed)
			stale, err := a.stale(c, now)
			require.NoError(t, err)
			require.Equal(t, tc.want, stale)
		})
	}
}
