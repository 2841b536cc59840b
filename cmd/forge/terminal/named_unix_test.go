//go:build unix

package terminal

import (
	"context"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A pipe that nothing writes into would hold up a command beyond SIGTERM.
func TestReadNamed_EndsWithTheContext(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Terminal{}.ReadNamed(ctx, pipe, 10)
	require.ErrorIs(t, err, context.Canceled)
	text, err := Terminal{In: strings.NewReader("0123456789")}.ReadNamed(t.Context(), "-", 10)
	require.NoError(t, err)
	require.Equal(t, "0123456789", text)
	_, err = Terminal{}.ReadNamed(t.Context(), "/dev/zero", 1<<20)
	require.ErrorContains(t, err, "it is larger than 1 MiB")
	_, err = Terminal{}.ReadNamed(t.Context(), "/dev/zero", 64<<10)
	require.ErrorContains(t, err, "it is larger than 64 KiB")
}
