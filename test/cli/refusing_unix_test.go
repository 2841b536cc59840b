//go:build unix

package cli

import (
	"fmt"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// refusing returns an address at which nothing listens, and which nothing else can take while the test runs. The port of a server that was
// killed can be that of another test's server a moment later.
func refusing(t *testing.T) string {
	t.Helper()
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = syscall.Close(socket) })
	syscall.CloseOnExec(socket)
	require.NoError(t, syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	name, err := syscall.Getsockname(socket)
	require.NoError(t, err)
	return fmt.Sprintf("127.0.0.1:%d", name.(*syscall.SockaddrInet4).Port)
}
