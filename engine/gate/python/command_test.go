package python

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What is told, and learned, of how tests are run is the same in every run, and works for a person.
func TestCommand_IsOneThatAUserCanStart(t *testing.T) {
	t.Parallel()
	s := session{}
	require.Equal(t, []string{interpreter()}, s.command())
	s.Runner = "pytest"
	require.Equal(t, []string{interpreter(), "-m", "pytest"}, s.command())
}
