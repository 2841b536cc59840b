package javascript

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
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
			require.Equal(t, []string{"test/a.test.js > parses"}, report.Held)
		})
	}
}
