package cli

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// In a folder without tests, work that makes nothing worse succeeds and is applied: that no test is there is no objection.
func TestRun_WorksInFoldersWithoutTests(t *testing.T) {
	t.Parallel()
	const (
		tidy    = "package sum\n\nconst two = 2\n\n// Two is 2.\nfunc Two() int { return two }\n"
		comment = "package sum\n\n// Two is 2, always.\nfunc Two() int { return 2 }\n"
		readme  = "# Sum\n\nTwo is 2.\n"
	)
	module := sumModule()
	module["two.go"] = twoFile
	python := map[string]string{"pyproject.toml": "[project]\nname = \"two\"\nversion = \"1\"\n", "two.py": "def two():\n    return 2\n"}
	type work struct {
		files      map[string]string
		script     string
		args       []string
		path, text string
	}
	for name, c := range testkit.SampleMap(1, map[string]work{
		"a refactoring": {module, decideExecutor + written("You restructure code", "two.go", "write", tidy), []string{"--recipe", "refactor", "name the number"}, "two.go", tidy},
		"a refactoring in Python": {
			python, decideExecutor + written("You restructure code", "two.py", "write", "TWO = 2\n\n\ndef two():\n    return TWO\n"),
			[]string{"--recipe", "refactor", "name the number"}, "two.py", "TWO = 2\n\n\ndef two():\n    return TWO\n",
		},
		"a comment":     {module, decideExecutor + written("You write documentation", "two.go", "write", comment), []string{"--recipe", "document", "say more of Two"}, "two.go", comment},
		"only a README": {map[string]string{"README.md": "# Sum\n"}, decideExecutor + written("You write documentation", "README.md", "write", readme), []string{"--recipe", "document", "mention Two"}, "README.md", readme},
		"a document by its domain": {
			map[string]string{"README.md": "# Sum\n"}, decideExecutor + written("You write documentation", "README.md", "write", readme), []string{"--domain", "documentation", "mention Two"}, "README.md", readme,
		},
		"by a tool": {module, "", []string{"--tool", "edit_file", "--args", `{"path": "two.go", "search": "return 2", "replace": "return 1 + 1"}`}, "two.go", "package sum\n\n// Two is 2.\nfunc Two() int { return 1 + 1 }\n"},
	}, "only a README") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := scripted(t, c.script+reviewPass, c.files)
			code, _, stderr := w.run(append([]string{"run", "--trust", "--yes"}, c.args...)...)
			require.Zero(t, code, stderr)
			require.Contains(t, stderr, "[forge] succeeded")
			require.Contains(t, stderr, "applied "+c.path)
			require.NotContains(t, stderr, "not verified")
			require.Equal(t, c.text, texts(t, w.root)[c.path])
			w.played()
		})
	}
}

// A refactoring in a folder without tests that no longer compiles is refused.
func TestRun_RefusesARefactoringThatBreaksAFolderWithoutTests(t *testing.T) {
	t.Parallel()
	files := sumModule()
	files["two.go"] = twoFile
	w := scripted(t, decideExecutor+written("You restructure code", "two.go", "write", "package sum\n\n// Two is 2.\nfunc Two() int { return two }\n"), files)
	before := fingerprint(t, w.root)
	code, _, stderr := w.run("run", "--trust", "--yes", "--max-attempts", "1", "--recipe", "refactor", "name the number")
	require.NotZero(t, code, stderr)
	require.Contains(t, stderr, "undefined: two")
	require.Equal(t, before, fingerprint(t, w.root))
}
