package testtext

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTouched_AreTestsThatDiffer(t *testing.T) {
	t.Parallel()
	const tests = "package p\n\nimport \"a\"\n\nfunc help() int { return 1 }\n\nfunc TestA(t *testing.T) { help() }\n\nfunc TestB(t *testing.T) { a.B() }\n"
	for name, c := range map[string]struct {
		before, after string
		tests         []string
		ok            bool
	}{
		"one that is restated":    {"help() }", "help(); t.Fail() }", []string{"TestA"}, true},
		"a comment":               {"func TestA", "// TestA is.\nfunc TestA", nil, true},
		"one more":                {"func TestA", "func TestC(t *testing.T) {}\n\nfunc TestA", []string{"TestC"}, true},
		"one gone":                {"func TestB(t *testing.T) { a.B() }\n", "", []string{"TestB"}, true},
		"another name":            {"TestA", "TestC", []string{"TestA", "TestC"}, true},
		"an example and a target": {"func TestA", "func ExampleA() {}\n\nfunc FuzzA(f *testing.F) {}\n\nfunc TestA", []string{"ExampleA", "FuzzA"}, true},
		"help for new ones":       {"func TestA", "type s struct{}\n\nfunc (s) M() {}\n\nvar x = 1\n\nfunc TestA", nil, true},
		"an import":               {"import \"a\"", "import \"a\"\nimport \"b\"", nil, true},
		"an import for its start": {"import \"a\"", "import \"a\"\nimport _ \"b\"", nil, false},
		"one import for another":  {"import \"a\"", "import a \"b\"", nil, false},
		"what tests call":         {"return 1", "return 2", nil, false},
		"what runs by itself":     {"func TestA", "func init() {}\n\nfunc TestA", nil, false},
		"what runs all":           {"func TestA", "func TestMain(m *testing.M) {}\n\nfunc TestA", nil, false},
		"a variable that calls":   {"func TestA", "var x = os.Setenv(\"A\", \"\")\n\nfunc TestA", nil, false},
		"a method of what is":     {"func TestA", "func (T) String() string { return \"\" }\n\nfunc TestA", nil, false},
		"a name that all know":    {"func TestA", "func len(any) int { return 0 }\n\nfunc TestA", nil, false},
		"where it is compiled":    {"package p", "//go:build never\n\npackage p", nil, false},
		"what cannot be parsed":   {"func help() int { return 1 }", "func help( {", nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, tests, c.before)
			touched, ok := Touched(tests, strings.Replace(tests, c.before, c.after, 1))
			require.Equal(t, c.ok, ok)
			if ok {
				require.ElementsMatch(t, c.tests, touched)
			}
		})
	}
	touched, ok := Touched("", tests)
	require.True(t, ok)
	require.Equal(t, []string{"TestA", "TestB"}, touched)
	_, ok = Touched(tests, "")
	require.False(t, ok, "what tests of other files may call is gone")
}
