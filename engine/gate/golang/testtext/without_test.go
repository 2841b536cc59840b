package testtext

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWithout_RemovesUncompilableTests(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, rest string }{
		"a function with its comment": {
			"package p\n\nfunc TestA(t *testing.T) {}\n\n// TestB is.\nfunc TestB(t *testing.T) {\n\tgone() //!\n}\n",
			"package p\n\nfunc TestA(t *testing.T) {}\n\n\n\n\n\n",
		},
		"a type with its methods":                {"package p\n\ntype s struct{ gone } //!\n\nfunc (s *s) M() {}\n", "package p\n\n//!\n\n\n"},
		"the name of an import":                  {"package p\n\nimport (\n\t\"a\"\n\tx \"b\" //!\n)\n", "package p\n\nimport (\n\t\"a\"\n\t_ \"b\" //!\n)\n"},
		"constants of one declaration":           {"package p\n\nconst (\n\ta = iota\n\tb = gone //!\n)\n", "package p\n\n\n\n\n\n"},
		"a variable with a value":                {"package p\n\nvar a = []T{{gone: 1}} //!\n", "package p\n\n//!\n"},
		"an import and what stands behind it":    {"package p\n\nimport \"a\" //!\n\nfunc b() { gone() } //!\n", "package p\n\nimport _ \"a\" //!\n\n//!\n"},
		"not what runs by itself":                {"package p\n\nfunc init() { gone() } //!\n", ""},
		"not what runs all tests":                {"package p\n\nfunc TestMain(m *testing.M) { gone() } //!\n", ""},
		"not a variable that calls":              {"package p\n\nvar a = gone() //!\n", ""},
		"not a variable without a name":          {"package p\n\nvar _ T = gone //!\n", ""},
		"not a method of a type that stays":      {"package p\n\ntype s struct{}\n\nfunc (s) M() { gone() } //!\n", ""},
		"not what hides something predeclared":   {"package p\n\nfunc min(a, b int) int { gone() } //!\n", ""},
		"not where a package's names stand bare": {"package p\n\nimport . \"a\"\n\nfunc b() { gone() } //!\n", ""},
		"not an import that has no name":         {"package p\n\nimport _ \"a\" //!\n", ""},
		"not between declarations":               {"package p\n\n//!\n", ""},
		"not what cannot be parsed":              {"package p\n\nfunc a( {} //!\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var faults []int
			for i, line := range strings.Split(c.text, "\n") {
				if strings.HasSuffix(line, "//!") {
					faults = append(faults, i+1)
				}
			}
			rest, ok := Without(c.text, faults)
			require.Equal(t, c.rest != "", ok, rest)
			if ok {
				require.Equal(t, c.rest, trimmed(rest))
			}
		})
	}
}

// trimmed is a text without white space at the ends of lines, and at the beginning of those that have nothing but a mark.
func trimmed(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if lines[i] = strings.TrimRight(line, " \t"); strings.TrimSpace(line) == "//!" {
			lines[i] = "//!"
		}
		lines[i] = strings.ReplaceAll(lines[i], "  _", "_")
	}
	return strings.Join(lines, "\n")
}
