package look

import (
	"strings"
	"testing"

	"forge/cmd/forge/terminal"

	"github.com/stretchr/testify/require"
)

func TestInsidePath_StaysInTheFolder(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"a.go": "a.go", "./a/../b.go": "b.go", "/w/a/b.go": "a/b.go", "a//b.go": "a/b.go",
		"": "", ".": "", "/w": "", "..": "", "../w/a.go": "", "/else/a.go": "", "a/../../b": "",
	} {
		got, err := insidePath("/w", name)
		require.Equal(t, want, got, name)
		require.Equal(t, want == "", err != nil, name)
	}
}

// Text of a file cannot move the cursor, and a long line does not flood the screen.
func TestSearch_LinesAreShownInert(t *testing.T) {
	t.Parallel()
	require.Equal(t, `    a\u001b[2J b`, terminal.OnOneLine("\ta\x1b[2J\nb"))
	require.Equal(t, strings.Repeat("é", terminal.MaxShownLine-1)+"…", terminal.OnOneLine(strings.Repeat("é", terminal.MaxShownLine+1)))
	require.Equal(t, strings.Repeat("é", terminal.MaxShownLine), terminal.OnOneLine(strings.Repeat("é", terminal.MaxShownLine)))
}
