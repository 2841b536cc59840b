package config

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Where skills and instructions are read is for the user to say. A folder that says it is not heard: it could have any file read.
func TestGuides_WhereGuidesAreRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := loadText(t, "skills: ["+dir+", ~/mine, there]\ninstructions: [GEMINI.md, docs/agents.md, ../x, .git/config]\n", "")
	require.Contains(t, s.Skills, filepath.Clean(dir))
	require.NotContains(t, s.Skills, "there")
	require.Equal(t, []string{"GEMINI.md", "docs/agents.md"}, s.Instructions)
	var said string
	for _, n := range s.Notices {
		said += n.String() + "\n"
	}
	require.Contains(t, said, `"there" is no folder that can be found from everywhere`)
	require.Contains(t, said, `"../x" is no file of a project`)
	require.Contains(t, said, `".git/config" is no file of a project`)

	s = loadText(t, "", "skills: ["+dir+"]\ninstructions: [/etc/passwd]\nstopAtFirst: true\n")
	require.Empty(t, s.Skills)
	require.Empty(t, s.Instructions)
	require.False(t, s.Gates.AtFirst)
	require.NotEmpty(t, s.Notices)
}
