package proposal

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/patch"
)

// A request that names a file covers what the file is for, and no text that reads differently from what it is.
func TestAsked_DoesNotCoverDeceptiveTexts(t *testing.T) {
	t.Parallel()
	for text, guarded := range map[string]bool{"TOKEN=x\n": false, "TOKEN=\u202ex\n": true} {
		set := patch.ChangeSet{Files: []patch.FileChange{{Path: ".env", Kind: patch.Create, After: text}, {Path: "notes.md", Kind: patch.Create, After: text}}}
		p := New("p", "r", "", set, nil, nil)
		require.NotEmpty(t, p.Guarded())
		p.Asked("write notes.md and .env")
		require.Equal(t, guarded, len(p.Guarded()) == 2, "%q", text)
		p.AskedWhole()
		require.Empty(t, p.Guarded())
	}
}
