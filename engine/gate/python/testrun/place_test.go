package testrun

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
)

// Columns stay in order when they are recounted in bytes, and never lie before the line.
func FuzzColumns(f *testing.F) {
	f.Add("s = \"日本𝒳\" + é", 8)
	f.Add("", 1)
	f.Fuzz(func(t *testing.T, line string, column int) {
		p := Places{Line: func(string, int) (string, bool) { return line, true }}
		for name, recount := range map[string]func(gate.Finding) gate.Finding{"characters": p.Characters, "units": p.Units} {
			at := recount(gate.Finding{Path: "a.py", Line: 1, Column: column})
			require.Equal(t, column <= 0, at.Column <= 0, name)
			if column > 1 && column < 1<<20 {
				next := recount(gate.Finding{Path: "a.py", Line: 1, Column: column + 1})
				require.GreaterOrEqualf(t, next.Column, at.Column, "%s: %d", name, column)
			}
		}
	})
}

func TestIsTest_KnowsFilesByTheirNamesAndFolders(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]bool{
		"test_a.py": true, "a_test.py": true, "conftest.py": true, "tests/data.json": true, "p/test/x.py": true,
		"a.py": false, "latest.py": false, "contest/a.py": false, "test_a.txt": false,
	} {
		require.Equal(t, want, IsTest(file), file)
	}
}
