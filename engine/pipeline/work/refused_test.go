package work

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A user's no holds for the test, for its cases and for the test that it is a case of, also in the modules after it.
func TestTests_NoOfAUserHoldsForATestAndItsCases(t *testing.T) {
	t.Parallel()
	first := NewModule(&Job{Run: &Run{}}, 0, 0)
	first.Tests.Refuse([]string{"TestA/one fails"}, []string{"TestA/one"})
	first.Tests.Deny([]string{"TestB"})
	require.Equal(t, []string{"TestA/one fails"}, first.Tests.Refused, "what the user explained may come back in another form")

	next := NewModule(&Job{Run: &Run{}}, 0, 0)
	next.Start.Earlier = Earlier{}.With(first)
	for _, tests := range []*Tests{first.Tests, next.Tests} {
		require.True(t, tests.Denied([]string{"TestA/one"}))
		require.True(t, tests.Denied([]string{"TestA"}))
		require.True(t, tests.Denied([]string{"TestC", "TestB/case"}))
		require.False(t, tests.Denied([]string{"TestA/other", "TestAB", "TestC"}))
	}
	require.Empty(t, next.Tests.Refused, "a user is asked again in another module")
}
