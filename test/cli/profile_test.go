package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// The answers of an executor in its profiles. What they write is not formatted: Forge has it formatted.
const (
	uglyAdd = `{path: add.go, action: create, content: "package sum\n\n// Add adds.\nfunc Add(a,b int) int {return a+b}\n"}`
	fineAdd = "package sum\n\n// Add adds.\nfunc Add(a, b int) int { return a + b }\n"

	completeIt = `
- match: {node: executor, contains: ["You may add tests"]}
  reply: {json: {explanation: It adds., files: [` + uglyAdd + `]}}`
	implementIt = `
- match: {node: executor, contains: [You implement a change]}
  reply: {json: {explanation: It adds., files: [` + uglyAdd + `]}}`
	lookThenWork = `
- match: {node: executor, contains: ["- read_file(path, start?, end?)", "Mode: heavy."]}
  reply: {json: {explanation: "What is there?", actions: [{tool: read_file, args: {path: sum.go}}, {tool: list_dir, args: {}}]}}
- match: {node: executor, contains: ["Turn 1 of 8", "Result of read_file sum.go", "Package sum adds up."]}
  reply: {json: {explanation: I write it., actions: [{tool: write_file, args: {path: add.go, content: "package sum\n\n// Add adds.\nfunc Add(a,b int) int {return a-b}\n"}}]}}
- match: {node: executor, contains: ["Turn 2 of 8", "Result of write_file add.go"]}
  reply: {json: {explanation: The sign was wrong., edits: [{path: add.go, search: a-b, replace: a+b}], done: true}}`
)

// reports are the reports of a gate that a run printed, in order.
func reports(t *testing.T, all []event, name string) (found []string) {
	t.Helper()
	for _, e := range all {
		if e.Type != "gate.finished" {
			continue
		}
		var told struct {
			Gate struct{ Name, Verdict, Summary string }
		}
		require.NoError(t, json.Unmarshal(e.Data, &told), string(e.Data))
		if told.Gate.Name == name {
			found = append(found, told.Gate.Verdict+": "+told.Gate.Summary)
		}
	}
	return found
}

// Each profile from the command line to the folder: what is asked, in how many calls, and that all of it ends in the same gates.
func TestProfile_MakesTheSameChangeInItsNumberOfCalls(t *testing.T) {
	t.Parallel()
	for name, c := range testkit.SampleMap(1, map[string]struct {
		flags  []string
		script string
		red    int
		held   bool
	}{
		"completion":       {[]string{"--profile", "completion"}, completeIt, 0, false},
		"tdd, as usual":    {nil, writeTests + implementIt, 1, true},
		"tooluse in heavy": {[]string{"--mode", "heavy"}, writeTests + lookThenWork, 1, true},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := sumModule()
			if !c.held {
				files["sum_test.go"] = "package sum\n\nimport \"testing\"\n\nfunc TestNothing(*testing.T) {}\n"
			}
			w := scripted(t, decideExecutor+c.script+reviewPass, files)
			code, stdout, stderr := w.run(append([]string{"run", "--yes", "--trust", "--json", "add Add to package sum"}, c.flags...)...)
			require.Equal(t, 0, code, stderr)
			all, _ := events(t, stdout)
			written, err := os.ReadFile(filepath.Join(w.root, "add.go"))
			require.NoError(t, err)
			require.Equal(t, fineAdd, string(written), "it is formatted")
			require.Contains(t, reports(t, all, "format"), "pass: formatted add.go")
			require.Len(t, reports(t, all, "red"), c.red)
			require.Len(t, reports(t, all, "held"), 1)
			w.played()
		})
	}
}

// A syntax error needs no compiler: the model sees it at once.
func TestSyntaxCheck_RunsBeforeGates(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+writeTests+`
- match: {node: executor, contains: [You implement a change]}
  reply: {json: {explanation: It adds., files: [{path: add.go, action: create, content: "package sum\n\n// Add adds.\nfunc Add(a, b int) int { return a + \n"}]}}
- match: {node: executor, contains: ["add.go:5", "syntax: fail", "Nothing of it was kept"]}
  reply: {json: {explanation: It adds., files: [`+uglyAdd+`]}}`+reviewPass, sumModule())
	code, stdout, stderr := w.run("run", "--yes", "--trust", "--json", "add Add to package sum")
	require.Equal(t, 0, code, stderr)
	all, _ := events(t, stdout)
	require.Equal(t, []string{"fail: add.go cannot be parsed", "pass: the syntax errors are fixed"}, reports(t, all, "syntax"))
	require.Len(t, reports(t, all, "go build"), 1, "at its end")
	w.played()
}

// A model that says it is done and does nothing ends in a run that is blocked, with that reason, and a folder as it was.
func TestRun_ModelWithoutChangesIsBlocked(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+writeTests+`
- match: {node: executor, contains: [You implement a change]}
  times: 3
  reply: {json: {explanation: "All of it was there\u202e already.", done: true}}`, sumModule())
	before := fingerprint(t, w.root)
	code, stdout, stderr := w.run("run", "--yes", "--trust", "--json", "add Add to package sum")
	require.Equal(t, 3, code, stderr)
	all, last := events(t, stdout)
	require.Contains(t, last, `the model says that the work is done, and has changed nothing: All of it was there\u202e already.`)
	require.NotContains(t, stdout, "\u202e", "it would reorder a line of a terminal")
	require.Len(t, reports(t, all, "noop"), 3)
	require.Equal(t, before, fingerprint(t, w.root))
	w.played()
}

// A test cannot be got out of the way by turns either: not by a tool that deletes, and not by one that moves.
func TestTurns_CannotDeleteOrMoveTests(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+writeTests+`
- match: {node: executor, contains: [You implement a change]}
  reply: {json: {explanation: "Tests are in the way.", actions: [{tool: delete_file, args: {path: add_test.go}}, {tool: move_file, args: {path: sum.go, to: sum_test.go}}]}}
- match: {node: executor, contains: ["add_test.go is a test file, and tests are frozen", "sum_test.go is a test file, and tests are frozen"]}
  reply: {json: {explanation: It adds., files: [`+uglyAdd+`], done: true}}`+reviewPass, sumModule())
	code, _, stderr := w.run("run", "--yes", "--trust", "--profile", "tooluse", "add Add to package sum")
	require.Equal(t, 0, code, stderr)
	require.FileExists(t, filepath.Join(w.root, "add_test.go"))
	require.FileExists(t, filepath.Join(w.root, "sum.go"))
	w.played()
}

// A package that ends its process before its tests, and prints what they would, is no way to pass them.
func TestGoTests_ExitBeforeTheTestsFails(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+writeTests+`
- match: {node: executor, contains: [You implement a change]}
  times: 3
  reply: {json: {explanation: It adds., files: [{path: add.go, action: create, content: "package sum\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\nfunc init() {\n\tfmt.Print(\"=== RUN   TestAdd\\n--- PASS: TestAdd (0.00s)\\nPASS\\n\")\n\tos.Exit(0)\n}\n\n// Add adds.\nfunc Add(a, b int) int { return 0 }\n"}]}}`, sumModule())
	before := fingerprint(t, w.root)
	code, _, stderr := w.run("run", "--yes", "--trust", "add Add to package sum")
	require.Contains(t, []int{1, 3}, code, stderr)
	require.Equal(t, before, fingerprint(t, w.root))
}

// A mode that changes nothing answers, and the folder stays as it is to the byte.
func TestMode_ReadOnlyModeAnswers(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"plan", "audit"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			w := scripted(t, `
- {match: {node: answer, contains: ["Mode: `+mode+`. Nothing may be changed."]}, reply: {text: "First **add.go**, then its test."}}`, sumModule())
			before := fingerprint(t, w.root)
			code, stdout, stderr := w.run("run", "--yes", "--trust", "--mode", mode, "add Add to package sum")
			require.Equal(t, 0, code, stderr)
			require.Equal(t, "First **add.go**, then its test.\n", stdout)
			require.Equal(t, before, fingerprint(t, w.root))
			w.played()
		})
	}
}

// The user's own settings define the mode of runs that name none; an unknown mode is a usage error that lists the
// modes.
func TestMode_DefaultsToTheSettings(t *testing.T) {
	t.Parallel()
	w := scripted(t, `
- {match: {node: answer, contains: ["Mode: plan."]}, reply: {text: "A plan."}}`, sumModule())
	require.NoError(t, os.WriteFile(filepath.Join(w.home, "config.yaml"), []byte("mode: plan\n"), 0o600))
	code, stdout, stderr := w.run("run", "--trust", "add Add to package sum")
	require.Equal(t, 0, code, stderr)
	require.Equal(t, "A plan.\n", stdout)
	w.played()

	for flag, says := range map[string]string{
		"--mode":    `--mode: there is no mode "x": choose fast, balanced, heavy, execute, debug, architect, offline-safe, plan or audit`,
		"--profile": `--profile: there is no profile "x": choose completion, tdd or tooluse`,
		"--recipe":  `--recipe: there is no recipe "x": choose implement, fix, tdd, refactor, test or document`,
	} {
		code, _, stderr := w.run("run", flag, "x", "do something")
		require.Equal(t, 2, code)
		require.Contains(t, stderr, says)
	}
}

// The executor of an attempt reports how it ended: done, done with doubts for the reviewer, or blocked; and which tools it used.
func TestCompletion_ReportsStatusAndTools(t *testing.T) {
	t.Parallel()
	unsure := strings.Replace(lookThenWork, "done: true", `concerns: ["Does Add wrap?"], done: true`, 1)
	doubted := strings.Replace(reviewPass, "{node: review}", `{node: review, contains: ["Concerns of the author", "- Does Add wrap?"]}`, 1)
	used := []toolCount{{Tool: "read_file", Used: 1}, {Tool: "list_dir", Used: 1}, {Tool: "write_file", Used: 1}}
	for name, c := range testkit.SampleMap(1, map[string]struct {
		script string
		flags  []string
		code   int
		report workReported
	}{
		"done": {writeTests + implementIt + reviewPass, nil, 0, workReported{State: "DONE"}},
		"not sure": {
			writeTests + unsure + doubted, []string{"--mode", "heavy"}, 0,
			workReported{State: "DONE_WITH_CONCERNS", Concerns: []string{"Does Add wrap?"}, Tools: used},
		},
		"blocked": {
			writeTests + "\n- {match: {node: executor, contains: [You implement a change]}, reply: {json: {explanation: No., blocked: it has no name}}}", nil, 3,
			workReported{State: "BLOCKED", Reason: "the model says that it cannot do the work: it has no name"},
		},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := scripted(t, decideExecutor+c.script, sumModule())
			code, stdout, stderr := w.run(append([]string{"run", "--yes", "--trust", "--json", "add Add to package sum"}, c.flags...)...)
			require.Equal(t, c.code, code, stderr)
			all, _ := events(t, stdout)
			var told []workReported
			for _, e := range all {
				if e.Type == "report" {
					var r workReported
					require.NoError(t, json.Unmarshal(e.Data, &r))
					told = append(told, r)
				}
			}
			c.report.Node, c.report.Attempt = "executor", 1
			c.report.Concerns, c.report.Tools = append([]string{}, c.report.Concerns...), append([]toolCount{}, c.report.Tools...)
			require.Equal(t, []workReported{c.report}, told)
			_, log, _ := w.run("log")
			for _, concern := range c.report.Concerns {
				require.Contains(t, log, "not sure: "+concern)
			}
			w.played()
		})
	}
}

// workReported is the payload of the event report.
type workReported struct {
	Node     string      `json:"node"`
	Attempt  int         `json:"attempt"`
	State    string      `json:"state"`
	Reason   string      `json:"reason"`
	Concerns []string    `json:"concerns"`
	Tools    []toolCount `json:"toolCallSummary"`
}

type toolCount struct {
	Tool         string
	Used, Failed int
}
