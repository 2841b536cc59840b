package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// The tests of a project that no changed file concerns run at most without the change.
func TestRun_TestsOfAnotherProjectAreNotRun(t *testing.T) {
	t.Parallel()
	testkit.Tool(t, "node", "Node.js")
	const notConcerned, passed = "not-run: not concerned by what has changed", "pass: 1 test passed in 1 file"
	for name, c := range testkit.SampleMap(0, map[string]struct{ file, said string }{
		"a change beside it":       {"docs/b.md", notConcerned},
		"a change in it, the twin": {"web/b.js", passed},
	}, "a change beside it") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := scripted(t, reviewPass, map[string]string{
				"web/package.json": `{"type": "module", "scripts": {"test": "node --test"}}`,
				"web/a.js":         "export const a = 1;\n",
				"web/a.test.js":    "import { test } from 'node:test';\nimport './a.js';\n\ntest('a', () => {});\n",
			})
			code, stdout, stderr := w.run("run", "--yes", "--trust", "--json", "--tool", "write_file", "--args", `{"path": "`+c.file+`", "content": "// b\n"}`)
			require.Zero(t, code, stdout+stderr)
			all, _ := events(t, stdout)
			said := reports(t, all, "javascript test (web)")
			require.Contains(t, said, c.said, "the report without the change may come before or after the one with it")
			if c.said == notConcerned {
				require.LessOrEqual(t, len(said), 2, "without the change, and not with it")
			}
			w.played()
		})
	}
}

// A part of a plan that only changes documents runs no tests, builds nothing and vets nothing; the part that changes code does.
func TestPlanRun_APartOfDocumentsRunsNoTests(t *testing.T) {
	t.Parallel()
	files := sumModule()
	files["old_test.go"], files["docs/add.md"] = "package sum\n\nimport \"testing\"\n\nfunc TestOld(*testing.T) {}\n", "# Sum\n"
	w := scripted(t, decideExecutor+`
- match: {node: planner}
  reply: {json: {explanation: A description and its code., parts: [
    {id: docs, title: describe Add, type: document, objective: describe Add, files: [docs/add.md], dependsOn: [], verify: [it names Add], doneWhen: it does},
    {id: add, title: add Add, objective: "func Add(a, b int) int", files: [add.go, add_test.go], dependsOn: [docs], verify: [Add adds], doneWhen: Add is there}]}}
- match: {node: docs/executor}
  reply: {json: {explanation: It is described., files: [{path: docs/add.md, action: write, content: "# Sum\n\nAdd adds.\n"}]}}
- {match: {node: docs/review}, reply: {json: {pass: true, reason: fine, issues: []}}}`+
		strings.ReplaceAll(writeTests+writeRight+reviewPass, "node: ", "node: add/")+reviewPass, files)
	code, stdout, stderr := w.run("run", "--yes", "--trust", "--json", "--plan", "describe Add and add it")
	require.Zero(t, code, stdout+stderr)
	all, _ := events(t, stdout)
	of := func(part string) []event {
		return slices.DeleteFunc(slices.Clone(all), func(e event) bool { return !strings.Contains(string(e.Data), `"node":"`+part+`/`) })
	}
	for _, gate := range []string{"go test", "go build", "go vet"} {
		require.Equal(t, []string{"not-run: not concerned by what has changed"}, reports(t, of("docs"), gate), gate)
	}
	require.Equal(t, []string{"pass: 2 tests passed in 1 package"}, reports(t, of("add"), "go test"), "the twin")
	w.played()
}
