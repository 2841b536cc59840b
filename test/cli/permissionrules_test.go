package cli

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// The rules of the user's own settings decide about the calls of a model: one allows without a question, one denies what flags allow,
// and one names exactly a critical line, which then only the sandbox stops. A program that Forge does not know is asked about even in the mode
// heavy.
func TestRun_FollowsTheRulesOfTheUser(t *testing.T) {
	t.Parallel()
	for name, c := range testkit.SampleMap(1, map[string]struct{ argv, rules, layer, mode string }{
		"allowed":                {"[go, generate]", `[{tool: run_command, match: "go generate", answer: allow}]`, "allow user", "balanced"},
		"denied":                 {"[go, generate]", `[{tool: command, answer: allow}, {tool: run_command, match: "go generate", answer: deny}]`, "deny user", "heavy"},
		"asked":                  {"[go, generate]", `[{tool: "run_*", match: "go **", answer: ask}]`, "deny non-interactive", "heavy"},
		"unknown":                {"[frobnicate, x]", "[]", "deny non-interactive", "heavy"},
		"critical":               {"[git, push]", `[{tool: run_command, match: "git **", answer: allow}]`, "deny command", "heavy"},
		"critical, and this one": {"[git, push]", `[{tool: run_command, match: "git push", answer: allow}]`, "allow user", "balanced"},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := scripted(t, wantsToRun(c.argv), generated())
			w.settings("tools: {commands: [[go], [git], [frobnicate]]}\npermissions: " + c.rules + "\n")
			w.run("run", "--yes", "--trust", "--non-interactive", "--profile", "tooluse", "--mode", c.mode, "add Add to package sum")
			_, stdout, _ := w.run("audit", "--json")
			var audit struct {
				Rows []struct{ Tool, Verdict, Layer string }
			}
			require.NoError(t, json.Unmarshal([]byte(stdout), &audit))
			var found []string
			for _, r := range audit.Rows {
				if r.Tool == "run_command" {
					found = append(found, r.Verdict+" "+r.Layer)
				}
			}
			require.Contains(t, found, c.layer)
		})
	}
}

// The list of permissions shows the rules with their places, and a folder's own file has no rules.
func TestPermissionsList_ShowsTheRulesOfTheUser(t *testing.T) {
	t.Parallel()
	w := scripted(t, whole, sumModule())
	w.settings("permissions: [{tool: run_command, match: \"git push **\", answer: deny}]\n")
	code, stdout, stderr := w.run("permissions", "list")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "rule: deny")
	require.Contains(t, stdout, "git push ** (permissions[0] in config.yaml)")
	code, stdout, stderr = w.run("permissions", "list", "--json")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, `"answer":"deny"`)

	w.settings("permissions: [{tool: run_command, answer: perhaps}]\n")
	code, _, stderr = w.run("permissions", "list")
	require.NotZero(t, code)
	require.Contains(t, stderr, `permissions[0] in config.yaml: "perhaps" is not an answer: use allow, ask or deny`)
}
