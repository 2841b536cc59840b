package dialogue

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"
)

// texts are files of a tree.
type texts map[string]string

func (t texts) ReadFile(name string) ([]byte, error) {
	if text, is := t[name]; is {
		return []byte(text), nil
	}
	return nil, fs.ErrNotExist
}

func TestReplaced_NamesEachEditThatDoesNotMatch(t *testing.T) {
	t.Parallel()
	files := texts{"a.go": "package a\n\nvar one = 1\n\nvar two = 2\n", "b.go": "package b\n\nvar three = 3\n"}
	edits := []replacement{
		{Path: "a.go", Search: "var one = 1\n", Replace: "var one = 11\n"},
		{Path: "a.go", Search: "var zwei = 2\n", Replace: "var two = 22\n"},
		{Path: "b.go", Search: "var drei = 3\n", Replace: "var three = 33\n"},
		{Path: "b.go", Search: "package b\n", Replace: "package c\n"},
	}
	_, err := answer{Edits: edits}.replaced(files)
	require.ErrorContains(t, err, `a.go: replacement 1 (of "var zwei = 2") does not match.`)
	require.ErrorContains(t, err, `b.go: replacement 1 (of "var drei = 3") does not match.`)
	require.ErrorContains(t, err, "\n2 of 4 edits match, and can stay as they are.")

	_, err = answer{Edits: edits[1:2]}.replaced(files) // one alone
	require.ErrorContains(t, err, "does not match.")
	require.NotContains(t, err.Error(), "edits match")

	changes, err := answer{Edits: edits[:1]}.replaced(files)
	require.NoError(t, err)
	require.Len(t, changes.Files, 1)
}
