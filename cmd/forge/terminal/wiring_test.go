package terminal_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/cmd/forge/terminal"
)

func TestLookUp_TheLastOfTwoCounts(t *testing.T) {
	t.Parallel()
	env := terminal.LookUp([]string{"A=1", "AB=2", "A=3=4"})
	require.Equal(t, "3=4", env("A"))
	require.Equal(t, "2", env("AB"))
	require.Empty(t, env("B"))
}
