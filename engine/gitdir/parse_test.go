package gitdir

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRulesBelow_AreThoseOfTheFolder(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, rules, prefix, want string }{
		{"any depth", "*.log\nbuild/\n", "a/b", "*.log|build/"},
		{"anchored here", "/a/b/out\n", "a/b", "/out"},
		{"anchored by a slash inside", "a/b/out/\n", "a/b", "/out/"},
		{"anchored elsewhere", "/out\nc/out\n/a/bc/out\n", "a/b", ""},
		{"negated", "!keep.log\n!/a/x\n", "a", "!keep.log|!/x"},
		{"double star", "**/gen/*.go\n", "a", "**/gen/*.go"},
		{"comments and blanks", "# no\n\n  \r\n*.o\r\n", "a", "  |*.o"},
		{"the folder itself", "/a/\n", "a", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, strings.Join(rulesBelow(tt.rules, tt.prefix), "|"))
		})
	}
}

// A written batch reads back the same, whatever the contents.
func FuzzParseObjects(f *testing.F) {
	f.Add([]byte("content\n"), []byte(""))
	f.Add([]byte("0123 blob 3\nabc\n"), []byte("\x00"))
	f.Fuzz(func(t *testing.T, one, two []byte) {
		_, _, _ = parseObjects(one) // garbage must not panic
		batch := fmt.Sprintf("id1 blob %d\n%s\nid0 missing\nid2 commit %d\n%s\n", len(one), one, len(two), two)
		got, missing, err := parseObjects([]byte(batch))
		require.NoError(t, err)
		require.Equal(t, []string{"id0"}, missing)
		require.Equal(t, string(one), string(got["id1"]))
		require.Equal(t, string(two), string(got["id2"]))
		_, _, err = parseObjects([]byte(batch[:len(batch)-1]))
		require.Error(t, err, "cut output is no output")
	})
}

func FuzzParseRaw(f *testing.F) {
	f.Add(":100644 100644 aa bb M\x00path\x00")
	f.Add(":120000 000000 aa bb D\x00link\x00:100755 0 aa b D\x00x")
	f.Fuzz(func(t *testing.T, out string) {
		found, err := parseRaw(records([]byte(out)))
		require.True(t, err == nil || len(found) == 0)
	})
}

func TestParse_RejectsUnknownGitOutput(t *testing.T) {
	t.Parallel()
	_, _, err := parseObjects([]byte("0123 ambiguous\n"))
	require.ErrorIs(t, err, errBatch)
	_, err = open(t, t.TempDir()).Objects(t.Context(), []string{strings.Repeat("0123", 10)})
	require.ErrorIs(t, err, errBatch, "Forge's own objects are there")
	_, err = parseRaw([]string{":100644 100644 aa bb M"})
	require.ErrorIs(t, err, errRaw)
}

func TestClosedFolders_AreNamed(t *testing.T) {
	t.Parallel()
	require.Equal(t, []Skipped{
		{"closed", "the folder cannot be read: check its permissions"}, {"it's/deep", "the folder cannot be read: check its permissions"},
	}, closedFolders("warning: could not open directory 'closed/': Permission denied\nwarning: other\n"+
		"warning: could not open directory 'it's/deep/': Permission denied"))
}
