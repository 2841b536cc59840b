package history

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/patch"
)

func TestInEffect_FollowsUndoAndRedo(t *testing.T) {
	t.Parallel()
	entry := func(run string, files ...CheckpointFile) Checkpoint { return Checkpoint{RunID: run, Files: files} }
	file := func(path string) CheckpointFile { return CheckpointFile{Path: path, Kind: patch.Update} }
	for name, c := range map[string]struct {
		newestFirst []Checkpoint
		want        string
	}{
		"nothing":               {nil, ""},
		"another run":           {[]Checkpoint{entry("r2", file("a"))}, ""},
		"in two steps":          {[]Checkpoint{entry("r", file("b")), entry("r", file("a"))}, "a b"},
		"undone":                {[]Checkpoint{entry("undo.r", file("a"), file("b")), entry("r", file("a"), file("b"))}, ""},
		"undone in part":        {[]Checkpoint{entry("undo.r", file("a")), entry("r", file("a"), file("b"))}, "b"},
		"redone":                {[]Checkpoint{entry("undo.undo.r", file("a")), entry("undo.r", file("a")), entry("r", file("a"))}, "a"},
		"other part after undo": {[]Checkpoint{entry("r", file("b")), entry("undo.r", file("a")), entry("r", file("a"))}, "b"},
		"moved and back": {[]Checkpoint{
			entry("undo.r", CheckpointFile{Path: "a", From: "b", Kind: patch.Move}), entry("r", CheckpointFile{Path: "b", From: "a", Kind: patch.Move}),
		}, ""},
	} {
		require.Equal(t, c.want, strings.Join(InEffect(c.newestFirst, "r"), " "), name)
	}
}
