package config

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The user decides where skills and instructions are read. A folder's setting is ignored: it could have any file read.
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
	require.Contains(t, said, `"there" is not an absolute path`)
	require.Contains(t, said, `"../x" is not a file of a project`)
	require.Contains(t, said, `".git/config" is not a file of a project`)

	s = loadText(t, "", "skills: ["+dir+"]\ninstructions: [/etc/passwd]\nstopAtFirst: true\n")
	require.Empty(t, s.Skills)
	require.Empty(t, s.Instructions)
	require.False(t, s.Gates.AtFirst)
	require.NotEmpty(t, s.Notices)
}

// Only the user's own file says when all tests are run, and what means nothing is reported.
func TestWholeSuite_IsOneOfThree(t *testing.T) {
	t.Parallel()
	require.Equal(t, "before", loadText(t, "wholeSuite: before\n", "").Gates.Whole)
	for _, no := range []string{"false", "no", "off"} {
		s := loadText(t, "wholeSuite: "+no+"\n", "")
		require.Equal(t, "never", s.Gates.Whole)
		require.Empty(t, s.Notices)
	}
	require.NotEmpty(t, loadText(t, "wholeSuite: true\n", "").Notices, "which of both it means is unknown")
	require.Empty(t, loadText(t, "", "wholeSuite: before\n").Gates.Whole, "a folder does not")
	s := loadText(t, "wholeSuite: sometimes\n", "")
	require.Empty(t, s.Gates.Whole)
	require.Contains(t, fmt.Sprint(s.Notices), `"sometimes" is not valid: use background, before or never`)
}
