package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
)

// asked runs a command that must end well, and decodes what it prints.
func asked[T any](w *world, args ...string) T {
	w.t.Helper()
	code, stdout, stderr := w.run(append(args, "--json")...)
	require.Zero(w.t, code, "%v: %s%s", args, stdout, stderr)
	var result T
	require.NoError(w.t, json.Unmarshal([]byte(stdout), &result), stdout)
	return result
}

// refused runs a command that must end with a code, and returns what it says.
func (w *world) refused(code int, args ...string) string {
	w.t.Helper()
	got, stdout, stderr := w.run(args...)
	require.Equal(w.t, code, got, "%v: %s%s", args, stdout, stderr)
	require.Empty(w.t, stdout, "what went wrong is no result")
	return stderr
}

// cut begins a run and kills its process at an event of a type. It returns the run's id.
func (w *world) cut(kind string) string {
	w.t.Helper()
	return w.cutOff(w.start("add Add"), kind)
}

// cutOff kills a run after an event, and returns its id.
func (w *world) cutOff(l *live, kind string) string {
	w.t.Helper()
	l.until(kind)
	l.signal(syscall.SIGKILL)
	code, _ := l.end()
	require.Equal(w.t, -1, code)
	runs := asked[api.RunsResult](w, "runs").Runs
	require.Equal(w.t, "interrupted", runs[0].State)
	return runs[0].RunID
}

// A killed run is listed, offered, resumed without repeating any call, applied, undone and redone.
func TestResumeCommand_ContinuesAKilledRunWithoutNewCalls(t *testing.T) {
	t.Parallel()
	w := scripted(t, whole, sumModule())
	before := w.read("add.go")
	id := w.cut("gate.started")

	next := scripted(t, "\n- {match: {node: orchestrator}, reply: {json: {action: done, reason: It is there already.}}}", nil)
	next.root = w.root
	next.environ = append(next.environ, "FORGE_HOME="+w.home)
	code, _, stderr := next.run("run", "--yes", "--recipe", "implement", "is there a function for this?")
	require.Zero(t, code, stderr)
	require.Contains(t, stderr, `a run was interrupted just now: "add Add"; to resume: forge resume `+id)

	code, stdout, stderr := w.run("resume", "--yes", "--json")
	require.Zero(t, code, stdout+stderr)
	w.played() // each call once
	require.NotEqual(t, before, w.read("add.go"))
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	require.Contains(t, lines[0], `"type":"run.resumed"`, "earlier events are not repeated")
	var outcome struct{ RunID, State, Checkpoint string }
	require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &outcome))
	require.Equal(t, id, outcome.RunID)
	require.Equal(t, "succeeded", outcome.State)
	require.NotEmpty(t, outcome.Checkpoint)

	runs := asked[api.RunsResult](w, "runs", "--all").Runs
	require.Len(t, runs, 2)
	require.Equal(t, id, runs[1].RunID)
	require.Equal(t, "succeeded", runs[1].State)
	require.Equal(t, 2, runs[1].Files)
	require.Positive(t, runs[1].Tokens)
	require.Contains(t, w.refused(1, "resume"), "no run to resume", "it is applied")

	w.takenBackAndForth(id)
}

// takenBackAndForth undoes and redoes a run, and looks at the ledger.
func (w *world) takenBackAndForth(id string) {
	w.t.Helper()
	after := w.read("add.go")
	for _, step := range []struct{ command, left string }{{"undo", ""}, {"redo", after}, {"undo", ""}, {"redo", after}} {
		code, stdout, stderr := w.run(step.command, "--yes", "--json")
		require.Zero(w.t, code, "%s: %s%s", step.command, stdout, stderr)
		require.Equal(w.t, step.left, w.read("add.go"), step.command)
	}
	require.Contains(w.t, w.refused(1, "redo", "--yes"), "nothing to redo")

	ledger := asked[api.CheckpointsResult](w, "checkpoints").Checkpoints
	require.Len(w.t, ledger, 5)
	require.Equal(w.t, id, ledger[4].RunID)
	require.Empty(w.t, ledger[4].Undoes)
	require.Equal(w.t, id, ledger[3].Undoes)
	require.Equal(w.t, []api.CheckpointFile{{Path: "add.go", Kind: "create"}, {Path: "add_test.go", Kind: "create"}}, ledger[4].Files)
	require.Equal(w.t, "delete", ledger[3].Files[0].Kind)
	_, stdout, _ := w.run("checkpoints")
	require.Contains(w.t, stdout, "add Add (undoes ")
}

// read is a file of the folder, or nothing.
func (w *world) read(name string) string {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.root, name))
	if !os.IsNotExist(err) {
		require.NoError(w.t, err)
	}
	return string(text)
}

// forge log follows a run of another process while it happens, and forge kill ends it from outside.
func TestRunsCommand_FollowsAndKillsARunOfAnotherProcess(t *testing.T) {
	t.Parallel()
	w := scripted(t, absentModel, sumModule())
	l := w.start("add Add")
	l.until("graph")
	w.journal.waitFor(`node "orchestrator"`)

	runs := asked[api.RunsResult](w, "runs").Runs
	require.Len(t, runs, 1)
	require.Equal(t, "running", runs[0].State)
	id := runs[0].RunID
	require.Contains(t, w.refused(1, "resume", id), "is being worked on")

	sessions := asked[api.SessionsResult](w, "sessions").Sessions
	require.Len(t, sessions, 1)
	require.Equal(t, l.cmd.Process.Pid, sessions[0].PID)
	require.Equal(t, []api.SessionRun{{RunID: id, Recipe: "implement", Mode: "balanced", Profile: "tdd"}}, sessions[0].Runs)
	require.Equal(t, []string{api.FileURI(w.root)}, sessions[0].Folders)

	follower := w.command(t.Context(), "events", id, "--follow")
	follower.Stderr = os.Stderr
	followed := make(chan string)
	go func() {
		out, _ := follower.Output() // the code is looked at below
		followed <- string(out)
	}()
	logger := w.command(t.Context(), "log", "-f", "--phase", "run")
	logged := make(chan string)
	go func() {
		out, _ := logger.Output()
		logged <- string(out)
	}()

	require.Equal(t, api.StateResult{RunID: id, State: "cancelled"}, asked[api.StateResult](w, "kill", id))
	code, rest := l.end()
	require.Equal(t, 4, code, rest)
	require.Contains(t, rest, `"type":"run.ended","data":{"state":"cancelled"`)
	told := strings.Split(strings.TrimSpace(<-followed), "\n")
	require.Zero(t, follower.ProcessState.ExitCode())
	require.Contains(t, told[0], `"type":"run.started"`)
	require.Contains(t, told[len(told)-1], `"type":"run.ended"`)
	log := <-logged
	require.Zero(t, logger.ProcessState.ExitCode())
	require.Contains(t, log, id+"  add Add")
	require.Contains(t, log, "cancelled")

	require.Empty(t, asked[api.SessionsResult](w, "status").Sessions, "its process has ended")
	require.Equal(t, "cancelled", asked[api.StateResult](w, "kill", id).State, "killing it again changes nothing")
	w.logged(id, told)
}

// logged looks at the log and the events of a run that has ended.
func (w *world) logged(id string, told []string) {
	w.t.Helper()
	_, stdout, _ := w.run("events", id)
	require.Equal(w.t, strings.Join(told, "\n")+"\n", stdout, "the events are the same afterwards")
	log := asked[api.LogResult](w, "log", id, "--node", "orchestrator")
	require.Equal(w.t, id, log.RunID)
	require.NotEmpty(w.t, log.Lines)
	for _, line := range log.Lines {
		require.Equal(w.t, "orchestrator", line.Node)
	}
	require.Len(w.t, asked[api.LogResult](w, "log", "-n", "1").Lines, 1)
	for _, line := range asked[api.LogResult](w, "log", "--severity", "error").Lines {
		require.Equal(w.t, "error", line.Severity)
	}
}

// If several runs can be resumed and there is no terminal to choose in, the command needs a name. A run that was
// killed for good is not among them.
func TestResumeCommand_SeveralRunsNeedAName(t *testing.T) {
	t.Parallel()
	w := scripted(t, absentModel, sumModule())
	first, second := w.cut("graph"), w.cut("graph")
	require.NotEqual(t, first, second)
	require.Contains(t, w.refused(2, "resume"), "2 runs can be resumed, and there is no terminal to choose one: name one, as in\n  forge resume "+second)

	require.Equal(t, "cancelled", asked[api.StateResult](w, "kill", second).State)
	require.Equal(t, []string{"cancelled", "interrupted"}, statesOf(asked[api.RunsResult](w, "runs").Runs))
	require.Equal(t, "cancelled", asked[api.StateResult](w, "kill", first).State)
	require.Contains(t, w.refused(1, "resume"), "no run to resume")
}

func statesOf(runs []api.RunInfo) []string {
	var states []string
	for _, r := range runs {
		states = append(states, r.State)
	}
	return states
}

// Calls that make no sense are refused before anything is opened.
func TestRunsCommand_RejectsInvalidArguments(t *testing.T) {
	t.Parallel()
	w := scripted(t, whole, nil)
	for call, says := range map[string]string{
		"log --phase fly":           "--phase fly: want one of run, node, model, gate, attempt, ask, proposal",
		"log --severity bad":        "--severity bad: want one of info, warning, error",
		"log -n -1":                 "--lines -1",
		"log -f --json":             "exclude each other",
		"log a b":                   "want one run to show",
		"events":                    "want 1, as in",
		"kill":                      "want 1, as in",
		"redo a b":                  "2 runs cannot be redone at once",
		"spec --version -1":         "want a version from 1",
		"spec diff 1":               "want 2, as in",
		"spec diff 1 x":             `"x" is not a version`,
		"spec rollback 0":           `"0" is not a version`,
		"memory get a --tier short": "--tier short: want one of mid, episodic, long",
		"memory list --kind x":      "--kind x: want one of entry, pattern, playbook",
		"memory list --scope x":     "--scope x: want one of project, global",
		"memory why x":              "is no id of memory",
		"memory search":             "the text is missing",
		"memory import gone.jsonl":  "gone.jsonl",
		"gc now":                    "unknown command",
	} {
		t.Run(call, func(t *testing.T) {
			t.Parallel()
			in := *w
			in.t = t
			require.Contains(t, in.refused(2, strings.Fields(call)...), says)
		})
	}
	for call, says := range map[string]string{
		"events r-none":         `there is no such run as "r-none": forge runs lists`,
		"kill r-none":           "there is no such run",
		"resume r-none":         "there is no such run",
		"log":                   "no run in ",
		"spec":                  "has no such version of the specification",
		"spec rollback 3":       "has no such version of the specification",
		"memory get x":          "memory has no row x",
		"memory forget entry-9": "memory has no row entry-9",
		"undo --yes":            "nothing to undo",
		"redo --yes":            "nothing to redo",
	} {
		t.Run(call, func(t *testing.T) {
			t.Parallel()
			in := *w
			in.t = t
			require.Contains(t, in.refused(1, strings.Fields(call)...), says)
		})
	}
}
