//go:build unix

package workspace

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each of these would block a plain os.ReadFile, or fill the memory.
func TestReadFile_TakesRegularFilesOfALimitedSizeOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, syscall.Mkfifo(at("pipe"), 0o600))
	require.NoError(t, os.Symlink("pipe", at("link")))
	require.NoError(t, os.Mkdir(at("folder"), 0o700))
	require.NoError(t, os.Symlink("/dev/zero", at("zero")))
	socket, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", at("socket"))
	require.NoError(t, err)
	defer socket.Close() //nolint:errcheck // a test's
	for _, name := range []string{"pipe", "link", "folder", "zero", "socket"} {
		_, err := ReadPlainFile(at(name), 100)
		require.ErrorIs(t, err, ErrNotRegular, name)
	}

	require.NoError(t, os.WriteFile(at("large"), nil, 0o600))
	require.NoError(t, os.Truncate(at("large"), 1<<40))
	_, err = ReadPlainFile(at("large"), 1<<20)
	require.ErrorContains(t, err, "it is larger than 1 MiB")
	_, err = ReadPlainFile("/proc/self/environ", 1) // whose size is said to be 0
	require.True(t, errors.Is(err, fs.ErrNotExist) || errors.As(err, new(*SizeError)), "%v", err)

	require.NoError(t, os.WriteFile(at("text"), []byte("text"), 0o600))
	text, err := ReadPlainFile(at("text"), 4)
	require.NoError(t, err)
	require.Equal(t, "text", string(text))
	_, err = ReadPlainFile(at("text"), 3)
	require.ErrorAs(t, err, new(*SizeError))
	_, err = ReadPlainFile(at("none"), 3)
	require.ErrorIs(t, err, fs.ErrNotExist)
}
