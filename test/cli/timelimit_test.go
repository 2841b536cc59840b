package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
	"forge/internal/testkit"
)

// A gate that reaches its time limit is reported with the setting that gives it more time: each report in JSON has it, and who reads the lines of a run
// sees it once.
func TestTimeLimit_NamesTheSettingForMoreTime(t *testing.T) {
	t.Parallel()
	const advice = "timeouts: {slow: 3s} in your settings gives it more time"
	w := scripted(t, reviewPass, map[string]string{"a.txt": "A\n"})
	w.settings("gates: [{name: slow, argv: [sleep, '1000'], checks: 1}]\ntimeouts: {slow: 1s}\n")
	stdout := w.said(3, "validate", "--trust")
	require.Equal(t, 1, strings.Count(stdout, "did not end within 1s"), stdout)
	require.Equal(t, 1, strings.Count(stdout, advice), stdout)

	code, stdout, stderr := w.run("run", "--yes", "--json", "--tool", "write_file", "--args", `{"path": "b.txt", "content": "B\n"}`)
	require.Zero(t, code, stdout+stderr)
	all, _ := events(t, stdout)
	slow := reports(t, all, "slow")
	require.NotEmpty(t, slow)
	require.Equal(t, len(slow), strings.Count(stdout, `"advice":"`+advice), stdout)
	log := w.said(0, "log", asked[api.RunsResult](w, "runs").Runs[0].RunID)
	require.Equal(t, len(slow), strings.Count(log, "did not end within 1s"), log)
	require.Equal(t, 1, strings.Count(log, advice), log)
	w.played()
}

// A suite that reaches its time limit names the setting too, in each language.
func TestTimeLimit_OfASuiteNamesTheSetting(t *testing.T) {
	t.Parallel()
	for gate, c := range testkit.SampleMap(0, map[string]struct {
		tool, from string
		files      map[string]string
	}{
		"javascript test": {"node", "Node.js", map[string]string{
			"package.json": `{"type": "module", "scripts": {"test": "node --test"}}`,
			"a.test.js":    "import { test } from 'node:test';\ntest('waits', () => new Promise(() => setTimeout(() => {}, 1e6)));\n",
		}},
		"python test": {"python3", "Python", map[string]string{
			"setup.py": "from setuptools import setup\n\nsetup(name=\"a\")\n", "test_a.py": "import time\nimport unittest\n\n\nclass T(unittest.TestCase):\n    def test_a(self):\n        time.sleep(1000)\n",
		}},
	}, "javascript test") {
		t.Run(gate, func(t *testing.T) {
			t.Parallel()
			testkit.Tool(t, c.tool, c.from)
			w := scripted(t, decideExecutor, c.files)
			w.settings("timeouts: {" + gate + ": 2s}\n")
			stdout := w.said(3, "validate", "--trust", "--gate", gate)
			require.Contains(t, stdout, gate+" did not end within 2s and was stopped")
			require.Equal(t, 1, strings.Count(stdout, "timeouts: {"+gate+": 6s} in your settings gives it more time"), stdout)
		})
	}
}
