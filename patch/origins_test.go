package patch_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/patch"
)

func TestOrigins_AreThoseThatGitWouldSee(t *testing.T) {
	t.Parallel()
	script := "#!/bin/sh\nset -e\nmake all\nmake install\n"
	set := patch.ChangeSet{Files: []patch.FileChange{
		{Kind: patch.Delete, Path: "build.sh", Before: script},
		{Kind: patch.Delete, Path: "deploy.sh", Before: script},
		{Kind: patch.Delete, Path: "empty"},
		{Kind: patch.Create, Path: "fresh", After: ""},
		{Kind: patch.Move, From: "from", Path: "to", Before: "1\n", After: "2\n"},
		{Kind: patch.Create, Path: "scripts/deploy.sh", After: "#!/bin/sh\ncd ..\nset -e\nmake all\nmake install\n"},
		{Kind: patch.Create, Path: "scripts/exact", After: script},
		{Kind: patch.Create, Path: "scripts/other.sh", After: "#!/bin/sh\nset -e\nanother program, which shares a few lines\n"},
		{Kind: patch.Update, Path: "updated", Before: script, After: script + "\n"},
	}}
	require.Equal(t, map[string]string{"to": "from", "scripts/deploy.sh": "deploy.sh", "scripts/exact": "build.sh"}, set.Origins())
	require.Empty(t, patch.ChangeSet{}.Origins())
}
