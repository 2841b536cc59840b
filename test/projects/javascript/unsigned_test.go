package javascript

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/gate/javascript"
	"forge/internal/testkit"
)

// unsigned are projects whose tests are run by programs that sign nothing: the code exports two and more, and the test wants 2.
var unsigned = map[string]struct {
	script, packages, file, test, more string
	held                               []string // by the test; with more, by both
	both                               []string
	lies                               string // code that says what the runner would
}{
	"ava": {
		"ava", "ava", "test/a.mjs", "import test from 'ava';\nimport code from '../code.js';\ntest('adds', (t) => t.is(code.two, 2));\n",
		"import test from 'ava';\nimport code from '../code.js';\ntest('more', (t) => t.is(code.three, 3));\n",
		[]string{"test/a.mjs > adds"}, []string{"test/a.mjs > adds", "test/b.mjs > more"}, `'TAP version 13\nok 1 - adds\n1..1\n'`,
	},
	"tape": {
		"tape 'test/*.js' | tap-spec", "tape", "test/a.js", "require('tape')('adds', (t) => { t.equal(require('../code').two, 2); t.end(); });\n",
		"require('tape')('more', (t) => { t.equal(require('../code').three, 3); t.end(); });\n",
		[]string{"? > adds"}, []string{"? > adds", "? > more"}, `'TAP version 13\n# adds\nok 1 x\n1..1\n'`,
	},
	"uvu": {
		"uvu test", "uvu", "test/a.js", "const { test } = require('uvu');\ntest('adds', () => require('assert').equal(require('../code').two, 2));\ntest.run();\n",
		"const { test } = require('uvu');\ntest('more', () => require('assert').equal(require('../code').three, 3));\ntest.run();\n",
		[]string{"test/a.js > a.js"}, []string{"test/a.js > a.js", "test/b.js > b.js"}, `'a.js\n•   (1 / 1)\n\n  Total:     1\n  Passed:    1\n  Skipped:   0\n'`,
	},
	"asserts": {
		"node test/a.js && node test/b.js", "", "test/a.js", "require('assert').equal(require('../code').two, 2);\n",
		"require('assert').equal(require('../code').three, 3);\n",
		[]string{"test/a.js > a.js"}, []string{"test/a.js > a.js", "test/b.js > b.js"}, `'ok'`,
	},
	"a shell": {
		"for f in test/*.js; do node $f || exit 1; done", "", "test/a.js", "require('assert').equal(require('../code').two, 2);\n",
		"require('assert').equal(require('../code').three, 3);\n",
		[]string{"test/a.js > a.js"}, []string{"test/a.js > a.js", "test/b.js > b.js"}, `'ok'`,
	},
}

// A test is seen to fail and then to pass, and code that ends the process, or says what the runner would, is no pass.
func TestUnsignedRunners_ForgedPassIsRejected(t *testing.T) {
	t.Parallel()
	for name, c := range testkit.SampleMap(1, unsigned, "a shell") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			other := strings.Replace(c.file, "/a.", "/b.", 1)
			files := map[string]string{"package.json": `{"scripts": {"test": "` + c.script + `"}}`, "code.js": "exports.two = 2;\n", c.file: c.test}
			if name == "asserts" {
				files[other] = "// to come\n"
			}
			p := open(t, files, strings.Fields(c.packages)...)
			run := func(files map[string]string) gate.Report {
				require.NoError(t, p.tree.Reset(t.Context()))
				p.apply(t, files)
				return p.check(t, "", "javascript test")["javascript test"]
			}
			before := run(nil)
			require.Equal(t, gate.Pass, before.Verdict, before.Output)
			require.Subset(t, before.PassedTests, c.held, before.Output)
			red := run(map[string]string{other: c.more})
			is, why := javascript.Red(before, red)
			require.True(t, is, why+red.Output)
			after := run(map[string]string{other: c.more, "code.js": "exports.two = 2;\nexports.three = 3;\n"})
			require.Equal(t, gate.Pass, after.Verdict, after.Output)
			require.Equal(t, c.both, after.PassedTests)
			require.Equal(t, gate.Pass, gate.Baseline([]gate.Report{red}, []gate.Report{red})[0].Verdict, "it was red before")
			for _, code := range []string{
				"exports.two = 3;\n", "process.exit(0);\n", "exports.two = 2;\nprocess.nextTick(() => process.exit(0));\n",
				"require('fs').writeSync(1, " + c.lies + ");\nprocess.reallyExit(0);\n",
			} {
				wrong := run(map[string]string{"code.js": code})
				require.Equal(t, gate.Fail, wrong.Verdict, code+wrong.Output)
				require.NotContains(t, wrong.PassedTests, c.held[0], code)
			}
		})
	}
}

// The other steps of the script run as well: a type test that fails is found, although the script's tests pass.
func TestUnsignedRunners_RunEveryStepOfTheScript(t *testing.T) {
	t.Parallel()
	p := open(t, map[string]string{
		"package.json":       `{"scripts": {"test": "uvu test && tsc -p strict.json --noEmit && node check.js && npm audit"}}`,
		"strict.json":        `{"compilerOptions": {"strict": true, "types": []}, "files": ["a.ts"]}`,
		"a.ts":               "export const a: number = 1;\n",
		"check.js":           "if (require('./code').two > 2) { console.error('code.js:1:1: too large'); process.exit(1); }\n",
		"code.js":            "exports.two = 2;\n",
		unsigned["uvu"].file: unsigned["uvu"].test,
	}, "uvu", "typescript")
	reports := p.check(t, "")
	require.Equal(t, "tsc, node of the script test passed", reports["javascript script"].Summary)
	require.Contains(t, reports["javascript test"].Summary, "not run: npm (of the script test)")
	p.apply(t, map[string]string{"a.ts": "export const a: number = '1';\n", "code.js": "exports.two = 3;\n"})
	report := p.check(t, "", "javascript script")["javascript script"]
	require.Equal(t, gate.Fail, report.Verdict)
	require.Equal(t, []string{"a.ts:1: tsc: error TS2322: Type 'string' is not assignable to type 'number'.", "code.js:1: node: too large"},
		[]string{report.Findings[0].String(), report.Findings[1].String()})
}
