package crash

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The checks of these tests can fail: they detect what a death leaves behind before the next start, and a program
// that restarts a run instead of resuming it.
func TestCrashChecks_DetectLeftovers(t *testing.T) {
	t.Parallel()
	for place, what := range map[string]string{
		"run.gate.starting": "a scratch tree without an owner", "apply.rename.after:2": "a change under way", "apply.staged.after": "a half-written file",
	} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			defer one()()
			s := newStage(t, t.TempDir()).quick()
			cut := s.run(at(place))
			require.True(t, cut.killed, cut.output)
			var all string
			for _, name := range s.left() {
				all += name + "\n"
			}
			require.Contains(t, all, what)
		})
	}
}

func TestCrashChecks_DetectALock(t *testing.T) {
	t.Parallel()
	s := newStage(t, t.TempDir())
	for _, name := range []string{"index.lock", "refs/forge/one.lock"} {
		lock := filepath.Join(s.home, "shadow", "0", "git", filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(lock), 0o755))
		require.NoError(t, os.WriteFile(lock, nil, 0o600))
	}
	require.Len(t, s.left(), 2)
}

func TestCrashChecks_DetectASurvivingProcess(t *testing.T) {
	t.Parallel()
	s := newStage(t, t.TempDir())
	require.Empty(t, s.processes())
	child := exec.CommandContext(t.Context(), "sleep", "1000")
	child.Dir = s.root
	require.NoError(t, child.Start())
	require.Len(t, s.processes(), 1)
	require.NoError(t, child.Process.Kill())
	_ = child.Wait() // it was killed
}

// A second run instead of a resumed one repeats requests and questions.
func TestCrashChecks_DetectARestartedRun(t *testing.T) {
	t.Parallel()
	s := newStage(t, t.TempDir()).quick()
	// Else the stored answers would be reused, and nothing requested; and lessons from gates would be in the next
	// prompts.
	require.NoError(t, os.MkdirAll(s.home, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(s.home, "config.yaml"), []byte("models: {cache: false}\n"), 0o600))
	cut := s.run(at("run.model.kept:4"))
	require.True(t, cut.killed, cut.output)
	again := s.run(never)
	require.Zero(t, again.code, again.output)
	require.NotEmpty(t, s.boughtAgain())
	require.Equal(t, []string{"q1"}, askedAgain([]life{cut, again}))
}
