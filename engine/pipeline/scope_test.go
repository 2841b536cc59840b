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

// Tests for which there was no time when the tests ran as they were are not lost, and the user is not asked about them.
func TestScope_OriginalTestsWithoutTime(t *testing.T) {
	t.Parallel()
	for name, far := range map[string]struct {
		reached bool
		state   event.State
	}{"no time": {false, event.Succeeded}, "twin: they fail": {true, event.Blocked}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, decideExecutor+
				reply("You write tests", `explanation: "more data", files: [{path: data_test, action: write, content: "on\nmore\n"}, {path: b_test, action: create, content: two}]`)+
				writeRight+reviewPass)
			e.withFiles(map[string]string{"data_test": "on\n", "far": "f", "far_test": "f"})
			suite := distantGate{scopedGate{gateFunc{"test", namedGate(false).run}, new([]string)}, far.reached}
			e.kit.Gate = func(string) gate.Gate { return suite }
			e.kit.Asker = event.AskerFunc(func(_ context.Context, q event.Question) (event.Answer, error) {
				panic("there must be no question: " + q.Title)
			})
			e.env.Project.TestFiles, e.env.Attempts = work.MaxTests+1, 1
			if far.reached {
				e.kit.Asker = event.AskerFunc(func(context.Context, event.Question) (event.Answer, error) {
					return event.Answer{Choice: "reject"}, nil
				})
			}
			result := e.run(t)
			require.Equal(t, far.state == event.Succeeded, result.State == event.Succeeded, result.Reason)
			if !far.reached {
				require.Contains(t, e.finished("regression")[0].Summary, "; 1 that only use what has changed were not run, there was no time")
			}
		})
	}
}

// distantGate is a suite whose test far_test only uses what has changed, and whose data_test is no test. As they were before, the tests have no time
// for far_test, or it fails.
type distantGate struct {
	scopedGate
	reached bool
}

func (g distantGate) RunIn(ctx context.Context, tree gate.Tree, scope gate.Scope) gate.Report {
	report := g.scopedGate.RunIn(ctx, tree, scope)
	drop := func(test string) {
		report.PassedTests = slices.DeleteFunc(report.PassedTests, func(passed string) bool { return passed == test })
		report.Findings = slices.DeleteFunc(report.Findings, func(f gate.Finding) bool { return f.Test == test })
	}
	drop("data_test")
	if len(report.Findings) == 0 {
		report.Verdict = gate.Pass
	}
	if scope.Reach != gate.ReachWide {
		return report
	}
	report.PassedBeyond = []string{"far_test"}
	_, code := tree.(*memoryTree).ReadFile("b")
	_, tests := tree.(*memoryTree).ReadFile("b_test")
	if code == nil && tests != nil {
		drop("far_test")
		report.PassedBeyond = nil
		if g.reached {
			report.Verdict, report.Findings = gate.Fail, append(report.Findings, gate.Finding{Severity: gate.SeverityError, Test: "far_test", Message: "far"})
		} else {
			report.Unreached = 1
		}
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
