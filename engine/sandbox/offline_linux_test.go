package sandbox

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Offline is a network namespace of its own wherever the kernel grants namespaces, and nothing but a wish where it does not.
func TestOffline_HasNoNetwork(t *testing.T) {
	t.Parallel()
	ours, err := os.Readlink("/proc/self/ns/net")
	require.NoError(t, err)
	r := New(Options{Environ: os.Environ()})
	networkOf := func(offline bool) string {
		result, err := r.Run(t.Context(), Command{Argv: []string{"readlink", "/proc/self/ns/net"}, Dir: t.TempDir(), Offline: offline})
		require.NoError(t, err)
		require.Zero(t, result.ExitCode, string(result.Stderr))
		return strings.TrimSpace(string(result.Stdout))
	}
	require.Equal(t, ours, networkOf(false))
	if cut := networkOf(true); r.(*runner).plain.Load() {
		require.Equal(t, ours, cut)
		t.Skip("this kernel grants no namespaces")
	} else {
		require.NotEqual(t, ours, cut)
	}
	require.Equal(t, ours, networkOf(false), "others have the network")
}
