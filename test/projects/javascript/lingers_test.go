package javascript

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/internal/testkit"
)

// A runner that leaves its process to end by itself is ended ten seconds after its tests, so that what they said is not lost with the time-out. That it
// did not end is a finding only where all of them passed.
func TestRunners_EndWithTheirTests(t *testing.T) {
	t.Parallel()
	const timer = "setInterval(() => {}, 1000);\n"
	for name, test := range testkit.SampleMap(0, map[string]struct{ program, body, says, test string }{
		"mocha, all pass":  {"mocha", "it('adds', () => {});\n", "all tests have ended, and 10 seconds later their process had not: something keeps it open, such as a server, a socket or a timer", ""},
		"mocha, one fails": {"mocha", "it('adds', () => { throw new Error('no'); });\n", "Error: no", "test/a.test.js > adds"},
		"jest, all pass":   {"jest", "it('adds', () => {});\n", "all tests have ended, and 10 seconds later their process had not: something keeps it open, such as a server, a socket or a timer", ""},
	}, "mocha, all pass", "mocha, one fails") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := open(t, map[string]string{"package.json": `{"scripts": {"test": "` + test.program + ` test"}}`, "test/a.test.js": timer + test.body}, test.program)
			report := p.alone(t, false)
			require.Equal(t, gate.Fail, report.Verdict, "%s\n%s", report.Summary, report.Output)
			require.Equal(t, 1, report.Executed)
			require.Len(t, report.Findings, 1)
			require.Contains(t, report.Findings[0].Message, test.says)
			require.Equal(t, test.test, report.Findings[0].Test)
		})
	}
}
