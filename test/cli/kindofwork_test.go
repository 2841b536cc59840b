package cli

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// taken is an orchestrator that takes the request for a kind of work.
func taken(kind string) string {
	return fmt.Sprintf(`
- {match: {node: orchestrator}, reply: {json: {action: executor, reason: small, kind: %s}}}`, kind)
}

// written is an answer to instructions that contain a text: a whole file.
func written(instructions, path, action, text string) string {
	return fmt.Sprintf(`
- match: {node: executor, contains: [%q]}
  reply: {json: {explanation: It says so., files: [{path: %s, action: %s, content: %q}], patch: "", blocked: ""}}`, instructions, path, action, text)
}

const twoFile, twoTest = "package sum\n\n// Two is 2.\nfunc Two() int { return 2 }\n", "package sum\n\nimport \"testing\"\n\nfunc TestTwo(t *testing.T) {\n\tif Two() != 2 {\n\t\tt.Fatal(Two())\n\t}\n}\n"

// twoModule has a function, a test that passes, and one that failed before any change.
func twoModule() map[string]string {
	files := sumModule()
	files["two.go"] = twoFile
	files["red_test.go"] = "package sum\n\nimport \"testing\"\n\nfunc TestRed(t *testing.T) { t.Fatal(\"since last year\") }\n"
	files["green_test.go"] = "package sum\n\nimport \"testing\"\n\nfunc TestGreen(*testing.T) {}\n"
	files["README.md"] = "# Sum\n"
	return files
}

// Work that only writes tests, or only documents, cannot have a test that fails first: none is asked for, without a flag, whatever else fails in the folder.
func TestRun_TestsAndDocumentsNeedNoFailingTest(t *testing.T) {
	t.Parallel()
	for name, c := range testkit.SampleMap(0, map[string]struct {
		request, script, path, text, says string
	}{
		"tests": {
			"add a test that Two is two", taken("test") + written("You write tests for existing behaviour", "two_test.go", "create", twoTest),
			"two_test.go", twoTest, "taken for: test (recipe test; another one: --recipe)",
		},
		"a document": {
			"mention Two in the README", taken("documentation") + written("You write documentation", "README.md", "write", "# Sum\n\nTwo is 2.\n"),
			"README.md", "# Sum\n\nTwo is 2.\n", "taken for: documentation (recipe document; another one: --recipe)",
		},
		"a comment": {
			"explain Two in its doc comment", taken("documentation") + written("You write documentation", "two.go", "write", "package sum\n\n// Two is 2, always.\nfunc Two() int { return 2 }\n"),
			"two.go", "package sum\n\n// Two is 2, always.\nfunc Two() int { return 2 }\n", "taken for: documentation",
		},
	}, "tests") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := scripted(t, c.script+reviewPass, twoModule())
			code, _, stderr := w.run("run", "--trust", "--yes", c.request)
			require.Zero(t, code, stderr)
			require.Contains(t, stderr, c.says)
			require.Equal(t, c.text, texts(t, w.root)[c.path])
			w.played()
		})
	}
}

// A model that calls other work so cannot leave tests out.
func TestRun_AModelCannotNameTestsAway(t *testing.T) {
	t.Parallel()
	for name, kind := range map[string]string{"a refactoring": "refactor", "settings": "setup", "speed": "optimisation", "a feature": "feature"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := scripted(t, taken(kind)+writeTests+writeRight+reviewPass, sumModule())
			code, _, stderr := w.run("run", "--trust", "--yes", "add Add")
			require.Zero(t, code, stderr)
			w.played()
		})
	}
}

// Where the rules and the model agree that behaviour stays, no test must fail first.
func TestRun_ARefactoringNeedsNoFailingTest(t *testing.T) {
	t.Parallel()
	files := sumModule()
	files["two.go"], files["two_test.go"] = twoFile, twoTest
	tidy := "package sum\n\nconst two = 2\n\n// Two is 2.\nfunc Two() int { return two }\n"
	w := scripted(t, taken("refactor")+written("You restructure code", "two.go", "write", tidy)+reviewPass, files)
	code, _, stderr := w.run("run", "--trust", "--yes", "extract the number of Two into a constant")
	require.Zero(t, code, stderr)
	require.Equal(t, tidy, texts(t, w.root)["two.go"])
	w.played()
}

// Documentation changes no code, whether the user or the model calls it so; a list of pages is no code.
func TestRun_DocumentationThatChangesCodeIsRejected(t *testing.T) {
	t.Parallel()
	for name, recipe := range map[string][]string{"by the model": nil, "by the user": {"--recipe", "document"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := twoModule()
			files["pages.yml"] = "pages: []\n"
			script := taken("documentation") + written("You write documentation", "two.go", "write", "package sum\n\n// Two is 2, always.\nfunc Two() int { return 3 }\n") +
				written("what it changes in two.go is code", "pages.yml", "write", "pages: [README.md]\n")
			w := scripted(t, script+reviewPass, files)
			code, _, stderr := w.run(append([]string{"run", "--trust", "--yes"}, append(recipe, "list the README among the pages")...)...)
			require.Zero(t, code, stderr)
			require.Contains(t, stderr, "the task is documentation, and what it changes in two.go is code")
			require.Equal(t, "pages: [README.md]\n", texts(t, w.root)["pages.yml"])
			require.Equal(t, twoFile, texts(t, w.root)["two.go"])
			w.played()
		})
	}
}

// Documentation that cannot be written without code ends with the command that changes code, whether the model changes it or says that it must change.
func TestRun_DocumentationThatNeedsCodeSaysHowToGoOn(t *testing.T) {
	t.Parallel()
	for name, answer := range testkit.SampleMap(0, map[string]string{
		"changed": written("You write documentation", "two.go", "write", "package sum\n\n// Two is 2, always.\nfunc Two() int { return 3 }\n"),
		"blocked": `
- {match: {node: executor, contains: [You write documentation]}, reply: {json: {explanation: "", files: [], patch: "", blocked: "Two in two.go must return 3 first"}}}`,
	}, "changed") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := scripted(t, taken("documentation")+answer, twoModule())
			before := fingerprint(t, w.root)
			code, _, stderr := w.run("run", "--trust", "--yes", "--max-attempts", "1", "document that Two is 3")
			require.NotZero(t, code, stderr)
			require.Contains(t, stderr, `. To have code changed too: forge run --recipe implement "…"`)
			require.Equal(t, before, fingerprint(t, w.root))
			w.played()
		})
	}
}
