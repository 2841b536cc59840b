package crash

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A test that hangs, with a child that has left its session: neither outlives the program that is killed beside them by
// more than the next start.
func TestGateProcess_DiesWithTheProgram(t *testing.T) {
	t.Parallel()
	s := newStage(t, t.TempDir()).quick()
	begun := filepath.Join(s.base, "begun")
	require.NoError(t, syscall.Mkfifo(begun, 0o600))
	tools := filepath.Join(s.base, "tools")
	require.NoError(t, os.Mkdir(tools, 0o755))
	hang := "#!/bin/sh\n[ \"$1\" = test ] || exec \"" + quickTools(t) + "/go\" \"$@\"\nsetsid sleep 1000 &\necho >" + begun + "\nsleep 1000\n"
	require.NoError(t, os.WriteFile(filepath.Join(tools, "go"), []byte(hang), 0o755)) //nolint:gosec // it is a program
	hanging := death{env: []string{"PATH=" + tools + ":" + quickTools(t) + ":" + os.Getenv("PATH")}}

	require.NoError(t, os.MkdirAll(s.home, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(s.home, "config.yaml"), []byte("unguarded: [go vet, go build, go test]\n"), 0o600)) // its pipe is outside of the tree

	c := s.command(t.Context(), hanging, "run", "--trust", "--yes", "--json", request)
	require.NoError(t, c.Start())
	pipe, err := os.Open(begun) // blocks until somebody writes
	require.NoError(t, err)
	require.NoError(t, pipe.SetReadDeadline(time.Now().Add(watchdog)))
	_, err = io.ReadFull(pipe, make([]byte, 1))
	require.NoError(t, err)
	require.NoError(t, pipe.Close())
	require.Greater(t, len(s.processes()), 2, "the check can fail")
	require.NoError(t, c.Process.Kill())
	_ = c.Wait() // it was killed
	require.Equal(t, standing, resumed(s, "a gate hung", s.ended(c, "", "")))
}
