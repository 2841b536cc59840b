package gate

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFinding_StringNamesThePlace(t *testing.T) {
	t.Parallel()
	for want, f := range map[string]Finding{
		"a.go:3: undefined: X":             {Path: "a.go", Line: 3, Column: 5, Message: "undefined: X\n"},
		"a.go:3: see a.go:3: here":         {Path: "a.go", Line: 3, Message: "see a.go:3: here"},
		"a_test.go:7: m.TestA: got 1":      {Path: "a_test.go", Line: 7, Test: "m.TestA", Message: "got 1"},
		"m.TestA: it did not end":          {Test: "m.TestA", Message: "it did not end"},
		"the package passed without tests": {Message: "the package passed without tests"},
		"a.go: it is not text":             {Path: "a.go", Message: "it is not text"},
	} {
		require.Equal(t, want, f.String())
	}
}
