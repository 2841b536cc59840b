package python

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Lines are those of pytest 9.2, of one file and of one that goes on in another line, and with -q.
func TestEnded_CountsTheTestsOfALine(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][2]int{
		"tests/test_a.py ..F.s                                                    [ 12%]": {4, 3},
		"tests/test_b.py ........................................................ [ 50%]": {56, 56},
		"E..x                                                                     [100%]": {3, 2},
		"collected 12 items":                {},
		"FAILED tests/test_a.py::test_b":    {},
		"tests/test_a.py:3: AssertionError": {},
		"...":                               {},
	} {
		tests, passed := ended([]byte(line))
		require.Equal(t, want, [2]int{tests, passed}, line)
	}
}
