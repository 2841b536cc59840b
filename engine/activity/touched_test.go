package activity

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTouched_LeavesOldLinesAsTheyAre(t *testing.T) {
	t.Parallel()
	const old = "a  = 1\nb = 2\nc  = 3\nd = 4\n"
	for name, c := range map[string][3]string{
		"a line that was changed":  {"a  = 1\nb  = 5\nc  = 3\nd = 4\n", "a = 1\nb = 5\nc = 3\nd = 4\n", "a  = 1\nb = 5\nc  = 3\nd = 4\n"},
		"a line that is new":       {old + "e  = 5\n", "a = 1\nb = 2\nc = 3\nd = 4\ne = 5\n", "a  = 1\nb = 2\nc  = 3\nd = 4\ne = 5\n"},
		"nothing but old lines":    {"a  = 1\nb = 5\nc  = 3\nd = 4\n", "a  = 1\nb = 5\nc = 3\nd = 4\n", "a  = 1\nb = 5\nc  = 3\nd = 4\n"},
		"what a deletion leaves":   {"a  = 1\nd = 4\n", "a = 1\nd = 4\n", "a = 1\nd = 4\n"},
		"a block that is moved":    {"if a:\n  b = 5\n\n  c = 3\n", "if a:\n    b = 5\n\n    c = 3\n", "if a:\n  b = 5\n\n  c = 3\n"},
		"lines that are wrapped":   {"f(1,\n  5)\n\ng( 1)\n", "f(\n  1, 5)\n\ng(1)\n", "f(\n  1, 5)\n\ng( 1)\n"},
		"all of what was replaced": {"x  = 1\n", "x = 1\n", "x = 1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := old
			if name == "lines that are wrapped" {
				before = "f(1,\n  2)\n\ng( 1)\n"
			}
			require.Equal(t, c[2], touched(before, c[0], c[1]))
		})
	}
}
