package integrity

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/patch"
)

// A test states the same if only names differ that the code has renamed, or that the tests declare themselves.
func TestRewritten_OtherNames(t *testing.T) {
	t.Parallel()
	const (
		code = "package m\n\nfunc Greeting() string { return \"Hello\" }\n"
		head = "package m\n\nfunc TestGreeting(t *testing.T) {\n"
		was  = head + "\tgot := Greeting()\n\tif got != \"Hello\" || !ok(t, true) {\n\t\tt.Fatalf(\"Greeting() = %q\", got)\n\t}\n}\n"
	)
	replaced := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(was) }
	for name, c := range map[string]struct {
		after string
		want  bool
	}{
		"a name":                      {replaced(" Greeting()", " Salute()", "\"Greeting()", "\"Salute()"), true},
		"a name, and in no string":    {replaced(" Greeting()", " Salute()"), true},
		"the test's own name, too":    {replaced("Greeting", "Salute"), true},
		"a variable":                  {replaced(" Greeting()", " Salute()", "got", "said"), true},
		"a name of another package":   {replaced(" Greeting()", " greet.Salute()"), true},
		"a comma before the end":      {replaced(" Greeting()", " Salute()", ", got)", ", got,\n\t\t)"), true},
		"another argument":            {replaced(" Greeting()", " Salute(nil)"), true},
		"another argument of a check": {replaced(" Greeting()", " Salute()", "ok(t, true)", "ok(t, t, true)"), false},
		"a statement more":            {replaced(" Greeting()", " Salute()", "\tgot :=", "\tt.Skip()\n\tgot :="), false},
		"a condition more":            {replaced(" Greeting()", " Salute()", "\"Hello\" ||", "\"Hello\" && false ||"), false},
		"another value":               {replaced(" Greeting()", " Salute()", "\"Hello\"", "\"Hi\""), false},
		"another value, by a name":    {replaced(" Greeting()", " Salute()", "true", "false"), false},
		"another comparison":          {replaced(" Greeting()", " Salute()", "!= \"", "== \""), false},
		"another check":               {replaced(" Greeting()", " Salute()", "ok(", "fails("), false},
		"a check less":                {replaced(" Greeting()", " Salute()", " || !ok(t, true)", ""), false},
		"two names for one":           {head + "\tgot := Salute()\n\tif said != \"Hello\" || !ok(t, true) {\n\t\tt.Fatalf(\"Greeting() = %q\", got)\n\t}\n}\n", false},
		"nothing":                     {"package m\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := Suites{{Gate: "test", IsTest: func(path string) bool { return path == "m_test.go" }}}
			r := all.Rewritten(patch.ChangeSet{Files: []patch.FileChange{{Path: "m_test.go", Before: was, After: c.after}}})
			now := "m.TestGreeting"
			if !strings.Contains(c.after, "TestGreeting") {
				now = "m.TestSalute"
			}
			change := patch.ChangeSet{Files: []patch.FileChange{{Path: "m.go", Before: code, After: strings.ReplaceAll(code, "Greeting", "Salute")}}}
			require.Equal(t, c.want, r.OtherNames("m.TestGreeting", now, change))
		})
	}
}
