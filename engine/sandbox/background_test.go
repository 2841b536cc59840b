//go:build unix

package sandbox

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// niceness is what a command says of its own priority, once it has its input: then it was started for good.
func niceness(t *testing.T, background bool) int {
	t.Helper()
	c := shell(t, "read go; nice")
	c.Stdin, c.Background = strings.NewReader("go\n"), background
	result, err := here().Run(t.Context(), c)
	require.NoError(t, err)
	n, err := strconv.Atoi(strings.TrimSpace(string(result.Stdout)))
	require.NoError(t, err, "%s%s", result.Stdout, result.Stderr)
	return n
}

func TestBackground_YieldsToOtherProcesses(t *testing.T) {
	t.Parallel()
	usual := niceness(t, false)
	require.Equal(t, min(usual+below, 19), niceness(t, true))
}

// A process's output arrives as it is written, beyond the part that is kept.
func TestOnOutput_IsGivenAllOutput(t *testing.T) {
	t.Parallel()
	c := shell(t, "echo one; echo two; echo three >&2")
	var heard bytes.Buffer
	c.MaxOutput, c.OnOutput = 2, func(part []byte) { heard.Write(part) }
	result, err := here().Run(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, "one\ntwo\n", heard.String())
	require.Equal(t, "on", string(result.Stdout))
	require.True(t, result.Truncated)
}
