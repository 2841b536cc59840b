package cli

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// A pipe in the place of a file that Forge or git reads by itself blocks no command, trusted or not.
func TestPipes_BlockNoCommand(t *testing.T) {
	t.Parallel()
	for _, place := range testkit.Sample(1, []string{
		".gitignore", "sub/.gitignore", ".gitattributes", ".git/info/exclude", ".forge/skills/a/SKILL.md", ".forge/config.yaml", "AGENTS.md", ".forge/instructions.md", "go.work",
	}) {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			w := scripted(t, reviewPass, sumModule())
			w.git("init", "-q")
			pipe := filepath.Join(w.root, place)
			require.NoError(t, os.MkdirAll(filepath.Dir(pipe), 0o755))
			_ = os.Remove(pipe)
			require.NoError(t, syscall.Mkfifo(pipe, 0o644))
			code, stdout, stderr := w.run("search", "package")
			require.Zero(t, code, stderr)
			require.Contains(t, stdout, "sum.go")
			code, _, stderr = w.run("skills")
			require.Zero(t, code, stderr)
			code, _, stderr = w.applies(newFile("new.txt"))
			require.Zero(t, code, stderr)
			code, stdout, stderr = w.run("prompt", "--dry-run", "--node", "executor", "add Sum")
			require.Zero(t, code, stdout+stderr)
			code, _, stderr = w.run("skills")
			require.Zero(t, code, stderr)
			_, _, stderr = w.run("validate")
			require.NotContains(t, stderr, "did not end within")
		})
	}
}
