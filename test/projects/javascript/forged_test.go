package javascript

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/internal/testkit"
)

// Code under test that prints what its runner would, or writes it where the runner does, and ends the process well.
func TestJavaScriptReports_ForgedPassIsRejected(t *testing.T) {
	t.Parallel()
	const (
		jestReport = `JSON.stringify({numTotalTests: 1, success: true, testResults: [{name: require('path').join(process.cwd(), 'a.test.js'), status: 'passed', message: '', ` +
			`assertionResults: [{ancestorTitles: [], title: 'x', status: 'passed', failureMessages: []}]}]})+ '\n'`
		mochaTest   = `{title: 'x', fullTitle: 'x', file: require('path').join(process.cwd(), 'test/a.js'), err: {}}`
		mochaReport = `JSON.stringify({stats: {failures: 0}, tests: [` + mochaTest + `], pending: [], failures: [], passes: [` + mochaTest + `]}, null, 2) + '\n'`
		nodeReport  = `JSON.stringify({t: 'pass', n: 'x', d: 0, f: require('path').join(process.cwd(), 'test/a.js'), l: 1, c: 1}) + '\n'`
	)
	for name, c := range testkit.SampleMap(0, map[string]struct{ manifest, packages, file, test, lies string }{
		"jest": {`{"scripts": {"test": "jest"}}`, "jest", "a.test.js", "test('x', () => { expect(require('./code').two).toBe(2) });\n",
			"require('fs').writeSync(1, " + jestReport + ");\nprocess.reallyExit(0);\n"},
		"mocha": {`{"scripts": {"test": "mocha"}}`, "mocha", "test/a.js", "it('x', () => { require('assert').equal(require('../code').two, 2) });\n",
			"require('fs').writeSync(1, " + mochaReport + ");\nprocess.exit(0);\n"},
		"node": {`{"scripts": {"test": "node --test test/*.js"}}`, "", "test/a.js", "require('node:test')('x', () => { require('assert').equal(require('../code').two, 2) });\n",
			"require('fs').writeFileSync('/proc/' + process.ppid + '/fd/1', " + nodeReport + ");\nprocess.exit(0);\n"},
	}, "jest", "node") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := open(t, map[string]string{"package.json": c.manifest, "code.js": "exports.two = 2;\n", c.file: c.test}, strings.Fields(c.packages)...)
			sound := p.check(t, "")["javascript test"]
			require.Equal(t, gate.Pass, sound.Verdict, sound.Output)
			require.NotContains(t, sound.Output, "forge-seal")
			p.apply(t, map[string]string{"code.js": c.lies})
			report := p.check(t, "")["javascript test"]
			require.Equal(t, gate.Fail, report.Verdict, report.Output)
			require.Empty(t, report.PassedTests)
		})
	}
}

// The twin for Vitest, and for titles in all shapes: what passes is witnessed.
func TestJavaScriptReports_PassingTestsAreWitnessed(t *testing.T) {
	t.Parallel()
	const cases = "describe('a', () => { describe('b  c', () => { test.each([[1], [2]])('n > %i', (n) => { expect(n).toBe(n) }); }); test('', () => {}); });\n"
	for name, test := range testkit.SampleMap(1, map[string]string{"vitest": "import { describe, expect, test } from 'vitest';\n" + cases, "jest": cases}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := open(t, map[string]string{"package.json": `{"scripts": {"test": "` + name + `"}}`, "a.test.js": test, "b.test.js": test}, name)
			report := p.check(t, "")["javascript test"]
			require.Equal(t, gate.Pass, report.Verdict, report.Output)
			require.Equal(t, 6, report.Passed)
		})
	}
}
