package javascript

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
)

func TestColumnsAreBytes(t *testing.T) {
	t.Parallel()
	p, err := open(write(t, map[string]string{"a.js": "// first\nü𝒳 x\n"}))
	require.NoError(t, err)
	findings := []gate.Finding{
		{Path: "a.js", Line: 2, Column: 1}, {Path: "a.js", Line: 2, Column: 2}, {Path: "a.js", Line: 2, Column: 5}, {Path: "a.js", Line: 2, Column: 9},
		{Path: "a.js", Line: 9, Column: 5}, {Path: "none.js", Line: 2, Column: 5}, {Line: 2, Column: 5}, {Path: "a.js", Line: 2},
	}
	p.inBytes(findings)
	var got []int
	for _, f := range findings {
		got = append(got, f.Column)
	}
	require.Equal(t, []int{1, 3, 8, 12, 5, 5, 5, 0}, got)
}
