package config

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

func loadText(t *testing.T, user, project string) Settings {
	t.Helper()
	dir := t.TempDir()
	name := filepath.Join(dir, "config.yaml")
	require.NoError(t, os.WriteFile(name, []byte(user), 0o600))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "project", ".forge"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "project", ".forge", "config.yaml"), []byte(project), 0o600))
	return Load(Sources{Environ: func(string) string { return "" }, UserFile: name, Project: filepath.Join(dir, "project")})
}

// The user sets how runs work; without a setting a default holds.
func TestWorking_ReadsUserSettings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		user    string
		mode    string
		autoFix bool
		limits  Limits
		notice  string
	}{
		"nothing":        {"", "", true, Limits{}, ""},
		"everything":     {"mode: heavy\nautoFix: false\nlimits: {steps: 9, toolCalls: 7, minutes: 10, part: 20m, silence: 90s}\n", "heavy", false, Limits{9, 7, 10, 20 * time.Minute, 90 * time.Second}, ""},
		"no such mode":   {"mode: turbo\n", "", true, Limits{}, `there is no mode "turbo": choose fast, balanced`},
		"no limit":       {"limits: {steps: -1}\n", "", true, Limits{}, "limits.steps in"},
		"a limit of 0":   {"limits: {minutes: 0}\n", "", true, Limits{}, "limits.minutes in"},
		"no such limit":  {"limits: {stepz: 1}\n", "", true, Limits{}, "minutes, part, silence, steps, toolCalls"},
		"no duration":    {"limits: {part: 2h}\n", "", true, Limits{}, `limits.part in config.yaml: "2h" is not a valid time limit`},
		"mode is a list": {"mode: [fast]\n", "", true, Limits{}, "give text"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := loadText(t, c.user, "")
			require.Equal(t, c.mode, s.Mode)
			require.Equal(t, c.autoFix, s.AutoFix)
			require.Empty(t, cmp.Diff(c.limits, s.Limits))
			if c.notice == "" {
				require.Empty(t, s.Notices)
				return
			}
			require.Len(t, s.Notices, 1)
			require.Contains(t, s.Notices[0].String(), c.notice)
		})
	}
}

// A folder does not choose how much is done without asking.
func TestWorking_AFolderChoosesNoMode(t *testing.T) {
	t.Parallel()
	s := loadText(t, "mode: fast\n", "mode: heavy\nautoFix: false\nlimits: {toolCalls: 9999}\n")
	require.Equal(t, "fast", s.Mode)
	require.True(t, s.AutoFix)
	require.Zero(t, s.Limits.ToolCalls)
	require.Len(t, s.Notices, 3)
	for _, n := range s.Notices {
		require.Contains(t, n.String(), "is refused")
	}
}
