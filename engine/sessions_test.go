package engine_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine"
)

// A process that has a folder open is seen by others until it leaves, or dies.
func TestSessions_ListProcessesOfAFolder(t *testing.T) {
	t.Parallel()
	state, root := t.TempDir(), t.TempDir()
	here, other := engine.New(engine.Options{StateDir: state}), engine.New(engine.Options{StateDir: state})
	t.Cleanup(other.Close)
	t.Cleanup(here.Close)
	sessions, err := other.Sessions(t.Context())
	require.NoError(t, err)
	require.Empty(t, sessions)

	begun := time.Now()
	_, err = here.Atlas(t.Context(), root)
	require.NoError(t, err)
	sessions, err = other.Sessions(t.Context())
	require.NoError(t, err)
	require.Len(t, sessions, 1)
	require.Equal(t, os.Getpid(), sessions[0].PID)
	require.True(t, sessions[0].Here)
	require.Equal(t, []string{root}, sessions[0].Folders)
	require.Empty(t, sessions[0].Runs)
	require.WithinDuration(t, begun, sessions[0].Since, time.Since(begun)+time.Second)

	dead := died(t, state)
	sessions, err = other.Sessions(t.Context())
	require.NoError(t, err)
	require.Len(t, sessions, 1, "who has died is not there")
	require.NoFileExists(t, dead, "and leaves nothing")

	here.Close()
	sessions, err = other.Sessions(t.Context())
	require.NoError(t, err)
	require.Empty(t, sessions)
	left, err := os.ReadDir(filepath.Join(state, "sessions"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// died makes what is left of a process that was killed: what this one has said of itself, with the number of one that
// has ended.
func died(t *testing.T, state string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(state, "sessions", "*.json"))
	require.NoError(t, err)
	require.Len(t, names, 1)
	text, err := os.ReadFile(names[0])
	require.NoError(t, err)
	gone := exec.Command("true")
	require.NoError(t, gone.Run())
	mine := `"PID":` + strconv.Itoa(os.Getpid())
	require.Contains(t, string(text), mine)
	dead := filepath.Join(state, "sessions", "1-dead.json")
	require.NoError(t, os.WriteFile(dead, []byte(strings.Replace(string(text), mine, `"PID":`+strconv.Itoa(gone.Process.Pid), 1)), 0o600))
	return dead
}
