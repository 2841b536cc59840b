package javascript

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/internal/testkit"
)

// Tests of a program that reads its arguments find none of those that Forge gives the runner: commander's own tests parse process.argv.
func TestRunners_ShowTheirArgumentsToNoTest(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"jest", "mocha"} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			p := open(t, map[string]string{
				"package.json":   `{"scripts": {"test": "` + program + ` test"}}`,
				"test/a.test.js": "it('parses', () => { require('node:assert').deepEqual(process.argv.slice(2), []); });\n",
			}, program)
			report := p.alone(t, false)
			require.Equal(t, gate.Pass, report.Verdict, "%s\n%s", report.Summary, report.Output)
			require.Equal(t, []string{"test/a.test.js > parses"}, report.PassedTests)
		})
	}
}

// Tests of jest see no variables against colours, but those of their own script; what jest says has no colours all the same.
func TestJest_HasTheColoursOfItsUser(t *testing.T) {
	t.Parallel()
	for script, want := range testkit.SampleMap(0, map[string]string{"jest": "undefined", "NO_COLOR=1 jest": "'1'"}, "jest") {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			p := open(t, map[string]string{
				"package.json": `{"scripts": {"test": "` + script + `"}}`,
				"a.test.js":    "test('sees', () => expect([process.env.NO_COLOR, process.env.FORCE_COLOR]).toEqual([" + want + ", undefined]));\ntest('fails', () => expect(1).toBe(2));\n",
			}, "jest")
			report := p.alone(t, false)
			require.Equal(t, gate.Fail, report.Verdict, "%s\n%s", report.Summary, report.Output)
			require.Equal(t, []string{"a.test.js > sees"}, report.PassedTests)
			require.Len(t, report.Findings, 1)
			require.Contains(t, report.Findings[0].Message, "Expected: 2")
			require.NotContains(t, report.Output+report.Findings[0].Message, "\x1b[3")
		})
	}
}
