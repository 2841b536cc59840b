package pipeline

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/activity"
	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/pipeline/work"
)

// The answers of a model that changes what is promised: tests that are there, in the phase for tests, and the code.
const (
	unoTests  = `files: [{path: a_test, action: write, content: uno}]`
	unoAnswer = `explanation: a_test promises the old word, ` + unoTests
	unoCode   = `explanation: i, files: [{path: a, action: write, content: uno}]`
)

// Tests that pass are changed with the consent of the user, and with their reason.
func TestExistingTests_TestThatMustChangeIsNamed(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+
		reply("You write tests", "explanation: t, "+unoTests)+
		reply("removes something from them", unoAnswer)+
		reply(implementing, unoCode)+reviewPass)
	var asked []event.Question
	e.kit.Asker = event.AskerFunc(func(_ context.Context, q event.Question) (event.Answer, error) {
		asked = append(asked, q)
		return event.Answer{Choice: "approve"}, nil
	})
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.NoError(t, e.script.Verify())
	require.Len(t, result.Changes.Files, 2)
	require.Len(t, asked, 1)
	require.Equal(t, "1 test passes today and would not any more. Is that wanted?", asked[0].Title)
	require.Contains(t, asked[0].Detail, "a_test promises the old word")
	require.Contains(t, asked[0].Detail, "the tests of test pass as they are today, and would fail with this change")
	require.Equal(t, "reject", asked[0].Default)
	require.Equal(t, result, e.again(t))
	require.Len(t, asked, 1, "a run that is played again knows the answer")
}

// There is no question if the task names the file.
func TestExistingTests_TestThatTheTaskNamesMayChange(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+reply("You write tests", unoAnswer)+reply(implementing, unoCode)+reviewPass)
	e.task.Text = "say uno in a, and in a_test"
	e.kit.Asker = event.AskerFunc(func(context.Context, event.Question) (event.Answer, error) { panic("there must be no question") })
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.NoError(t, e.script.Verify())
}

// Without the user's consent, tests that passed must pass on: the model sees this and the user's words instead, and is asked for other
// tests.
func TestExistingTests_PassingTestsKeepPassing(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]event.Answer{"no text": {Choice: "reject"}, "a text": {Choice: "reject", Text: "uno is for b"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said := answer.Text
			if said != "" {
				said = ". The user says: " + said
			}
			e := newEpisode(t, decideExecutor+
				reply("You write tests", unoAnswer)+reply(implementing, unoCode)+
				reply("and let them pass, unless the task names that file"+said, `explanation: t, files: [{path: b_test, action: create, content: two}]`)+
				writeRight+reviewPass)
			asked := 0
			e.kit.Asker = event.AskerFunc(func(context.Context, event.Question) (event.Answer, error) {
				asked++
				return answer, nil
			})
			result := e.run(t)
			require.Equal(t, event.Succeeded, result.State, result.Reason)
			require.NoError(t, e.script.Verify())
			require.Len(t, result.Changes.Files, 2)
			require.Equal(t, "one", e.tree.base["a_test"])
			require.Equal(t, 1, asked)
		})
	}
}

// If no user could be asked, the model is not led to the old behaviour: it may leave the decision to the user, and its change is offered.
func TestExistingTests_WithoutAUserTheModelMayLeaveTheDecision(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+reply("You write tests", unoAnswer)+reply(implementing, unoCode)+
		reply("No user could be asked whether that is wanted: if the task asks for it, say so", `explanation: "", files: [], blocked: the task asks for uno in place of one`))
	e.kit.Asker = event.DefaultAnswers
	result := e.run(t)
	require.Equal(t, event.Blocked, result.State)
	require.Contains(t, result.Reason, "the task asks for uno in place of one")
	require.NoError(t, e.script.Verify())
	require.Contains(t, result.Unverified, "the tests of test pass as they are today, and would fail with this change")
	require.Len(t, result.Changes.Files, 2)
}

// A model that insists fails, and the user is asked once.
func TestExistingTests_ModelThatInsistsOnOtherTests(t *testing.T) {
	t.Parallel()
	always := func(entry string) string { return strings.Replace(entry, "- {", "- {times: -1, ", 1) }
	e := newEpisode(t, decideExecutor+always(reply("You write tests", unoAnswer))+always(reply(implementing, unoCode))+
		"\n- {match: {node: debugger}, reply: {json: {rootCause: r, hypotheses: [], fix: f, mustRead: [], strategy: s}}, times: -1}")
	asked := 0
	e.kit.Asker = event.AskerFunc(func(context.Context, event.Question) (event.Answer, error) {
		asked++
		return event.Answer{Choice: "reject"}, nil
	})
	result := e.run(t)
	require.Contains(t, []event.State{event.Failed, event.Blocked}, result.State)
	require.Contains(t, result.Reason, "the tests of test pass as they are today, and would fail with this change")
	require.Equal(t, 1, asked)
	require.Equal(t, result, e.again(t))
	said := e.finished("regression")
	require.GreaterOrEqual(t, len(said), 2)
	require.Equal(t, said[0].Summary+"; as in attempt 1, with the same files", said[1].Summary, "the existing tests do not run again for the same change")
}

// Tests in another form that check the same need no question.
func TestExistingTests_TestsInAnotherForm(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+
		reply("You write tests", `explanation: "a_test asks for less, and b_test is new", files: [{path: a_test, action: write, content: o}, {path: b_test, action: create, content: two}]`)+
		writeRight+reviewPass)
	e.kit.Asker = event.AskerFunc(func(context.Context, event.Question) (event.Answer, error) { panic("there must be no question") })
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.Len(t, result.Changes.Files, 3)
}

// In a long suite with results by test, the restated tests run by name, on the old code and as they were on the new one; the results of the
// others are known.
func TestExistingTests_RestatedTestsRunByName(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		only  bool // nothing differs in the files but tests
		whole int
		named int
	}{
		"nothing but tests": {true, 2, 3}, "what they call as well": {false, 3, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, decideExecutor+reply("You write tests", unoAnswer)+reply(implementing, unoCode)+reviewPass)
			e.env.Project.Suites[0].Touched = func(string, string) ([]string, bool) { return []string{"a_test"}, c.only }
			suite := &byName{}
			e.kit.Gate = func(string) gate.Gate { return suite }
			result := e.run(t)
			require.Equal(t, event.Succeeded, result.State, result.Reason)
			require.Equal(t, c.whole, suite.whole)
			require.Equal(t, c.named, suite.named)
			said := e.finished("regression")
			require.Len(t, said, 1)
			require.Equal(t, "1 existing test changed: a_test", said[0].Summary)
			require.Equal(t, result, e.again(t))
		})
	}
}

// A change that only adds tests to a file runs none of the original ones again: those in the file are as they were, and ran with the change.
func TestExistingTests_AddedTestsHaveNoOriginal(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		touched []string // what differs in the file
		named   int
	}{
		"one is added": {[]string{"added"}, 1}, "one is restated, too": {[]string{"a_test", "added"}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, decideExecutor+
				reply("You write tests", `explanation: "a_test has one more", files: [{path: a_test, action: write, content: o}, {path: b_test, action: create, content: two}]`)+
				writeRight+reviewPass)
			e.env.Project.Suites[0].Touched = func(before, after string) ([]string, bool) {
				if before != "" {
					return c.touched, true
				}
				return map[string][]string{"one": {"a_test"}, "two": {"b_test"}}[after], true
			}
			suite := &byName{}
			e.kit.Gate = func(string) gate.Gate { return suite }
			result := e.run(t)
			require.Equal(t, event.Succeeded, result.State, result.Reason)
			require.Equal(t, []int{2, c.named}, []int{suite.whole, suite.named})
			said := e.finished("regression")
			require.Len(t, said, 1)
			require.Equal(t, gate.Pass, said[0].Verdict)
			require.Equal(t, result, e.again(t))
		})
	}
}

// byName is a long suite with results by test; it counts its runs.
type byName struct{ whole, named int }

func (*byName) Name() string { return "test" }

func (g *byName) Run(ctx context.Context, tree gate.Tree) gate.Report {
	g.whole++
	return longer(namedGate(false).Run(ctx, tree))
}

func (g *byName) RunIn(ctx context.Context, tree gate.Tree, scope gate.Scope) gate.Report {
	names := slices.Concat(scope.Named, scope.Only) // what fails is run once more
	if len(names) == 0 {
		return g.Run(ctx, tree)
	}
	g.named++
	return longer(gateFunc{"test", func(files map[string]string) gate.Report {
		some := maps.Clone(files)
		maps.DeleteFunc(some, func(path, _ string) bool { return strings.HasSuffix(path, "_test") && !slices.Contains(names, path) })
		return namedGate(false).run(some)
	}}.Run(ctx, tree))
}

func longer(report gate.Report) gate.Report {
	report.Elapsed = time.Minute
	return report
}

// Where all tests pass with the change, those that changed files concern run as they were, and no others. All run where a changed file without tests
// may concern any of them; a new one of the same kind as files with tests does not.
func TestExistingTests_ChangedFilesOfTestsRunAsTheyWere(t *testing.T) {
	t.Parallel()
	const beside = `files: [{path: a_test, action: write, content: o}, {path: b_test, action: create, content: two}, {path: %s, action: %s, content: three}]`
	for name, c := range map[string]struct {
		path, action string
		whole, some  int
		failing      bool // a test fails before the change and with it
	}{
		"a new file of the same kind": {"example", "create", 3, 1, false},
		"where one fails anyway":      {"example", "create", 3, 1, true},
		"one that was there":          {"sample", "write", 4, 0, false},
		"a new file of another kind":  {"example.snap", "create", 4, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, decideExecutor+reply("You write tests", "explanation: a_test and "+c.path+" state the same, "+fmt.Sprintf(beside, c.path, c.action))+writeRight+reviewPass)
			files := startingTree()
			files["sample"] = "one"
			if c.failing {
				files["c_test"] = "nine"
			}
			e.kit.Trees = &activity.Trees{Open: func(context.Context, string) (activity.Tree, error) { return newTree(files), nil }}
			e.env.Project.Suites[0].IsTest = func(path string) bool { return strings.HasSuffix(path, "_test") || strings.Contains(path, "ample") }
			suite := &byFiles{}
			e.kit.Gate = func(string) gate.Gate { return suite }
			result := e.run(t)
			require.Equal(t, event.Succeeded, result.State, result.Reason)
			require.Equal(t, []int{c.whole, c.some}, []int{suite.whole, suite.some})
			require.Equal(t, result, e.again(t))
		})
	}
}

// A test that fails only where others do not run before it is not charged to the change.
func TestExistingTests_TestsThatNeedOthersRunAmongThem(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+
		reply("You write tests", `explanation: "a_test states the same", files: [{path: a_test, action: write, content: o}, {path: b_test, action: create, content: two}]`)+
		writeRight+reviewPass)
	suite := &byFiles{alone: func(map[string]string) gate.Report {
		missing := gate.Finding{Path: "a_test", Line: 1, Severity: gate.SeverityError, Test: "a_test", Message: "what another file imports is missing"}
		return gate.Report{Verdict: gate.Fail, Executed: 1, Tests: true, Findings: []gate.Finding{missing}}
	}}
	e.kit.Gate = func(string) gate.Gate { return suite }
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.Equal(t, []int{4, 2}, []int{suite.whole, suite.some}, "it is run with its file, again alone, and then with all others")
	require.Empty(t, e.finished("regression")[0].Findings)
	require.Equal(t, result, e.again(t))
}

// What the user has permitted holds in later attempts, whatever else a tool says of it then.
func TestExistingTests_ConsentOutlastsTheWordsOfATool(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+reply("You write tests", unoAnswer)+reply(implementing, unoCode)+
		reply(implementing, `explanation: i, files: [{path: a, action: write, content: uno due}]`)+`
- {match: {node: review}, reply: {json: {pass: false, reason: more is wanted, issues: [{path: a, startLine: 1, severity: error, message: say more}]}}}`+reviewPass)
	said := 0
	e.kit.Gate = func(string) gate.Gate {
		return gateFunc{"test", func(files map[string]string) gate.Report {
			if strings.HasPrefix(files["a"], "uno") && files["a_test"] == "one" {
				said++
				return gate.Report{Verdict: gate.Error, Tests: true, Summary: fmt.Sprintf("process %d was killed", said)}
			}
			return namedGate(false).run(files)
		}}
	}
	asked := 0
	e.kit.Asker = event.AskerFunc(func(context.Context, event.Question) (event.Answer, error) {
		asked++
		return event.Answer{Choice: "approve"}, nil
	})
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.Equal(t, 1, asked)
	reports := e.finished("regression")
	require.Len(t, reports, 2)
	require.Equal(t, gate.Pass, reports[1].Verdict)
	require.Contains(t, reports[1].Notice, "the user has permitted that passing tests are lost")
	require.Equal(t, gate.Advisory, reports[1].Weight, "nothing was executed and passed")
}

// A suite that could not run, and that a resumed run repeats, may fail in other tests then: what follows is asked and run anew.
func TestExistingTests_RepeatedSuiteMayFailInOtherTests(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+reply("You write tests", unoAnswer)+reply(implementing, unoCode)+reviewPass)
	busy := true
	e.kit.Gate = func(string) gate.Gate {
		return gateFunc{"test", func(files map[string]string) gate.Report {
			if busy && files["a"] == "uno" && files["a_test"] == "one" {
				return gate.Report{Verdict: gate.Error, Tests: true, Summary: "it is busy"}
			}
			return namedGate(false).run(files)
		}}
	}
	var asked []string
	e.kit.Asker = event.AskerFunc(func(_ context.Context, q event.Question) (event.Answer, error) {
		asked = append(asked, q.Detail)
		if busy {
			return event.Answer{}, event.ErrNoAnswer
		}
		return event.Answer{Choice: "approve"}, nil
	})
	first := e.run(t)
	require.Equal(t, event.Blocked, first.State)
	busy, e.env.Retries = false, []work.Retry{first.Retry}
	again := e.again(t)
	require.Equal(t, event.Succeeded, again.State, again.Reason)
	require.Len(t, asked, 2)
	require.Contains(t, asked[0], "could not be run with this change: it is busy")
	require.Contains(t, asked[1], "a_test passes as it is today, and would fail with this change")
	require.Equal(t, again, e.again(t))
	require.Len(t, asked, 2)
}

// The tests that fail in a part are others than those that fail among all: both are judged, and the run goes on to its end.
func TestExistingTests_PartAndWholeMayFailInOtherTests(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+
		reply("You write tests", `explanation: "a_test states the same", files: [{path: a_test, action: write, content: o}, {path: b_test, action: create, content: two}]`)+
		writeRight+reviewPass)
	files := startingTree()
	files["c"], files["c_test"] = "three", "three"
	e.kit.Trees = &activity.Trees{Open: func(context.Context, string) (activity.Tree, error) { return newTree(files), nil }}
	failing := func(test string) gate.Report {
		return gate.Report{Verdict: gate.Fail, Executed: 1, Tests: true, Findings: []gate.Finding{{Path: test, Line: 1, Severity: gate.SeverityError, Test: test, Message: "it is in use"}}}
	}
	suite := &byFiles{alone: func(map[string]string) gate.Report { return failing("a_test") }}
	suite.all = func(files map[string]string) gate.Report {
		if _, own := files["b_test"]; own || files["b"] == "" { // all but the tests as they were, on the new code
			return namedGate(false).run(files)
		}
		return failing("c_test")
	}
	e.kit.Gate = func(string) gate.Gate { return suite }
	result := e.run(t)
	require.NotContains(t, result.Reason, "journaled")
	require.NotEmpty(t, e.finished("regression"))
	require.Equal(t, result, e.again(t))
}

// byFiles is a suite that can run the tests that files concern, which alone may say something else; it counts its runs.
type byFiles struct {
	whole, some int
	alone       func(files map[string]string) gate.Report
	all         func(files map[string]string) gate.Report
}

func (*byFiles) Name() string { return "test" }

func (g *byFiles) Run(ctx context.Context, tree gate.Tree) gate.Report {
	g.whole++
	if g.all != nil {
		return gateFunc{"test", g.all}.Run(ctx, tree)
	}
	return namedGate(false).Run(ctx, tree)
}

func (g *byFiles) RunIn(ctx context.Context, tree gate.Tree, scope gate.Scope) gate.Report {
	if scope.All() {
		return g.Run(ctx, tree)
	}
	g.some++
	if g.alone != nil {
		return gateFunc{"test", g.alone}.Run(ctx, tree)
	}
	return namedGate(false).Run(ctx, tree)
}
