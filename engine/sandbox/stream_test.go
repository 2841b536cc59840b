//go:build unix

package sandbox

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A machine that is busy reads the last of an output after the time that a pipe may stay open: nothing of it is lost.
func TestStreams_ReadsBufferedOutputAfterTheDeadline(t *testing.T) {
	t.Parallel()
	s, err := connect(Command{}, DefaultMaxOutput)
	require.NoError(t, err)
	outside, err := syscall.Dup(int(s.theirs[1].Fd())) // which holds the pipe open
	require.NoError(t, err)
	defer func() { _ = syscall.Close(outside) }()

	said := strings.Repeat("0123456789abcdef", 3<<10) // 48 KiB: in a pipe without a reader
	_, err = s.theirs[1].WriteString(said)
	require.NoError(t, err)
	for _, end := range s.ours {
		require.NoError(t, end.SetDeadline(time.Unix(1, 0)))
	}
	for _, read := range s.copies {
		read()
	}
	require.Equal(t, said, s.out.buf.String())
	require.False(t, s.out.truncated)
	s.abandon()
}

// A pipe that is held open from outside ends a command all the same, with what was written to it.
func TestStreams_APipeHeldFromOutsideIsGivenUp(t *testing.T) {
	t.Parallel()
	s, err := connect(Command{}, DefaultMaxOutput)
	require.NoError(t, err)
	outside, err := syscall.Dup(int(s.theirs[1].Fd()))
	require.NoError(t, err)
	defer func() { _ = syscall.Close(outside) }()

	_, err = s.theirs[1].WriteString("said")
	require.NoError(t, err)
	s.serve()
	s.finish()
	require.Equal(t, "said", s.out.buf.String())
	_, err = s.ours[0].Read(make([]byte, 1))
	require.ErrorIs(t, err, os.ErrClosed)
}
