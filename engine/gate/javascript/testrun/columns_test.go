package testrun

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/gate/tool"
)

func TestInBytes_CountsColumnsInBytes(t *testing.T) {
	t.Parallel()
	findings := []gate.Finding{
		{Path: "a.js", Line: 2, Column: 1}, {Path: "a.js", Line: 2, Column: 2}, {Path: "a.js", Line: 2, Column: 5}, {Path: "a.js", Line: 2, Column: 9},
		{Path: "a.js", Line: 9, Column: 5}, {Path: "none.js", Line: 2, Column: 5}, {Line: 2, Column: 5}, {Path: "a.js", Line: 2},
	}
	InBytes(tool.SourcesIn(fstest.MapFS{"a.js": {Data: []byte("// first\nü𝒳 x\n")}}), findings)
	var got []int
	for _, f := range findings {
		got = append(got, f.Column)
	}
	require.Equal(t, []int{1, 3, 8, 12, 5, 5, 5, 0}, got)
}
