package python

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A package that is opened alone has the environment of its repository, and never one above that.
func TestEnvironment_IsAboveTheWorkspaceInItsRepository(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		git, venv string
		want      string
	}{
		"at the top":               {"repo", "repo/.venv", "../../.venv"},
		"between":                  {"repo", "repo/packages/venv", "../venv"},
		"above the repository":     {"repo", ".venv", ""},
		"the repository is opened": {"repo/packages/a", "repo/.venv", ""},
		"no repository":            {"", "repo/.venv", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home, err := filepath.EvalSymlinks(t.TempDir())
			require.NoError(t, err)
			origin := filepath.Join(home, "repo", "packages", "a")
			require.NoError(t, os.MkdirAll(origin, 0o755))
			require.NoError(t, os.MkdirAll(filepath.Join(home, c.venv, "bin"), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(home, c.venv, "pyvenv.cfg"), nil, 0o600))
			if c.git != "" {
				require.NoError(t, os.Mkdir(filepath.Join(home, c.git, ".git"), 0o755))
			}
			programs, name := environment(copied{t.TempDir(), origin})
			require.Equal(t, c.want, filepath.ToSlash(name))
			if c.want != "" {
				require.Equal(t, filepath.Join(home, c.venv, "bin"), programs)
			}
		})
	}
}
