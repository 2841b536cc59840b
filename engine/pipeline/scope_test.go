package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/pipeline/work"
)

// scopedGate writes down what it was asked to look at: the reach, whether the change is there, and what has changed.
type scopedGate struct {
	gateFunc
	seen *[]string
}

func (g scopedGate) RunIn(ctx context.Context, tree gate.Tree, scope gate.Scope) gate.Report {
	report := g.Run(ctx, tree)
	if scope.All() {
		return report
	}
	_, err := tree.(*memoryTree).ReadFile("b")
	reach := map[gate.Reach]string{gate.ReachWide: "wide", gate.ReachNear: "near"}[scope.Reach]
	*g.seen = append(*g.seen, fmt.Sprintf("%s %v %s", reach, err == nil, strings.Join(scope.Changed, " ")))
	return report
}

// In a folder with many tests nothing is run before there is something to look at: what is written is seen red beside the tests near to it, and
// the change is judged with what it concerns, on the tree without it and with it.
func TestScope_ManyTests(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+writeTests+writeRight+reviewPass)
	var seen []string
	whole := 0
	suite := scopedGate{gateFunc{"test", func(files map[string]string) gate.Report { whole++; return namedGate(false).run(files) }}, &seen}
	e.kit.Gate = func(string) gate.Gate { return suite }
	e.env.Project.TestFiles = work.MaxTests + 1
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	slices.Sort(seen)
	require.Equal(t, []string{"near false b_test", "near false b_test", "wide false b b_test", "wide true b b_test"}, seen)
	require.Equal(t, len(seen), whole, "nothing was run on everything")
	require.Equal(t, result, e.again(t))
}

// If a suite had no time for the importers of the change, it does not run them on the tree without the change either. Where suites may overlap
// with other gates, the same runs happen, once each.
func TestScope_ManyTestsAndLittleTime(t *testing.T) {
	t.Parallel()
	for _, overlap := range []bool{false, true} {
		e := newEpisode(t, decideExecutor+writeTests+writeRight+reviewPass)
		var seen []string
		suite := hastyGate{scopedGate{gateFunc{"test", namedGate(false).run}, &seen}}
		e.kit.Gate = func(string) gate.Gate { return suite }
		e.env.Project.TestFiles, e.env.Project.Overlap = work.MaxTests+1, overlap
		result := e.run(t)
		require.Equal(t, event.Succeeded, result.State, result.Reason)
		require.Equal(t, overlap, slices.Index(seen, "near false b b_test") < slices.Index(seen, "wide true b b_test"), "%q", seen)
		slices.Sort(seen)
		require.Equal(t, []string{"near false b b_test", "near false b_test", "near false b_test", "wide true b b_test"}, seen)
		require.Equal(t, result, e.again(t))
	}
}

// hastyGate is a suite without time for what only uses what has changed.
type hastyGate struct{ scopedGate }

func (g hastyGate) RunIn(ctx context.Context, tree gate.Tree, scope gate.Scope) gate.Report {
	report := g.scopedGate.RunIn(ctx, tree, scope)
	if scope.Reach == gate.ReachWide {
		report.Unreached = 3
	}
	return report
}

// In a large folder, original tests for which there was no time run by name before they count as lost, and a failing one that was not measured before the
// change runs on the folder: it may be a case of data that the change removes.
func TestScope_OriginalTestsWithoutAResult(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		gate distantGate
		asks string
	}{
		"no time":                          {distantGate{late: true}, ""},
		"no time, and it fails":            {distantGate{late: true, fails: true}, "far_test[59]"},
		"a case that is gone":              {distantGate{gone: true}, "data_test[neg]"},
		"a case that is new":               {distantGate{fresh: true}, ""},
		"no time, and a case that is gone": {distantGate{late: true, few: true, gone: true}, "data_test[neg]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, decideExecutor+
				reply("You write tests", `explanation: "more data", files: [{path: data_test, action: write, content: "on\nmore\n"}, {path: b_test, action: create, content: two}]`)+
				writeRight+reviewPass)
			e.withFiles(map[string]string{"data_test": "on\n", "far": "f", "far_test": "f"})
			c.gate.scopedGate = scopedGate{gateFunc{"test", namedGate(false).run}, new([]string)}
			e.kit.Gate = func(string) gate.Gate { return c.gate }
			e.env.Project.TestFiles, e.env.Attempts = work.MaxTests+1, 1
			var asked []string
			e.kit.Asker = event.AskerFunc(func(_ context.Context, q event.Question) (event.Answer, error) {
				asked = append(asked, q.Detail)
				return event.Answer{Choice: "reject"}, nil
			})
			result := e.run(t)
			if c.asks == "" {
				require.Empty(t, asked)
				require.Equal(t, event.Succeeded, result.State, result.Reason)
				return
			}
			require.Len(t, asked, 1)
			require.Contains(t, asked[0], c.asks+" passes as it is today, and would fail with this change")
			require.NotEqual(t, event.Succeeded, result.State)
		})
	}
}

// distantGate is a suite with so many tests that only use what has changed that they cannot run by name, and whose data_test is no test, but data.
type distantGate struct {
	scopedGate
	late  bool // the original tests have no time for the distant ones on the changed code
	fails bool // there one of these fails
	gone  bool // there a case of the original data fails, which is in the file of the distant ones
	few   bool // the distant ones can run by name
	fresh bool // there a case of the original data fails that the changed code has brought
}

func (g distantGate) RunIn(ctx context.Context, tree gate.Tree, scope gate.Scope) gate.Report {
	report := g.scopedGate.RunIn(ctx, tree, scope)
	isData := func(test string) bool { return test == "data_test" }
	report.PassedTests = slices.DeleteFunc(report.PassedTests, isData)
	report.Findings = slices.DeleteFunc(report.Findings, func(f gate.Finding) bool { return isData(f.Test) })
	fail := func(test string) {
		report.Findings = append(report.Findings, gate.Finding{Severity: gate.SeverityError, Test: test, Message: test})
	}
	var far []string
	n := 60
	if g.few {
		n = 5
	}
	for i := range n {
		far = append(far, fmt.Sprintf("far_test[%d]", i))
	}
	files := tree.(*memoryTree)
	data, _ := files.ReadFile("data_test")
	_, code := files.ReadFile("b")
	original, whole := string(data) == "on\n", len(scope.Only) == 0 || len(scope.Only) > 50 && !scope.Files
	if original && code == nil { // the original tests on the changed code
		switch {
		case g.late && whole:
			far, report.Unreached = nil, 1
		case g.fails:
			fail(far[59])
			far = far[:59]
		}
	}
	if original && g.gone && (scope.Reach == gate.ReachWide || len(scope.Only) > 0) && (!g.late || code != nil || scope.Files) {
		if code == nil {
			fail("data_test[neg]")
		} else {
			report.PassedTests = append(report.PassedTests, "data_test[neg]")
		}
	}
	if fresh := "data_test[new]"; original && g.fresh && code == nil {
		fail(fresh)
	} else if g.fresh && slices.Equal(scope.Only, []string{fresh}) {
		return gate.Report{Gate: report.Gate, Verdict: gate.NotRun, Empty: true, Tests: true, Summary: "no tests"}
	}
	report.PassedTests, report.PassedBeyond = append(report.PassedTests, far...), far
	report.Verdict = gate.Pass
	if len(report.Findings) > 0 {
		report.Verdict = gate.Fail
	}
	return report
}

// A gate that no changed file concerns is not run, and is silent.
func TestScope_UnconcernedGate(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+writeTests+writeRight+reviewPass)
	runs := 0
	e.check(unconcerned{gateFunc{"web", func(map[string]string) gate.Report {
		runs++
		return gate.Report{Verdict: gate.Pass, Executed: 1, Passed: 1}
	}}})
	require.Equal(t, event.Succeeded, e.run(t).State)
	require.Equal(t, 1, runs, "before the change, when nothing was known of it")
	last := e.finished("web")
	require.True(t, last[len(last)-1].Unconcerned)
	require.NotContains(t, e.prompts("review")[0], "web")
}

// So is one that was not run before the change either.
func TestScope_UnconcernedGateWithoutABaseline(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(*work.Project){
		"in a large folder": func(p *work.Project) { p.TestFiles = work.MaxTests + 1 },
		"one that is later": func(p *work.Project) { p.Later = []string{"web"} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, decideExecutor+writeTests+writeRight+reviewPass)
			e.check(unconcerned{gateFunc{"web", func(map[string]string) gate.Report { panic("it is not run") }}})
			set(&e.env.Project)
			result := e.run(t)
			require.Equal(t, event.Succeeded, result.State, result.Reason)
		})
	}
}

type unconcerned struct{ gateFunc }

func (unconcerned) Concerned(gate.Tree, []string) bool { return false }

// Of a suite that takes long, tests that were written are seen red without the others; the others run where none of the near ones fails.
func TestScope_LongSuite(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		takes time.Duration
		blind bool // what is near says nothing
		want  []string
	}{
		"a short suite":           {time.Second / 2, false, nil},
		"a long suite":            {time.Minute, false, []string{"near false b_test"}},
		"a test that is not near": {time.Minute, true, []string{"near false b_test"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, decideExecutor+writeTests+writeRight+reviewPass)
			var seen []string
			whole := 0
			suite := longGate{scopedGate{gateFunc{"test", func(files map[string]string) gate.Report {
				whole++
				report := namedGate(false).run(files)
				report.Elapsed = c.takes
				return report
			}}, &seen}, c.blind}
			e.kit.Gate = func(string) gate.Gate { return suite }
			result := e.run(t)
			require.Equal(t, event.Succeeded, result.State, result.Reason)
			require.Equal(t, c.want, seen)
			runs := 3 // before the change, red, and with the change
			if c.blind {
				runs++
			}
			require.Equal(t, runs, whole)
			require.Equal(t, result, e.again(t))
		})
	}
}

// longGate is a suite whose near tests may say nothing.
type longGate struct {
	scopedGate
	blind bool
}

func (g longGate) RunIn(ctx context.Context, tree gate.Tree, scope gate.Scope) gate.Report {
	report := g.scopedGate.RunIn(ctx, tree, scope)
	if g.blind && scope.Reach == gate.ReachNear {
		return gate.Report{Gate: "test", Verdict: gate.Pass, Executed: 1, Passed: 1}
	}
	return report
}

// Tests as they were are run where their files have changed: of the others the change is the judge. Where one fails, all are.
func TestScope_TestsAsTheyWere(t *testing.T) {
	t.Parallel()
	const theirs = "wide true a_test b_test"
	for name, c := range map[string]struct {
		files int
		want  []string
	}{
		"in a small folder": {1, []string{theirs}},
		"in a large folder": {work.MaxTests + 1, []string{"near false a_test b_test", "near false a_test b_test", "wide false a_test b b_test", "wide true a_test b b_test", theirs}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, decideExecutor+
				reply("You write tests", `explanation: "a_test asks for less, and b_test is new", files: [{path: a_test, action: write, content: o}, {path: b_test, action: create, content: two}]`)+
				writeRight+reviewPass)
			var seen []string
			suite := scopedGate{gateFunc{"test", namedGate(false).run}, &seen}
			e.kit.Gate = func(string) gate.Gate { return suite }
			e.env.Project.TestFiles = c.files
			result := e.run(t)
			require.Equal(t, event.Succeeded, result.State, result.Reason)
			slices.Sort(seen)
			require.Equal(t, c.want, seen)
			require.Equal(t, result, e.again(t))
		})
	}
}
