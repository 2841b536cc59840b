package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/execution"
	"forge/engine/flow"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/history"
	"forge/engine/llm"
	"forge/engine/llm/llmtest"
	"forge/engine/llm/openai"
	"forge/engine/llm/wire"
	"forge/engine/workspace"
	"forge/internal/failpoint"
	"forge/internal/testkit"
)

// lifeVariable makes the test program live one execution of a run: it is a lifeConfig.
const lifeVariable = "FORGE_ENGINE_LIFE"

// lifeConfig is what one process is to do of a run.
type lifeConfig struct {
	Root, State string
	Model       string // its base URL
	Arm         string // where to die; empty is nowhere
	Resume      string // the run to resume; empty starts one
	Questions   string // file that each question is appended to
	Ending      string // file for what came of it
}

// ending is what one process made of a run.
type ending struct {
	ID, Reason, Diff string
	State            event.State
	Reports          int
}

// echo is a language in which a file "x_test" holds a text that the file "x" must contain.
var echo = echoing(echoGate{"look"}, echoGate{"test"})

// echoing is that language with gates of one's own, of which the last is the suite.
func echoing(gates ...gate.Gate) gate.Language {
	var names []string
	for _, g := range gates {
		names = append(names, g.Name())
	}
	return gate.Language{
		Name: "echo", Roots: func([]string, func(string) ([]byte, error)) []string { return []string{""} },
		Gates: gates, Select: func(context.Context, gate.Tree) []string { return names }, Suite: names[len(names)-1],
		IsTest: func(path string) bool { return strings.HasSuffix(path, "_test") },
		Red: func(before, after gate.Report) (bool, string) {
			return len(after.Findings) > len(before.Findings), "no test fails that passed before"
		},
	}
}

type echoGate struct{ name string }

func (g echoGate) Name() string { return g.name }

func (g echoGate) Run(_ context.Context, tree gate.Tree) gate.Report {
	r := gate.Report{Gate: g.name, Verdict: gate.Pass, Executed: 1, Passed: 1, Summary: "looks good"}
	if g.name == "look" {
		return r
	}
	r.Tests, r.Executed = true, 0
	tests, _ := filepath.Glob(filepath.Join(tree.Dir(), "*_test"))
	for _, test := range tests {
		want, _ := os.ReadFile(test)
		got, _ := os.ReadFile(strings.TrimSuffix(test, "_test"))
		r.Executed++
		if name := filepath.Base(test); !bytes.Contains(got, bytes.TrimSpace(want)) {
			r.Verdict = gate.Fail
			r.Findings = append(r.Findings, gate.Finding{Path: name, Line: 1, Severity: gate.SeverityError, Test: name, Message: "want " + string(want)})
		}
	}
	r.Passed = r.Executed - len(r.Findings)
	_ = os.WriteFile(filepath.Join(tree.Dir(), "litter"), []byte("left by a test"), 0o600)
	return r
}

// oneByOne works on nodes one after the other, so that nothing is under way beside the place where the process
// dies.
type oneByOne struct{ waiting []func() graph.Finished }

func (o *oneByOne) Start(work func() graph.Finished) { o.waiting = append(o.waiting, work) }

func (o *oneByOne) Next() graph.Finished {
	work := o.waiting[0]
	o.waiting = o.waiting[1:]
	return work()
}

// liveOnce is what the killed process does.
func liveOnce(config string) {
	var c lifeConfig
	fail := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
	}
	fail(json.Unmarshal([]byte(config), &c))
	e := New(Options{
		StateDir: c.State, Environ: os.Environ(), Languages: []gate.Language{echo},
		Chooser: llm.Only(openai.New(wire.Options{BaseURL: c.Model, Model: "scripted", TagRequests: true})),
	})
	e.host.Pool = func() graph.Pool { return &oneByOne{} }
	fail(e.Trust(c.Root))
	fail(failpoint.Arm(c.Arm))
	run, err := c.begin(e)
	fail(err)
	result, err := run.Wait(context.Background())
	fail(err)
	end := ending{ID: run.ID, State: result.State, Reason: result.Reason}
	if result.Proposal != nil {
		end.Diff, end.Reports = result.Proposal.Unified(), len(result.Proposal.Gates)
	}
	e.Close()
	text, err := json.Marshal(end)
	fail(err)
	fail(os.WriteFile(c.Ending, text, 0o600))
}

func (c lifeConfig) begin(e *Engine) (*execution.Run, error) {
	asker := event.AskerFunc(func(_ context.Context, q event.Question) (event.Answer, error) {
		file, err := os.OpenFile(c.Questions, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return event.Answer{}, err
		}
		_, err = fmt.Fprintln(file, q.ID)
		_ = file.Close()
		return event.Answer{Choice: q.Choices[0].ID}, err
	})
	if c.Resume != "" {
		return e.Resume(context.Background(), c.Resume, asker, execution.Limits{})
	}
	return e.Start(Request{
		Task: "put two into b", AskSpec: true, Asker: asker,
		Snapshot: workspace.Snapshot{Root: c.Root, Unsaved: map[string]workspace.Document{"unsaved": {Path: "unsaved", Text: "typed\n"}}},
	})
}

// eventful is a run with everything that a run can have: a question, a gate for the user, repairs, and an attempt
// that fails. What is asked says what is answered, so that it is seen when something is asked twice.
const eventful = `entries:
- {match: {node: orchestrator}, times: -1, reply: {json: {action: generate_spec, reason: new behaviour}}}
- {match: {node: spec, contains: [Answers to your questions]}, times: -1, reply: {json: {title: two in b, spec: b contains two, questions: []}}}
- {match: {node: spec}, times: -1, reply: {json: {title: t, spec: "", questions: [{question: "Which?", choices: [this, that]}]}}}
- {match: {node: executor, contains: [You write tests]}, times: -1, reply: {json: {explanation: t, files: [{path: b_test, action: create, content: two}], patch: "", blocked: ""}}}
- {match: {node: executor, attempt: 1, contains: [this is no JSON]}, times: -1, reply: {json: {explanation: i, files: [{path: b, action: write, content: oops}], patch: "", blocked: ""}}}
- {match: {node: executor, attempt: 1}, times: -1, reply: {text: this is no JSON}}
- match: {node: executor, attempt: 2, contains: [oops]}
  times: -1
  reply: {json: {explanation: i, files: [{path: b, action: write, content: one two}], patch: "*** Begin Patch\n*** Update File: unsaved\n@@\n typed\n+by a model\n*** End Patch", blocked: ""}}
- {match: {node: review}, times: -1, reply: {json: {pass: true, reason: good, issues: []}}}
`

// place is a folder, Forge's state, and a model that outlives the processes.
type place struct {
	t      *testing.T
	config lifeConfig
	script *llmtest.Script
}

func newPlace(t *testing.T) *place {
	t.Helper()
	script, err := llmtest.Parse(t.Name(), []byte(eventful))
	require.NoError(t, err)
	listener, err := llmtest.Listen(t.Context(), 0)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	served := make(chan error, 1)
	go func() { served <- llmtest.Serve(ctx, listener, script, nil) }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-served)
	})
	dir := t.TempDir()
	w := &place{t: t, script: script, config: lifeConfig{
		Root: filepath.Join(dir, "folder"), State: filepath.Join(dir, "state"), Model: "http://" + listener.Addr().String(),
		Questions: filepath.Join(dir, "questions"), Ending: filepath.Join(dir, "ending"),
	}}
	require.NoError(t, os.Mkdir(w.config.Root, 0o755))
	for name, text := range map[string]string{"a": "one", "a_test": "one"} {
		require.NoError(t, os.WriteFile(filepath.Join(w.config.Root, name), []byte(text), 0o644))
	}
	return w
}

// live has one process work on the run, and reports whether it was killed.
func (w *place) live(arm, resume string) (end ending, killed bool) {
	w.t.Helper()
	c := w.config
	c.Arm, c.Resume = arm, resume
	config, err := json.Marshal(c)
	require.NoError(w.t, err)
	_ = os.Remove(c.Ending)
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), lifeVariable+"="+string(config))
	said, err := child.CombinedOutput()
	if child.ProcessState.ExitCode() == -1 {
		return end, true
	}
	require.NoError(w.t, err, string(said))
	text, err := os.ReadFile(c.Ending)
	require.NoError(w.t, err)
	require.NoError(w.t, json.Unmarshal(text, &end))
	return end, false
}

// known lists the runs as another process sees them.
func (w *place) known() []history.Run {
	w.t.Helper()
	e := New(Options{StateDir: w.config.State})
	defer e.Close()
	runs, err := e.Runs(w.t.Context(), w.config.Root)
	require.NoError(w.t, err)
	return runs
}

func (w *place) questions() []string {
	text, _ := os.ReadFile(w.config.Questions)
	return strings.Fields(string(text))
}

// bought counts the requests to the model: distinct ones, and repeated ones. Every request must be one that
// the script knows.
func (w *place) bought() (first, again int) {
	w.t.Helper()
	require.NoError(w.t, w.script.Verify())
	seen := map[string]bool{}
	for _, r := range w.script.Requests() {
		r.Key = "" // another run asks with another key
		text, err := json.Marshal(r)
		require.NoError(w.t, err)
		if seen[string(text)] {
			again++
		}
		seen[string(text)] = true
	}
	return len(seen), again
}

// unanswerable is the place where the user has answered, and only the dying process knows it.
const unanswerable = flow.FailAnswer

// A run that is killed anywhere, and once more on its way, and resumed, ends like an undisturbed one: the same
// proposal, no answer of the model billed twice, no question asked twice.
func TestKill_KilledRunEndsLikeAnUndisturbedOne(t *testing.T) {
	t.Parallel()
	whole := newPlace(t)
	undisturbed, killed := whole.live("", "")
	require.False(t, killed)
	require.Equal(t, event.Succeeded, undisturbed.State, undisturbed.Reason)
	require.Contains(t, undisturbed.Diff, "+by a model")
	require.NotContains(t, undisturbed.Diff, "litter")
	calls, again := whole.bought()
	require.Equal(t, 8, calls)
	require.Zero(t, again)
	require.Equal(t, []string{"q1", "q2"}, whole.questions())

	limit := make(chan struct{}, 2) // processes at a time
	// With -short these are some of the places; test/crash kills the built program at each of them.
	for _, place := range testkit.Sample(1, testkit.Failpoints("engine/execution", "engine/history", "engine/state", "engine/activity", "engine/spend", "engine/flow")) {
		for _, time := range testkit.Sample(1, []string{"", ":4"}) {
			t.Run(place+time, func(t *testing.T) {
				t.Parallel()
				limit <- struct{}{}
				defer func() { <-limit }()
				w := newPlace(t)
				end := w.untilItEnds(place + time)
				require.Equal(t, undisturbed.State, end.State, end.Reason)
				require.Equal(t, undisturbed.Diff, end.Diff)
				require.Equal(t, undisturbed.Reports, end.Reports)
				calls, again := w.bought()
				require.Equal(t, 8, calls)
				require.Zero(t, again)
				if place != unanswerable {
					require.Equal(t, []string{"q1", "q2"}, w.questions())
				}
				require.Equal(t, event.Succeeded, w.known()[0].State)
			})
		}
	}
}

// The twin of the test above: a new run instead of a resumed one pays twice, and the check detects it.
func TestKill_NewRunPaysAgain(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	_, killed := w.live(execution.FailpointModelJournaled+":4", "")
	require.True(t, killed)
	end, killed := w.live("", "")
	require.False(t, killed)
	require.Equal(t, event.Succeeded, end.State, end.Reason)
	_, again := w.bought()
	require.Equal(t, 4, again)
	require.Equal(t, []string{"q1", "q2", "q1", "q2"}, w.questions())
}

// A run that was killed after its snapshot, before any event, is known with its snapshot: garbage collection
// must not remove it.
func TestKill_SnapshotOfAKilledRunIsKnown(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	_, killed := w.live(flow.FailDoneKept, "")
	require.True(t, killed)
	require.Len(t, w.known()[0].Base, 40)
}

// untilItEnds works on the run, dies at a place, twice if it is passed again, and resumes it. A process that dies where no place is armed
// fails the test.
func (w *place) untilItEnds(place string) ending {
	for deaths := 0; ; deaths++ {
		arm, resume := place, ""
		if deaths == 2 {
			arm = ""
		}
		require.LessOrEqual(w.t, deaths, 2, "the process died at no place")
		if runs := w.known(); len(runs) > 0 {
			require.Len(w.t, runs, 1)
			require.Contains(w.t, []event.State{event.Interrupted, event.Succeeded}, runs[0].State)
			resume = runs[0].ID
		}
		end, killed := w.live(arm, resume)
		if !killed {
			return end
		}
	}
}
