package python

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The command that is shown is the same in every run, and the user can start it.
func TestCommand_IsOneThatAUserCanStart(t *testing.T) {
	t.Parallel()
	s := session{}
	require.Equal(t, []string{interpreter()}, s.command())
	s.Runner = "pytest"
	require.Equal(t, []string{interpreter(), "-m", "pytest"}, s.command())
}
