package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// planOf is a plan file of one part.
func planOf(t *testing.T, verify ...string) string {
	t.Helper()
	text, err := json.MarshalIndent(map[string]any{"version": 1, "task": "add Sub to package sum", "parts": []map[string]any{{
		"id": "sub", "title": "add Sub", "objective": "func Sub(a, b int) int", "files": []string{"sub.go", "sub_test.go"}, "dependsOn": []string{},
		"verify": verify, "doneWhen": "Sub is documented",
	}}}, "", " ")
	require.NoError(t, err)
	return string(text)
}

const (
	subTested = `
- match: {node: executor, contains: [You write tests, "to be shown: Sub subtracts"]}
  reply: {json: {explanation: t, files: [{path: sub_test.go, action: create, content: "package sum\n\nimport \"testing\"\n\nfunc TestSub(t *testing.T) {\n\tif Sub(3, 2) != 1 {\n\t\tt.Fatal(\"3-2\")\n\t}\n}\n"}]}}`
	subWrong = `
- match: {node: executor, contains: [You implement a change]}
  reply: {json: {explanation: i, files: [{path: sub.go, action: create, content: "package sum\n\nfunc Sub(a, b int) int { return a + b }\n"}]}}`
	subBare = `
- match: {node: executor, contains: [You implement a change]}
  reply: {json: {explanation: i, files: [{path: sub.go, action: create, content: "package sum\n\nfunc Sub(a, b int) int { return a - b }\n"}]}}`
	planOfSub = `
- match: {node: planner}
  reply: {json: {explanation: One part., parts: [
    {id: sub, title: add Sub, objective: "func Sub(a, b int) int", files: [sub.go, sub_test.go], dependsOn: [], verify: [Sub subtracts, "$ grep -c difference sub.go go.mod"], doneWhen: Sub is documented, risk: low}]}}`
)

// A command of "verify" is run on the finished part, and its failure sends the part back with its output. What the part is not yet by its
// "done when" sends it back too, although the reviewer says that it passes. The next plan shows what went wrong, and how long this one took.
func TestPlanVerify_CommandsAndDoneWhenDecide(t *testing.T) {
	t.Parallel()
	const subOf = `{path: sub.go, action: create, content: "package sum\n\n// Sub %s\nfunc Sub(a, b int) int { return a - b }\n"}`
	w := scripted(t, decideExecutor+subTested+subWrong+subBare+`
- {match: {node: debugger}, times: -1, reply: {json: {rootCause: the comment is short, hypotheses: [], fix: say what it returns, mustRead: [], strategy: say more}}}
- match: {node: executor, contains: [You implement a change, "grep -c difference sub.go go.mod failed: exit code 1", "sub.go:0"]}
  reply: {json: {explanation: i, files: [`+strings.Replace(subOf, "%s", "is a difference.", 1)+`]}}
- match: {node: review, contains: ["Done when: Sub is documented", "List in \"unmet\"", "verify: pass: 2 of 2 commands passed; frobnicate it was not run: your settings (tools.commands) do not allow it"]}
  reply: {json: {pass: true, reason: It works., issues: [], unmet: ["Sub is documented: the comment does not say what it returns"]}}
- match: {node: executor, contains: [You implement a change, "not done: Sub is documented: the comment does not say"]}
  reply: {json: {explanation: i, files: [`+strings.Replace(subOf, "%s", "returns the difference of a and b.", 1)+`]}}`+reviewPass+decideExecutor+planOfSub, sumModule())
	w.settings("tools: {commands: [[grep]]}\n")
	file := filepath.Join(t.TempDir(), "plan.json")
	require.NoError(t, os.WriteFile(file, []byte(planOf(t, "Sub subtracts", "$ grep -c difference sub.go go.mod", "grep -q Sub sub.go", "`frobnicate it`")), 0o600))
	code, stdout, stderr := w.run("run", "--yes", "--trust", "--json", "--allow-shell", "--max-attempts", "4", "--plan-file", file)
	require.Zero(t, code, stdout[max(0, len(stdout)-3000):]+stderr)
	require.Contains(t, stderr, `plan.json:17:5: warning: frobnicate it cannot be run: your settings (tools.commands) do not allow it. The reviewer decides without it`)
	all, _ := events(t, stdout)
	verified := reports(t, all, "verify")
	require.Len(t, verified, 3)
	require.Equal(t, "fail: 1 of 2 commands passed; frobnicate it was not run: your settings (tools.commands) do not allow it", verified[0])
	require.Contains(t, verified[1], "pass: 2 of 2 commands passed")
	require.Contains(t, w.read("sub.go"), "returns the difference")

	code, stdout, stderr = w.run("run", "--trust", "--plan", "add Sub to package sum again")
	require.Equal(t, 3, code, stdout+stderr)
	for _, said := range []string{
		"known risk: go test", "TestSub", "in sub.go, replace",
		" (4 by its size, corrected by 1 earlier plan)", "; an earlier plan here took ", "runs `grep -c difference sub.go go.mod`", "risk low", "done when: Sub is documented", "func Sub(a, b int) int",
	} {
		require.Contains(t, stderr, said)
	}
	w.played()
}

// What cannot be run is a warning with its place, and a sentence is no command.
func TestPlanValidate_WarnsOfCommandsThatCannotRun(t *testing.T) {
	t.Parallel()
	w := scripted(t, "\n- {match: {node: planner}, reply: {text: never}}", sumModule())
	w.settings("tools: {commands: [[go, vet], [rm], [nosuchprogram]]}\npermissions: [{tool: run_command, match: go vet -all, answer: deny}]\n")
	file := filepath.Join(t.TempDir(), "plan.json")
	for entry, want := range map[string]string{
		"make sure that the sums add up": "",
		"go through all rows":            "",
		"$ go vet ./...":                 "",
		"$ rm -rf /":                     ":14:5: warning: rm -rf / cannot be run: it ",
		"go vet ./... | tail":            ":14:5: warning: go vet ./... | tail cannot be run: it needs a shell",
		"$ go test ./...":                ":14:5: warning: go test ./... cannot be run: your settings (tools.commands) do not allow it",
		"`nosuchprogram --all`":          ":14:5: warning: nosuchprogram --all cannot be run: there is no program nosuchprogram here",
		"$ go vet 'a b":                  ":14:5: warning: go vet 'a b cannot be run: it cannot be parsed",
	} {
		require.NoError(t, os.WriteFile(file, []byte(planOf(t, entry)), 0o600))
		code, out, said := w.run("plan", "validate", file)
		require.Zero(t, code, "%s: %s", entry, said)
		require.Contains(t, out, "1 part in 1 tier")
		if want == "" {
			require.NotContains(t, said, "warning", entry)
		} else {
			require.Contains(t, said, want, entry)
		}
	}
}
