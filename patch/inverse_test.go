package patch

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestInverse_TakesBack(t *testing.T) {
	t.Parallel()
	c := ChangeSet{Files: []FileChange{
		{Kind: Create, Path: "new", After: "n"},
		{Kind: Delete, Path: "old", Before: "o"},
		{Kind: Update, Path: "same", Before: "1", After: "2"},
		{Kind: Move, Path: "to", From: "from", Before: "m", After: "M"},
	}}
	require.Equal(t, ChangeSet{Files: []FileChange{
		{Kind: Move, Path: "from", From: "to", Before: "M", After: "m"},
		{Kind: Delete, Path: "new", Before: "n"},
		{Kind: Create, Path: "old", After: "o"},
		{Kind: Update, Path: "same", Before: "2", After: "1"},
	}}, c.Inverse())
	require.Equal(t, c, c.Inverse().Inverse())
}
