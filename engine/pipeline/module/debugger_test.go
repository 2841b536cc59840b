package module

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDebugger_WeakeningATestIsRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"skip the failing test":                          true,
		"Delete test cases that fail":                    true,
		"relax the assertion":                            true,
		"comment out the test":                           true,
		"change the test to expect 4":                    true,
		"disable flaky tests":                            true,
		"do not skip the test":                           false,
		"mend it without changing tests":                 false,
		"change the parser so that the test passes":      false,
		"delete the cache before each lookup; test it":   false,
		"the test fails because Sum ignores its input":   false,
		"never delete tests; change the loop in Sum":     false,
		"rather than relax the assertion, mend the code": false,
	} {
		require.Equal(t, want, weakens(text), text)
	}
}
