package config

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/engine/mode"
)

// The user sets the bounds of runs, within ranges; a folder can only lower them.
func TestBounds_AreReadAndLowered(t *testing.T) {
	t.Parallel()
	usual := mode.Bounds{Hops: 20, Tasks: 4, Writers: 2, Attempts: 3, Rounds: 10}
	const all = "graph: {maxHops: 30}\nconcurrency: {tasks: 8, writers: 3}\nattempts: 5\nexplore: {rounds: 0}\n"
	for name, c := range map[string]struct {
		user, project string
		want          mode.Bounds
		notice        string // the only one; empty is none
	}{
		"nothing":                  {"", "", mode.Bounds{}, ""},
		"everything":               {all, "", mode.Bounds{Hops: 30, Tasks: 8, Writers: 3, Attempts: 5, Rounds: mode.Never}, ""},
		"too many":                 {"attempts: 99\n", "", mode.Bounds{}, "config.yaml: attempts: 99 is out of range: give 1 to 20"},
		"too few":                  {"concurrency: {tasks: 0}\n", "", mode.Bounds{}, "concurrency.tasks: 0 is out of range: give 1 to 64"},
		"no number":                {"graph: {maxHops: many}\n", "", mode.Bounds{}, "use a whole number"},
		"no such setting":          {"graph: {hops: 3}\n", "", mode.Bounds{}, "the settings here are maxHops"},
		"none of a fanout":         {"fanout: {deep: 3}\n", "", mode.Bounds{}, "the settings here are depth"},
		"none of a plan":           {"plan: {sanity: 3}\n", "", mode.Bounds{}, "the settings here are sanityEvery"},
		"a folder, less":           {"", "attempts: 2\nexplore: {rounds: 0}\n", mode.Bounds{Attempts: 2, Rounds: mode.Never}, ""},
		"a folder, more than set":  {"attempts: 2\n", "attempts: 3\n", mode.Bounds{Attempts: 2}, ".forge/config.yaml: attempts: 3 is out of range: give 1 to 2"},
		"a folder, more than that": {"", "graph: {maxHops: 21}\n", mode.Bounds{}, ".forge/config.yaml: graph.maxHops: 21 is out of range: give 1 to 20"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			user := filepath.Join(dir, "config.yaml")
			require.NoError(t, os.WriteFile(user, []byte(c.user), 0o600))
			require.NoError(t, os.Mkdir(filepath.Join(dir, ".forge"), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(dir, ProjectFile), []byte(c.project), 0o600))
			s := Load(Sources{Environ: func(string) string { return "" }, UserFile: user, Project: dir, Bounds: usual})
			require.Empty(t, cmp.Diff(c.want, s.Bounds))
			if c.notice == "" {
				require.Empty(t, s.Notices)
				return
			}
			require.Len(t, s.Notices, 1)
			require.Contains(t, s.Notices[0].String(), c.notice)
		})
	}
}

// The domain is the user's to choose: one that a folder names is refused.
func TestBounds_TheDomainOfRuns(t *testing.T) {
	t.Parallel()
	require.Equal(t, "research", loadText(t, "domain: research\n", "").Domain)
	s := loadText(t, "domain: poetry\n", "")
	require.Empty(t, s.Domain)
	require.Contains(t, s.Notices[0].String(), `there is no domain "poetry": choose code_generation, research, code_review, documentation or generic`)
	s = loadText(t, "domain: research\n", "domain: code_generation\n")
	require.Equal(t, "research", s.Domain)
	require.Contains(t, s.Notices[0].String(), `"domain" is refused`)
}
