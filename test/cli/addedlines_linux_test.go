package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	// greetTable is a test of a function with rows of two lines.
	greetTable = "package sum\n\nimport \"testing\"\n\nfunc TestGreeting(t *testing.T) {\n\tfor _, c := range []struct{ name, want string }{\n\t\t{\"\",\n\t\t\t\"Hello\"},\n\t\t{\"Ada\",\n\t\t\t\"Hello Ada\"},\n\t} {\n\t\tif got := Greeting(c.name); got != c.want {\n\t\t\tt.Errorf(\"Greeting(%q) = %q\", c.name, got)\n\t\t}\n\t}\n}\n"
	greetCode  = "// Package sum adds up.\npackage sum\n\n// Greeting greets.\nfunc Greeting(name string) string {\n\tif name == \"\" {\n\t\treturn \"Hello\"\n\t}\n\treturn \"Hello \" + name\n}\n"
)

func greetsByTable(t *testing.T, tests, code string) *world {
	t.Helper()
	files := sumModule()
	files["sum.go"], files["sum_test.go"] = greetCode, greetTable
	return scripted(t, greetingWith(t, tests, code), files)
}

// Lines that are only added can make a row state something else: the old expectation becomes that of a new row. The original test is run, and named.
func TestRun_NamesATestWhoseRowIsTakenOver(t *testing.T) {
	t.Parallel()
	tests := strings.Replace(greetTable, "\t\t\t\"Hello\"},\n", "\t\t\t\"Hi\"},\n\t\t{\"  \",\n\t\t\t\"Hello\"},\n", 1)
	code := strings.Replace(greetCode, "if name == \"\" {\n\t\treturn \"Hello\"\n", "switch name {\n\tcase \"\":\n\t\treturn \"Hi\"\n\tcase \"  \":\n\t\treturn \"Hello\"\n", 1)
	w := greetsByTable(t, tests, code)
	exit, stdout, stderr := w.run("run", "--trust", "--yes", "greet an empty name in a shorter way, and blanks as before")
	t.Log(stdout, stderr)
	require.Zero(t, exit, stderr)
	require.Contains(t, stderr, "[forge] 1 existing test changed: example.com/sum.TestGreeting.")
	require.Equal(t, tests, texts(t, w.root)["sum_test.go"])
}

// A statement that ends a test before it states anything weakens it, though no line is taken out.
func TestRun_KeepsATestThatAReturnWouldEnd(t *testing.T) {
	t.Parallel()
	tests := strings.Replace(greetTable, "(t *testing.T) {\n", "(t *testing.T) {\n\tif Greeting(\"\") != \"Hello\" {\n\t\treturn\n\t}\n", 1) +
		"\nfunc TestHi(t *testing.T) {\n\tif got := Greeting(\"Ada\"); got != \"Hi Ada\" {\n\t\tt.Error(got)\n\t}\n}\n"
	w := greetsByTable(t, tests, strings.ReplaceAll(greetCode, "Hello", "Hi"))
	before := fingerprint(t, w.root)
	exit, stdout, stderr := w.run("run", "--trust", "--yes", "greet by name in a shorter way")
	t.Log(stdout, stderr)
	require.NotZero(t, exit)
	require.Contains(t, stderr, "TestGreeting passes as it is today, and would fail with this change")
	require.Equal(t, before, fingerprint(t, w.root))
}
