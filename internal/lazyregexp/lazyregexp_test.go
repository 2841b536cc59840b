package lazyregexp_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/lazyregexp"
)

// A mistake in an expression of a package fails that package's tests, although a program meets it on first use only.
func TestNew_CompilesAtOnceInATest(t *testing.T) {
	t.Parallel()
	require.Panics(t, func() { lazyregexp.New("(") })
	require.Equal(t, []string{"ab", "b"}, lazyregexp.New("a(.)").FindStringSubmatch("xab"))
}
