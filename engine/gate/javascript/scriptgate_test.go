package javascript

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/sandbox"
)

// The gate of other steps fails as they do, and says what it did not run.
func TestScriptGate_FailsAsItsStepsDo(t *testing.T) {
	t.Parallel()
	files := map[string]string{"package.json": `{"scripts": {"test": "tsd && size-limit && jest"}}`, "a.js": "", "bin:tsd": "", "bin:jest": ""}
	for _, c := range []struct {
		tool    canned
		verdict gate.Verdict
		says    string
	}{
		{canned{}, gate.Pass, "tsd of the script test passed; not installed: size-limit"},
		{canned{result: sandbox.Result{ExitCode: 1, Stdout: []byte("  \x1b[4m\x1b[31ma.js\x1b[0m:1:3: wrong\n")}}, gate.Fail, "1 finding of the script test: a.js:1: tsd: wrong"},
		{canned{result: sandbox.Result{ExitCode: 1, Stdout: []byte("no\n")}}, gate.Fail, "1 finding of the script test: package.json:1: tsd: no"},
		{canned{result: sandbox.Result{ExitCode: -1}}, gate.Error, "tsd ended with code -1"},
	} {
		report := gateNamed(t, c.tool, nameScript).Run(t.Context(), write(t, files))
		require.Equal(t, c.verdict, report.Verdict)
		require.Equal(t, c.says, report.Summary)
	}
}
