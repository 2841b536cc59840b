package testrun

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWithout_LetsNamesBeMissing(t *testing.T) {
	t.Parallel()
	guarded := func(statement string) string { return `exec("try:\n ` + statement + `\nexcept Exception: pass")` }
	for name, test := range map[string]struct {
		text, rest string
		faults     []int
	}{
		"one name":          {"import os\nfrom a.b import c\n", "import os\n" + guarded("from a.b import c") + "\n", []int{2}},
		"several":           {"from a import b, c as d  # both\nx = 1\n", guarded("from a import b") + "; " + guarded("from a import c as d") + "\nx = 1\n", []int{1}},
		"in parentheses":    {"from .a import (\n    b,  # one\n    c,\n)\nx = 1\n", guarded("from .a import b") + "; " + guarded("from .a import c") + "\n\n\n\nx = 1\n", []int{3}},
		"modules":           {"import a.b, c\n", guarded("import a.b") + "; " + guarded("import c") + "\n", []int{1}},
		"not in a function": {"def test():\n    import a\n", "", []int{2}},
		"no import":         {"from a import b\nb()\n", "", []int{2}},
		"two":               {"import a\nimport b\n", guarded("import a") + "\n" + guarded("import b") + "\n", []int{1, 2}},
		"continued":         {"from a import b, \\\n    c\n", "", []int{1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rest, ok := Without(test.text, test.faults)
			require.Equal(t, test.rest != "", ok)
			require.Equal(t, test.rest, rest)
			if ok {
				require.Equal(t, strings.Count(test.text, "\n"), strings.Count(rest, "\n"))
			}
		})
	}
}
