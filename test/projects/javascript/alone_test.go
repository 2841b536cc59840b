package javascript

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/gate/javascript"
	"forge/internal/testkit"
)

// alone has the gate of tests run some tests only.
func (p project) alone(t *testing.T, files bool, tests ...string) gate.Report {
	t.Helper()
	all := javascript.Language(machine(), t.TempDir()).Gates
	at := slices.IndexFunc(all, func(g gate.Gate) bool { return g.Name() == "javascript test" })
	return gate.RunIn(t.Context(), all[at], p.tree, gate.Scope{Only: tests, Files: files})
}

// Tests are run again alone by the names that a report has of them: no other test of their file, and none of another file, is executed.
func TestRunners_RunTestsAlone(t *testing.T) {
	t.Parallel()
	body := "describe('a suite (x)', () => {\n  it('adds [1]', () => {});\n  it('adds [1] and 2', () => {});\n});\nit('is alone', () => {});\n"
	globals := map[string]string{
		"vitest": "import { describe, it } from 'vitest';\n", "jest": "", "mocha": "", "node": "const { describe, it } = require('node:test');\n",
	}
	for name, test := range testkit.SampleMap(0, map[string]struct {
		program, script, a, b string
		byName                bool // else a file is what is run
		byFile                bool // else the runner takes the files that the project names
	}{
		"vitest":            {"vitest", "vitest run", "test/a.test.mjs", "test/b.test.mjs", true, true},
		"jest":              {"jest", "jest", "test/a.test.js", "test/b.test.js", true, true},
		"jest through node": {"jest", "node node_modules/.bin/jest", "test/a.test.js", "test/b.test.js", true, true},
		"jest of a folder":  {"jest", "jest test", "test/a.test.js", "test/b.test.js", true, false},
		"mocha":             {"mocha", "mocha", "test/a.js", "test/b.js", true, true},
		"mocha of files":    {"mocha", "mocha --timeout 9000 'test/*.js'", "test/a.js", "test/b.js", true, true},
		"mocha of others":   {"mocha", "mocha --unknown test/*.js", "test/a.js", "test/b.js", true, false},
		"node":              {"node", "node --test", "test/a.test.js", "test/b.test.js", false, true},
		"node of files":     {"node", "node --require ./setup.js --test test/*.test.js", "test/a.test.js", "test/b.test.js", false, true},
	}, "vitest", "node") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := globals[test.program] + body
			other := text
			if !test.byFile {
				other = strings.ReplaceAll(text, "it('", "it('another ")
			}
			files := map[string]string{"package.json": `{"scripts": {"test": "` + test.script + `"}}`, "setup.js": "\n", test.a: text, test.b: other}
			p := open(t, files, slices.DeleteFunc([]string{test.program}, func(s string) bool { return s == "node" })...)
			whole := p.alone(t, false)
			require.Equal(t, 6, whole.Executed, "%s\n%s", whole.Summary, whole.Output)
			wanted := whole.PassedTests[slices.IndexFunc(whole.PassedTests, func(held string) bool { return strings.HasPrefix(held, test.a) })]
			report := p.alone(t, false, wanted)
			require.Equal(t, "pass", report.Verdict.String(), "%s\n%s", report.Summary, report.Output)
			require.True(t, gate.Conclusive(report, []string{wanted}))
			if test.byName {
				require.Equal(t, []string{wanted}, report.PassedTests)
			}
			if test.byFile {
				report = p.alone(t, true, wanted)
				require.Equal(t, 3, report.Executed, "%s\n%s", report.Summary, report.Output)
			}
		})
	}
}
