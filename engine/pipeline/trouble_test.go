package pipeline

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The section is the last of a prompt, says which attempt it is, and shows the code as the attempt had it. What an earlier prompt begins with
// stays as it was.
func TestExecutor_ErrorSectionIsLast(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+writeTests+writeWrong+writeRight+reviewPass)
	e.run(t)
	prompts := e.prompts("executor")
	last := prompts[2][strings.LastIndex(prompts[2], "\n## "):]
	require.True(t, strings.HasPrefix(last, "\n## Attempt 2 of 3. Why the last one was not accepted"), last)
	require.Contains(t, last, "test: fail: tests fail\n  b_test:1: b_test: want two in b\n    > 1 | two  <-- here")
	require.NotContains(t, prompts[1], "Why the last one was not accepted")
	stable := prompts[1]
	require.True(t, strings.HasPrefix(prompts[2], stable[:len(stable)-1]), "the prefix is the same, byte for byte")
}
