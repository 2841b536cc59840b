package cli

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The help lists every command once, under its purpose, and each command documents its usage.
func TestHelp_ListsEveryCommandOnce(t *testing.T) {
	t.Parallel()
	w := &world{t: t, root: t.TempDir()}
	code, stdout, stderr := w.run("help")
	require.Zero(t, code, stderr)
	require.NotContains(t, stdout, "Additional Commands", "a command without a group")
	require.Contains(t, stdout, "3 blocked until you act")

	seen := map[string]bool{}
	for _, line := range regexp.MustCompile(`(?m)^  ([a-z]+) +[A-Z]`).FindAllStringSubmatch(stdout, -1) {
		name := line[1]
		require.False(t, seen[name], name)
		seen[name] = true
		code, said, _ := w.run(name, "--help")
		require.Zero(t, code, name)
		require.Contains(t, said, "Usage:\n  forge "+name, name)
		require.False(t, strings.HasPrefix(said, "Usage:"), "%s says what it does", name)
	}
	require.Greater(t, len(seen), 30)
	require.Contains(t, seen, "run")
}
