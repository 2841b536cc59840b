package work

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What no user could be asked is asked again after a resume; what a user rejected stays rejected, also if it comes again without a user.
func TestTests_RefusalsOfAUserOutlastUnaskedOnes(t *testing.T) {
	t.Parallel()
	var tests Tests
	tests.Refuse([]string{"a"}, false)
	tests.Refuse([]string{"a", "b"}, true)
	require.True(t, tests.Rejected("a"))
	require.False(t, tests.Rejected("b"))
	require.Equal(t, []string{"b"}, tests.Unasked)
	tests.AskAgain()
	require.Equal(t, []string{"a"}, tests.Refused)
	tests.Refuse([]string{"b"}, true)
	tests.Refuse([]string{"b"}, false)
	require.True(t, tests.Rejected("b"))
	require.Empty(t, tests.Unasked)
}
