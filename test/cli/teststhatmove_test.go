package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A refactoring may use another name in the tests that use what it renames, and give them another name too.
func TestRun_ARefactoringTakesItsTestsAlong(t *testing.T) {
	t.Parallel()
	for name, renamed := range map[string]*strings.Replacer{
		"the name":                         strings.NewReplacer(" Greeting()", " Salute()"),
		"the name, and that of their test": strings.NewReplacer("Greeting", "Salute"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code := strings.ReplaceAll(helloCode, "Greeting", "Salute")
			w := scripted(t, decideExecutor+restructured(code, renamed.Replace(helloTest))+reviewPass, greeter())
			exit, stdout, stderr := w.run("run", "--trust", "--yes", "--recipe", "refactor", "rename Greeting to Salute")
			require.Zero(t, exit, stdout+stderr)
			require.Equal(t, renamed.Replace(helloTest), texts(t, w.root)["sum_test.go"])
			require.Equal(t, code, texts(t, w.root)["sum.go"])
			w.played()
		})
	}
}

// restructured is an answer of a refactoring: the code, and its tests.
func restructured(code, tests string) string {
	return fmt.Sprintf(`
- match: {node: executor, contains: [You restructure code]}
  reply: {json: {explanation: sum_test.go uses the name., patch: "", blocked: "", files: [{path: sum.go, action: write, content: %q}, {path: sum_test.go, action: write, content: %q}]}}`, code, tests)
}

// A test that was there and is extended, with what is not there yet, counts as one that fails first: no function has to be new.
func TestRun_TakesATestThatIsExtended(t *testing.T) {
	t.Parallel()
	extended := strings.TrimSuffix(helloTest, "}\n") + "\tif got := Bye(); got != \"Bye\" {\n\t\tt.Fatalf(\"Bye() = %q\", got)\n\t}\n}\n"
	w := scripted(t, greetingWith(t, extended, helloCode+byeCode), greeter())
	exit, stdout, stderr := w.run("run", "--trust", "--yes", "say goodbye")
	require.Zero(t, exit, stdout+stderr)
	require.Contains(t, stderr, "✓ red ")
	require.Equal(t, extended, texts(t, w.root)["sum_test.go"])
	require.Equal(t, helloCode+byeCode, texts(t, w.root)["sum.go"])
	require.Equal(t, 2, w.journal.requests("executor"), "the first answers are taken")

	w = scripted(t, greetingWith(t, extended, helloCode+strings.ReplaceAll(byeCode, `"Bye"`, `"Ciao"`)), greeter()) // the twin: it must pass in the end
	before := fingerprint(t, w.root)
	exit, stdout, stderr = w.run("run", "--trust", "--yes", "--max-attempts", "1", "say goodbye")
	require.NotZero(t, exit, stdout+stderr)
	require.Contains(t, stderr, "TestGreeting")
	require.Equal(t, before, fingerprint(t, w.root))
}
