package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
)

// nothingToDo is the orchestrator's decision after an errand with which the run ends, before any gate runs.
const nothingToDo = `reply: {json: {action: done, reason: it is there}}}`

// lookedUp is an errand of the explorer that finds the answer in its second round.
const lookedUp = `
- {match: {node: orchestrator, attempt: 1}, reply: {json: {action: delegate, task: "What does sum.go have?", reason: Add may be there}}}
- {match: {node: delegate-1/subagent, contains: ["What does sum.go have?"]}, reply: {json: {action: look, requests: [{provider: read_file, args: {path: sum.go}, why: it is asked for}], result: ""}}}
- {match: {node: delegate-1/subagent, contains: ["// Package sum"]}, reply: {json: {action: done, requests: [], result: "sum.go has no function."}}}
- {match: {node: orchestrator, attempt: 2, contains: ["sum.go has no function."]}, ` + nothingToDo

// An errand is kept with its agent, its question, its budget, its tokens and its result.
func TestAgentsCommand_RunsListsErrands(t *testing.T) {
	t.Parallel()
	w := scripted(t, lookedUp, sumModule())
	code, stdout, stderr := w.run("agents", "runs")
	require.Zero(t, code, stderr)
	require.Contains(t, stderr, "no errands are stored")
	require.Empty(t, stdout)
	code, stdout, stderr = w.run("run", "--trust", "--yes", "add Add")
	require.Equal(t, 3, code, stdout+stderr)
	w.played()
	require.Regexp(t, `sub_[0-9a-f]{12}: the agent explorer, with at most \d answers: What does sum.go have\?`, stdout+stderr)

	errands := asked[api.ErrandsResult](w, "agents", "runs").Errands
	require.Len(t, errands, 1)
	e := errands[0]
	require.Regexp(t, `^sub_[0-9a-f]{12}$`, e.ID)
	require.Equal(t, []string{"delegate-1/subagent", "explorer", "done", "What does sum.go have?", "sum.go has no function."}, []string{e.Node, e.Agent, e.Status, e.Task, e.Result})
	require.Contains(t, e.Context, "sum.go")
	require.Positive(t, e.Tokens)
	require.Positive(t, e.Rounds)
	require.Positive(t, e.Reply)
	require.NotEmpty(t, e.TaskID)
	require.LessOrEqual(t, e.Began, e.Ended)
	code, stdout, stderr = w.run("agents", "runs", e.RunID)
	require.Zero(t, code, stderr)
	require.Regexp(t, `(?m)^`+e.ID+` +`+e.RunID+` +delegate-1/subagent +explorer +done +\d+ +What does sum.go have\? +sum.go has no function\.$`, stdout)
	readsWell(t, stdout)
	code, _, stderr = w.run("agents", "runs", "r-none")
	require.Equal(t, 1, code, stderr)
}

// An errand whose answers are unusable has failed and is shown as failed; the run goes on without it.
func TestRun_ErrandWithoutAUsableAnswerHasFailed(t *testing.T) {
	t.Parallel()
	w := scripted(t, `
- {match: {node: orchestrator, attempt: 1}, reply: {json: {action: delegate, task: "What does sum.go have?", reason: Add may be there}}}
- {match: {node: delegate-1/subagent}, reply: {text: Let me see.}, times: 2}
- {match: {node: orchestrator, attempt: 2, contains: ["Not found out: What does sum.go have?"]}, reply: {json: {action: executor, reason: small}}}`+writeTests+writeRight+reviewPass, sumModule())
	code, stdout, stderr := w.run("run", "--trust", "--yes", "add Add")
	require.Zero(t, code, stdout+stderr)
	w.played()
	require.Contains(t, stdout+stderr, "✗ delegate-1/subagent FAILED")
	require.NotContains(t, stdout+stderr, "✓ delegate-1/subagent")
	errands := asked[api.ErrandsResult](w, "agents", "runs").Errands
	require.Len(t, errands, 1)
	require.Equal(t, "failed", errands[0].Status)
	require.Contains(t, errands[0].Result, "the model gave no usable errand")
	code, stdout, stderr = w.run("graph", "show")
	require.Zero(t, code, stderr)
	require.Regexp(t, `(?m)^delegate-1/subagent +failed; after orchestrator`, stdout)
	readsWell(t, stdout)
}

// The built-in agents are listed with the tier that the user's settings give their role, and shown with what their models are told.
func TestAgentsCommand_ListsAndShowsBuiltInAgents(t *testing.T) {
	t.Parallel()
	w := scripted(t, whole, sumModule())
	code, stdout, stderr := w.run("agents", "list")
	require.Zero(t, code, stderr)
	for _, line := range []string{`planner +reasoning +read-only +4`, `reviewer +reasoning +read-only +4`, `overseer +classification +read-only +4`, `explorer +classification, generation +scratch +\d+`, `worker +generation +scratch +\d+`, `debugger +reasoning +scratch +7`} {
		require.Regexp(t, `(?m)^`+line, stdout)
	}
	require.Contains(t, stderr, "not trusted")
	readsWell(t, stdout)
	code, stdout, stderr = w.run("agents", "show", "debugger")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "tools      read_file, search_code, symbol_list, import_graph, run_tests, lint_check, run_command\n")
	require.Contains(t, stdout, "You find out why a change to a code base fails.")
	w.settings("models: {roles: {debugger: generation}}\n")
	require.Equal(t, []api.AgentRole{{Role: "debugger", Tier: "generation"}}, asked[api.AgentResult](w, "agents", "show", "debugger").Roles)
	code, _, stderr = w.run("agents", "show", "nobody")
	require.Equal(t, 2, code)
	require.Contains(t, stderr, `there is no agent "nobody"; there are: planner, reviewer, overseer, explorer, worker, debugger`)
}

// reproduced is a run whose first of two attempts fails: before the last one the debugger asks for tools.
func reproduced(requests, after string) string {
	return decideExecutor + writeTests + strings.Replace(writeWrong, "times: 2", "times: 1", 1) + `
- {match: {node: debugger, contains: ["run_tests("]}, reply: {json: {rootCause: "", hypotheses: [], fix: "", mustRead: [], strategy: "", requests: ` + requests + `}}}` + after
}

// The debugger runs a command that the user allows in the tree of the failed attempt before it names the cause. What has shown the failure
// is part of the diagnosis, for the user and for the next attempt; the command is in the audit log.
func TestRun_DebuggerReproducesTheFailure(t *testing.T) {
	t.Parallel()
	const diagnosis = `reply: {json: {rootCause: It multiplies., hypotheses: [], fix: Add., mustRead: [], strategy: Write a sum., requests: [], reproduced: `
	w := scripted(t, reproduced(`[{provider: read_file, args: {path: add.go}, why: it is new}, {provider: run_command, args: {argv: [go, test, -run, TestAdd, .]}, why: to see it fail}]`, `
- {match: {node: debugger, contains: ["a*b + 1", "exit code 1", "Add(2, 2) = 5"]}, `+diagnosis+`1}}}
- {match: {node: debugger, contains: ["no result with this number shows a failing command or test"]}, `+diagnosis+`2}}}`+
		strings.Replace(writeRight, "contains: [", `contains: ["Reproduced with: run_command go test -run TestAdd .", `, 1)+reviewPass), sumModule())
	w.settings("tools: {commands: [[go, test]]}\n")
	code, stdout, stderr := w.run("run", "--trust", "--yes", "--max-attempts", "2", "--allow-shell", "add Add")
	require.Zero(t, code, stdout+stderr)
	w.played()
	require.Contains(t, stdout+stderr, "reproduced with: run_command go test -run TestAdd .\n")
	errands := asked[api.ErrandsResult](w, "agents", "runs").Errands
	require.Len(t, errands, 1)
	require.Equal(t, []string{"debugger", "debugger", "done", "Why did attempt 1 fail?", "It multiplies."}, []string{errands[0].Node, errands[0].Agent, errands[0].Status, errands[0].Task, errands[0].Result})
	var commands []string
	for _, r := range asked[api.AuditResult](w, "audit").Rows {
		if r.Tool == "run_command" {
			commands = append(commands, r.Agent+" "+r.Verdict+" "+r.Layer)
		}
	}
	require.Equal(t, []string{"debug allow flags"}, commands)
}

const auditor = `---
name: auditor
description: Looks for functions that swallow errors
tools: [read_file, run_tests]
tier: classification
isolation: scratch
---
Read every file, and never trust a comment.
`

// An agent of a trusted folder is offered to the orchestrator, and works with its own tools and instructions only.
func TestRun_DelegatesToAnAgentOfTheFolder(t *testing.T) {
	t.Parallel()
	files := sumModule()
	files[".forge/agents/auditor.md"] = auditor
	w := scripted(t, `
- {match: {node: orchestrator, attempt: 1, contains: ["auditor: Looks for functions that swallow errors"]}, reply: {json: {action: delegate, task: "Are errors swallowed?", agent: nobody, reason: it may matter}}}
- {match: {node: orchestrator, attempt: 1, contains: ["there is no agent", "there are: explorer, auditor"]}, reply: {json: {action: delegate, task: "Are errors swallowed?", agent: auditor, reason: it may matter}}}
- {match: {node: delegate-1/subagent, contains: ["never trust a comment", "Are errors swallowed?"]}, reply: {json: {action: look, requests: [{provider: run_command, args: {argv: [ls]}, why: w}, {provider: write_file, args: {path: x}, why: w}, {provider: read_file, args: {path: sum.go}, why: w}], result: ""}}}
- {match: {node: delegate-1/subagent, contains: ["there is no \"run_command\" here. There are: read_file, run_tests", "there is no \"write_file\" here", "// Package sum"]}, reply: {json: {action: done, requests: [], result: "None are swallowed."}}}
- {match: {node: orchestrator, attempt: 2, contains: ["None are swallowed."]}, `+nothingToDo, files)
	code, stdout, stderr := w.run("run", "--trust", "--yes", "add Add")
	require.Equal(t, 3, code, stdout+stderr)
	w.played()
	require.Contains(t, stdout+stderr, "the agent auditor, with at most")
	require.Equal(t, "auditor", asked[api.ErrandsResult](w, "agents", "runs").Errands[0].Agent)
	shown := asked[api.AgentResult](w, "agents", "show", "auditor")
	require.Equal(t, api.AgentResult{
		Agent: api.Agent{
			Name: "auditor", Description: "Looks for functions that swallow errors", Roles: []api.AgentRole{{Role: "subagent", Tier: "classification"}}, Isolation: "scratch",
			Tools: []string{"read_file", "run_tests"}, Source: ".forge/agents/auditor.md",
		}, Instructions: "Read every file, and never trust a comment.",
	}, shown)
}

// Agent files that cannot be used are left out, each with its place; the run and the other agents go on. Those of a folder that is not
// trusted are not read.
func TestAgentsCommand_LeavesOutFilesThatAskForTooMuch(t *testing.T) {
	t.Parallel()
	files := sumModule()
	files[".forge/agents/auditor.md"] = auditor
	files[".forge/agents/writer.md"] = "---\ndescription: d\ntools: [read_file, write_file]\n---\nWrite.\n"
	files[".forge/agents/large.md"] = "---\ndescription: d\n---\n" + strings.Repeat("x", 1<<20)
	w := scripted(t, "\n- {match: {node: orchestrator, contains: [\"auditor: Looks for\", \"mine: mine\"]}, "+nothingToDo, files)
	outside := filepath.Join(t.TempDir(), "outside.md")
	require.NoError(t, os.WriteFile(outside, []byte(auditor), 0o600))
	require.NoError(t, os.Symlink(outside, filepath.Join(w.root, ".forge/agents/link.md")))
	require.NoError(t, os.MkdirAll(filepath.Join(w.home, "agents"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(w.home, "agents", "auditor.md"), []byte(auditor), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(w.home, "agents", "mine.md"), []byte("---\ndescription: mine\n---\nLook.\n"), 0o600))
	found := asked[api.AgentsResult](w, "agents", "list")
	require.True(t, found.Untrusted)
	require.Empty(t, found.Problems)
	require.Equal(t, "$FORGE_HOME/agents/auditor.md", found.Agents[6].Source)

	code, stdout, stderr := w.run("run", "--trust", "--yes", "add Add")
	require.Equal(t, 3, code, stdout+stderr)
	w.played()
	const tooMuch = "the agent is left out: .forge/agents/writer.md:3:20: write_file changes files, and an agent that you add only finds things out"
	require.Contains(t, stderr, tooMuch)
	code, stdout, stderr = w.run("agents", "list")
	require.Zero(t, code, stderr)
	for _, problem := range []string{
		tooMuch, ".forge/agents/large.md:1:1: it has more than 65536 bytes", ".forge/agents/link.md: it is not a regular file",
		"$FORGE_HOME/agents/auditor.md:2:7: the name auditor is used already, by .forge/agents/auditor.md",
	} {
		require.Contains(t, stderr, problem)
	}
	require.Regexp(t, `(?m)^auditor +classification +scratch +2 +Looks for`, stdout)
	require.Regexp(t, `(?m)^mine +generation +read-only +\d+ +mine$`, stdout)
	readsWell(t, stdout)
}
