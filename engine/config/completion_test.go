package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/config"
)

// Only the user may skip the reviewer: the setting of a folder is ignored, with a notice.
func TestCompletion_OnlyTheUserMaySkipTheReviewer(t *testing.T) {
	t.Parallel()
	const without = "completion:\n  requireReview: false\n"
	for name, c := range map[string]struct {
		user, project string
		left, told    bool
	}{
		"none":       {"", "", false, false},
		"the user":   {without, "", true, false},
		"the folder": {"", without, false, true},
		"asked for":  {"completion:\n  requireReview: true\n", without, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home, folder := t.TempDir(), t.TempDir()
			file := filepath.Join(home, "config.yaml")
			require.NoError(t, os.WriteFile(file, []byte(c.user), 0o600))
			require.NoError(t, os.Mkdir(filepath.Join(folder, ".forge"), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(folder, config.ProjectFile), []byte(c.project), 0o600))
			s := config.Load(config.Sources{UserFile: file, Project: folder, Environ: func(string) string { return "" }})
			require.NoError(t, s.Err)
			require.Equal(t, c.left, s.NoReview)
			require.Equal(t, c.told, len(s.Notices) > 0, s.Notices)
		})
	}
}
