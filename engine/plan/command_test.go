package plan

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCommandIn_TellsCommandsFromSentences(t *testing.T) {
	t.Parallel()
	for entry, want := range map[string]string{
		"$ go test ./...":     "go test ./...",
		"`frobnicate it`":     "frobnicate it",
		"go test ./...":       "go test ./...",
		"npm test":            "npm test",
		"pytest":              "pytest",
		"cargo test --all":    "cargo test --all",
		"./gradlew check":     "./gradlew check",
		"ruff check .":        "ruff check .",
		"go vet ./... | tail": "go vet ./... | tail",
	} {
		c, is := CommandIn(entry)
		require.True(t, is, entry)
		require.Equal(t, want, c.Line)
	}
	for _, entry := range []string{
		"", "it works", "Add adds", "go through all rows", "make sure that the sums add up", "test that a/b is rounded", "find the file tax.go",
		"sort by name", "the command `go test` passes", "go test ./... passes in each folder", "make tests pass.", "both `a` and `b`",
	} {
		_, is := CommandIn(entry)
		require.False(t, is, entry)
	}
	c, _ := CommandIn("$ rm -rf /")
	require.NotEmpty(t, c.Trouble)
	c, _ = CommandIn("$ go vet && go test")
	require.Contains(t, c.Trouble, "needs a shell")
	require.Empty(t, c.Argv)
}

// No piece of a divided part passes the commands of the part.
func TestUndivided_LeavesCommandsToTheWhole(t *testing.T) {
	t.Parallel()
	split, single := part("api", "x y"), part("one", "o")
	split.SubTasks = []Sub{{"x", "X", "do x", []string{"x"}}, {"y", "Y", "do y", []string{"y"}}}
	split.Verify, single.Verify = []string{"it works", "$ go vet ./..."}, []string{"$ go test ./..."}
	left, commands := Undivided(Plan{Parts: []Part{split, single}})
	require.Equal(t, []string{"it works"}, left.Parts[0].Verify)
	require.Equal(t, []string{"$ go test ./..."}, left.Parts[1].Verify)
	require.Len(t, commands, 1)
	require.Equal(t, "go vet ./...", commands[0].Line)
	require.Len(t, split.Verify, 2, "the given plan stays")

	pieces := FanOut(left).Parts
	require.Equal(t, commands, StillOf(commands, pieces[1:]), "a piece of the part is left")
	require.Empty(t, StillOf(commands, pieces[2:]), "a revised plan has replaced the part")
}
