package pipeline

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"forge/engine/activity"
	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/gate"
	"forge/engine/llm"
	"forge/engine/spare"
	"forge/internal/testkit"
)

// overlapping is an episode whose suite may run on two trees at the same time.
func overlapping(t *testing.T) *episode {
	t.Helper()
	e := newEpisode(t, eventful)
	e.env.Project.Overlap = true
	return e
}

// takingTurns is an episode whose gates cannot run on two trees at the same time.
func takingTurns(t *testing.T) *episode {
	t.Helper()
	e := overlapping(t)
	e.env.Project.InTurn = true
	return e
}

// A run that measures its baseline beside its work has the same result in whichever order its steps are performed, cut off at any of them.
func TestOverlap_RunIsPlayedAgainFromAnywhereInAnyOrder(t *testing.T) {
	t.Parallel()
	playedFromAnywhere(t, overlapping)
	playedFromAnywhere(t, takingTurns)
	p := playedWhole(t, overlapping)
	for n := 1; n <= p.steps; n += testkit.Step(3) {
		t.Run(fmt.Sprint("in any order ", n), func(t *testing.T) {
			t.Parallel()
			p.cutAt(t, n, n%2 == 0, order(2*n), order(2*n+1))
		})
	}
}

// meeting is a suite whose run on the whole folder waits for a run on the change.
type meeting struct {
	gateFunc
	changed chan struct{}
	once    sync.Once
}

func (m *meeting) Run(ctx context.Context, tree gate.Tree) gate.Report {
	if _, err := tree.(*memoryTree).ReadFile("b"); err == nil { // the implementation is there
		m.once.Do(func() { close(m.changed) })
	}
	select {
	case <-m.changed:
	case <-ctx.Done():
	}
	return m.gateFunc.Run(ctx, tree)
}

// RunIn runs some tests, and waits for nothing.
func (m *meeting) RunIn(ctx context.Context, tree gate.Tree, _ gate.Scope) gate.Report {
	return m.gateFunc.Run(ctx, tree)
}

// The change is checked while the baseline is still running: here the baseline ends only once the check has begun.
func TestOverlap_ChangeIsCheckedWhileTheBaselineRuns(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+writeTests+writeRight+reviewPass)
	e.env.Project.Overlap = true
	m := &meeting{gateFunc: namedGate(false), changed: make(chan struct{})}
	e.kit.Gate = func(string) gate.Gate { return m }
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.NoError(t, e.script.Verify())
	require.Equal(t, "DONE", e.status("baseline"))
	require.Len(t, e.finished("held"), 1)
	require.Equal(t, result, e.again(t))
	require.Empty(t, e.flow.Performed())
}

// answered is a suite whose first run, that on the whole folder, waits until the model has written tests. It counts runs on other trees
// that begin before that run has ended.
type answered struct {
	gateFunc
	written <-chan struct{}
	mu      sync.Mutex
	begun   bool
	ended   bool
	early   int
}

func (a *answered) Run(ctx context.Context, tree gate.Tree) gate.Report {
	a.mu.Lock()
	first := !a.begun
	a.begun = true
	if !first && !a.ended {
		a.early++
	}
	a.mu.Unlock()
	if first {
		select {
		case <-a.written:
		case <-ctx.Done():
		}
	}
	report := a.gateFunc.Run(ctx, tree)
	a.mu.Lock()
	a.ended = a.ended || first
	a.mu.Unlock()
	return report
}

// Where gates take turns, the model writes while the baseline runs, and no gate runs on what it wrote before the baseline has ended.
func TestOverlap_GatesThatTakeTurnsWaitForTheBaseline(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+writeTests+writeRight+reviewPass)
	e.env.Project.Overlap, e.env.Project.InTurn = true, true
	written, emit := make(chan struct{}), e.env.Emit
	once := sync.Once{}
	e.env.Emit = func(d event.Data) {
		if called, is := d.(event.ModelCalled); is && called.Node == "executor" {
			once.Do(func() { close(written) })
		}
		emit(d)
	}
	suite := &answered{gateFunc: namedGate(false), written: written}
	e.kit.Gate = func(string) gate.Gate { return suite }
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.NoError(t, e.script.Verify())
	require.True(t, suite.ended)
	require.Zero(t, suite.early, "gates that ran beside the baseline")
	require.Equal(t, result, e.again(t))
	require.Empty(t, e.flow.Performed())
}

// A gate of Meanwhile runs on the whole folder while the model writes; where nothing overlaps, only if it fails with the change.
func TestOverlap_SomeGatesHaveTheirBaselineMeanwhile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ overlap, fails, baseline bool }{
		"beside the model":                  {overlap: true, baseline: true},
		"beside the model, it always fails": {overlap: true, fails: true, baseline: true},
		"nothing overlaps":                  {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, decideExecutor+writeTests+writeRight+reviewPass)
			e.check(gateFunc{"types", func(map[string]string) gate.Report {
				if c.fails {
					return gate.Report{Verdict: gate.Fail, Findings: []gate.Finding{{Path: "a", Line: 1, Severity: gate.SeverityError, Message: "m"}}}
				}
				return gate.Report{Verdict: gate.Pass, Executed: 1, Passed: 1}
			}})
			e.env.Project.Overlap, e.env.Project.Meanwhile = c.overlap, []string{"types"}
			result := e.run(t)
			require.Equal(t, event.Succeeded, result.State, result.Reason)
			require.Equal(t, c.baseline, len(e.reports("baseline", "types")) == 1)
			require.Equal(t, gate.Pass, e.reports("review", "types")[0].Verdict, "what is old is not charged")
		})
	}
}

// A test that fails without the change only because both trees were run at the same time excuses no change that breaks it.
func TestOverlap_FailureOfTheOverlapExcusesNothing(t *testing.T) {
	t.Parallel()
	for name, flaky := range map[string]bool{"it passes alone": true, "it fails alone too": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			breaking := strings.Replace(writeRight, "files: [", "files: [{path: a, action: write, content: zero}, ", 1)
			require.NotEqual(t, writeRight, breaking)
			e := newEpisode(t, decideExecutor+writeTests+breaking+breaking+breaking+reviewPass+
				"\n- {match: {node: debugger}, reply: {json: {rootCause: r, hypotheses: [], fix: f, mustRead: [], strategy: s}}, times: -1}")
			e.env.Project.Overlap, e.env.Pool = true, inSequence
			runs := 0
			suite := gateFunc{"test", func(files map[string]string) gate.Report {
				if runs++; runs == 1 || !flaky { // the baseline comes first
					files = maps.Clone(files)
					files["a"] = "the port is in use"
				}
				return namedGate(false).run(files)
			}}
			e.kit.Gate = func(string) gate.Gate { return suite }
			result := e.run(t)
			if flaky {
				require.NotEqual(t, event.Succeeded, result.State)
				require.Contains(t, result.Reason, "a_test")
			} else {
				require.Equal(t, event.Succeeded, result.State, result.Reason)
			}
			require.Equal(t, result, e.again(t))
		})
	}
}

// A line of a test that does not compile was written just now, or was there: only in the second case is the suite run without the new tests
// to find out. Either way the test is seen red.
func TestOverlap_OnlyOldLinesThatDoNotCompileAreMeasuredWithoutTheTests(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		line     int
		measured bool
	}{"a new line": {2, false}, "an old line": {1, true}, "no line": {0, true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, decideExecutor+reply("You write tests", `explanation: t, files: [{path: a_test, action: write, content: "one\ntwo\n"}]`)+
				reply("You implement", `explanation: i, files: [{path: a, action: write, content: "one\ntwo\n"}]`)+reviewPass)
			e.env.Project.Overlap, e.env.Pool = true, inSequence
			suite := gateFunc{"test", func(files map[string]string) gate.Report {
				if strings.Contains(files["a_test"], "two") && !strings.Contains(files["a"], "two") {
					return gate.Report{Verdict: gate.Fail, Executed: 1, Findings: []gate.Finding{{Path: "a_test", Line: c.line, Rule: "compile", Message: "undefined: two"}}}
				}
				return namedGate(false).run(files)
			}}
			e.kit.Gate = func(string) gate.Gate { return suite }
			result := e.run(t)
			require.Equal(t, event.Succeeded, result.State, result.Reason)
			require.Len(t, e.finished("red"), 1)
			before := slices.ContainsFunc(e.flow.Performed(), func(c flow.Call) bool { return strings.HasPrefix(c.Name, "before red") })
			require.Equal(t, c.measured, before)
			require.Equal(t, result, e.again(t))
		})
	}
}

// The user is asked once if no test can be executed, before the implementation is requested, and may stop.
func TestOverlap_UserMayStopIfNoTestCanRun(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+writeTests+writeRight+reviewPass)
	e.env.Project.Overlap, e.env.Project.TestFiles = true, 1
	suite := gateFunc{"test", func(map[string]string) gate.Report {
		return gate.Report{Verdict: gate.NotRun, Summary: "no interpreter"}
	}}
	e.kit.Gate = func(string) gate.Gate { return suite }
	asked := 0
	e.kit.Asker = event.AskerFunc(func(_ context.Context, q event.Question) (event.Answer, error) {
		asked++
		require.Contains(t, q.Detail, "no interpreter")
		return event.Answer{Choice: "stop"}, nil
	})
	result := e.run(t)
	require.Equal(t, event.Blocked, result.State)
	require.Contains(t, result.Reason, "no test can be executed here")
	require.Equal(t, 1, asked)
	require.Empty(t, e.status("review"), "no review has begun")
}

// A model that writes no tests is believed if some fail already, which is known once the baseline is; otherwise it is asked again.
func TestOverlap_TestsMayBeThere(t *testing.T) {
	t.Parallel()
	none := reply("You write tests", "explanation: b_test fails already, done: true")
	for name, c := range map[string]struct {
		files  map[string]string
		script string
	}{
		"one fails":  {map[string]string{"a": "one", "a_test": "one", "b_test": "two"}, none + writeRight + reviewPass},
		"none fails": {startingTree(), none + reply("no test was written", `explanation: t, files: [{path: b_test, action: create, content: two}]`) + writeRight + reviewPass},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, decideExecutor+c.script)
			e.env.Project.Overlap = true
			e.kit.Trees = &activity.Trees{Open: func(context.Context, string) (activity.Tree, error) { return newTree(c.files), nil }}
			result := e.run(t)
			require.Equal(t, event.Succeeded, result.State, result.Reason)
			require.NoError(t, e.script.Verify())
			require.Contains(t, e.prompts("executor")[0], "If existing tests fail already")
			require.Equal(t, result, e.again(t))
		})
	}
}

// A baseline whose report cannot be kept ends the run also where it is joined.
func TestOverlap_BaselineThatCannotBeKeptEndsTheRun(t *testing.T) {
	t.Parallel()
	whole := overlapping(t)
	want := whole.run(t)
	for n := range len(whole.flow.Performed()) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			e := overlapping(t)
			e.flow = flow.InMemory("r-1", e.workers(), flow.DriverOptions{})
			e.env.Flow, e.env.Pool = &full{Memory: e.flow, left: n}, inSequence
			result := Run(t.Context(), e.env, e.task)
			if result.State == event.Succeeded { // what is performed ahead is performed again where it is needed
				require.Equal(t, want, result)
				return
			}
			require.Contains(t, result.Reason, "the disk is full")
			e.env.Pool = inSequence
			require.Equal(t, want, e.again(t))
		})
	}
}

// slow is a model whose first answer, the orchestrator's, waits until something has happened.
type slow struct {
	llm.Model
	until <-chan struct{}
}

func (s slow) Complete(ctx context.Context, q llm.Request, onDelta func(string)) (llm.Response, error) {
	select {
	case <-s.until:
	case <-ctx.Done():
	}
	return s.Model.Complete(ctx, q, onDelta)
}

// begins is a suite that says when its baseline has begun, and counts that.
type begins struct {
	gateFunc
	begun chan struct{}
	times int
}

func (b *begins) RunIn(ctx context.Context, tree gate.Tree, s gate.Scope) gate.Report {
	if s.List {
		if b.times++; b.times == 1 {
			close(b.begun)
		}
	}
	return b.gateFunc.Run(ctx, tree)
}

// The baseline begins while the orchestrator decides, and its step gets that execution: here the orchestrator answers only once the suite has begun.
func TestOverlap_BaselineBeginsWhileTheOrchestratorDecides(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := newEpisode(t, decideExecutor+writeTests+writeRight+reviewPass)
		e.env.Project.Overlap = true
		suite := &begins{gateFunc: namedGate(false), begun: make(chan struct{})}
		e.kit.Gate = func(string) gate.Gate { return suite }
		during := &spare.Time{}
		e.env.Spare, e.kit.Spare = during, during
		e.kit.Chooser = llm.Only(slow{e.script.Model(), suite.begun})
		result := e.run(t)
		during.Close()
		require.Equal(t, event.Succeeded, result.State, result.Reason)
		require.Equal(t, 1, suite.times)
		require.Equal(t, gate.Pass, e.reports("baseline", "test")[0].Verdict)
		require.Equal(t, result, e.again(t))
		require.Empty(t, e.flow.Performed())
	})
}
