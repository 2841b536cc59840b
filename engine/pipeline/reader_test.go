package pipeline

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/engine/activity"
	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/gate"
	"forge/engine/pipeline/judge"
	"forge/engine/pipeline/work"
	"forge/engine/step"
	"forge/patch"
)

// read runs a recipe that changes nothing, and plays it again from its journal: the same must come of it, and nothing is asked.
func (e *episode) read(t *testing.T, recipe work.Recipe, more map[string]flow.Worker) Result {
	t.Helper()
	e.task.Recipe = recipe
	workers := e.workers()
	for name, w := range more {
		workers[name] = w
	}
	e.flow = flow.InMemory("r-1", workers, flow.DriverOptions{})
	e.env.Flow = e.flow
	first := Run(t.Context(), e.env, e.task)
	asked := len(e.script.Requests())
	require.Empty(t, cmp.Diff(first, e.again(t)))
	require.Len(t, e.script.Requests(), asked, "played again, nothing is asked")
	require.Equal(t, startingTree(), e.tree.files, "nothing is changed")
	require.Empty(t, first.Changes.Files)
	return first
}

func TestReader_AnswersAQuestion(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, `
- {match: {node: answer, contains: ["what is a?", "    1 | one"]}, reply: {text: "It is **one**."}}`)
	e.task = work.Task{Text: "what is a?", Focus: work.Focus{Path: "a", StartLine: 1, EndLine: 1}}
	result := e.read(t, Ask, nil)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.Equal(t, "It is **one**.\n", result.Answer)
	require.NoError(t, e.script.Verify())
}

func TestReader_QuestionWithoutAnAnswerBlocks(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, `
- {match: {node: answer}, reply: {text: " "}, times: 3}`)
	result := e.read(t, Ask, nil)
	require.Equal(t, event.Blocked, result.State)
	require.Contains(t, result.Reason, "it is empty")
	require.Empty(t, result.Answer)
}

// An issue of a line that is not there is asked about once, and one of a file that is not there never; then it is left out and said, and what else there is counts.
func TestReader_IssuesAreSomewhere(t *testing.T) {
	t.Parallel()
	const twice = `
- {match: {node: review}, times: 2, reply: {json: {summary: Hm., issues: [`
	for name, c := range map[string]struct {
		issue, note string
		requests    int
	}{
		"somewhere":     {`{path: a, startLine: 1, severity: error, category: odd, message: m}`, "", 1},
		"no file":       {`{path: zzz, startLine: 1, severity: error, message: m}`, "zzz:1", 1},
		"outside":       {`{path: ../a, startLine: 1, severity: error, message: m}`, "../a:1", 1},
		"no line":       {`{path: a, startLine: 2, severity: error, message: m}`, "a:2", 2},
		"line 0":        {`{path: a, startLine: 0, severity: error, message: m}`, "a:0", 2},
		"ends too late": {`{path: a, startLine: 1, endLine: 9, severity: error, message: m}`, "a:1", 2},
		"ends before":   {`{path: a_test, startLine: 1, endLine: -1, severity: error, message: m}`, "a_test:1", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, twice+c.issue+`]}}}`)
			e.task.Focus.Path = "a"
			result := e.read(t, Review, nil)
			require.Equal(t, event.Succeeded, result.State, result.Reason)
			require.Len(t, e.prompts("review"), c.requests)
			if c.note == "" {
				require.Equal(t, gate.Fail, result.Review.Verdict)
				require.Equal(t, []gate.Finding{{Path: "a", Line: 1, Severity: gate.SeverityError, Rule: "other", Message: "m"}}, result.Review.Findings)
				return
			}
			require.Equal(t, gate.Pass, result.Review.Verdict)
			require.Empty(t, result.Review.Findings)
			require.Contains(t, result.Review.Output, c.note)
		})
	}
}

// In a run a change that is turned down stays turned down, wherever its issues are said to be.
func TestReader_NowhereIssueDoesNotOpenTheGate(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, decideExecutor+writeTests+writeRight+`
- {match: {node: review}, times: 2, reply: {json: {pass: false, reason: It is wrong., issues: [{path: zzz, startLine: 1, severity: error, message: m}]}}}`)
	e.env.Attempts = 1
	result := e.run(t)
	require.Equal(t, event.Failed, result.State)
	require.Contains(t, result.Reason, "It is wrong.")
	require.NotContains(t, result.Reason, "zzz")
	require.Equal(t, gate.Fail, result.Review.Verdict)
	require.Contains(t, result.Review.Output, "zzz:1")
}

func TestReader_ResultHasTheReview(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script  string
		without bool
		verdict gate.Verdict
	}{
		"accepts":       {reviewPass, false, gate.Pass},
		"unreadable":    {reviewGarbage, false, gate.Error},
		"was not asked": {"", true, gate.NotRun},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, decideExecutor+writeTests+writeRight+c.script)
			e.task.NoReview = c.without
			result := e.run(t)
			require.NoError(t, e.script.Verify())
			require.Equal(t, c.verdict, result.Review.Verdict)
			require.Equal(t, c.verdict != gate.Error, result.State == event.Succeeded, result.Reason)
			for _, report := range result.Reports {
				require.NotEqual(t, judge.ReviewName, report.Gate, "an opinion is no gate")
			}
		})
	}
}

// workers does an activity with a function.
func workers[In, Out any](a step.Activity[In, Out], give func(In) (Out, error)) map[string]flow.Worker {
	all := map[string]flow.Worker{}
	activity.Add(all, a, func(_ context.Context, in In) (Out, error) { return give(in) }, flow.Worker{})
	return all
}

func TestReader_ReviewsUncommittedChanges(t *testing.T) {
	t.Parallel()
	change := patch.ChangeSet{Files: []patch.FileChange{{Path: "a", Before: "none", After: "one"}, {Kind: patch.Delete, Path: "gone", Before: "x\ny\n"}}}
	for name, c := range map[string]struct {
		diff   step.Uncommitted
		script string
		state  event.State
		reason string
	}{
		"changes": {step.Uncommitted{Known: true, Changes: change}, `
- {match: {node: review, contains: ["    1 +| one", "      -| x", "a, gone"]}, reply: {json: {summary: Fine., issues: [{path: gone, startLine: 2, severity: warning, message: m}]}}}`, event.Succeeded, "Fine."},
		"none":      {step.Uncommitted{Known: true}, `- {match: {node: review}, reply: {text: never}}`, event.Succeeded, "nothing to review"},
		"no commit": {step.Uncommitted{}, `- {match: {node: review}, reply: {text: never}}`, event.Blocked, "no commit"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, c.script)
			e.task = work.Task{Text: "Review."}
			result := e.read(t, Review, workers(step.ActivityDiff, func(step.DiffCall) (step.Uncommitted, error) { return c.diff, nil }))
			require.Equal(t, c.state, result.State)
			require.Contains(t, result.Reason, c.reason)
			if name == "changes" {
				require.Len(t, result.Review.Findings, 1, "a line of a file that was deleted is somewhere")
			} else {
				require.Empty(t, e.script.Requests())
			}
		})
	}
}

// Where a model does not take all changes, a review says of which files it has seen only a part, also a final one.
func TestReader_ReviewSaysWhatItHasNotSeen(t *testing.T) {
	t.Parallel()
	change := patch.ChangeSet{Files: []patch.FileChange{{Path: "a", Before: "none\n", After: lines(3000)}}}
	diff := workers(step.ActivityDiff, func(step.DiffCall) (step.Uncommitted, error) {
		return step.Uncommitted{Known: true, Changes: change}, nil
	})
	scripts := map[work.Recipe]string{
		Review: "\n- {match: {node: review}, reply: {json: {summary: Fine., issues: []}}}",
		Final:  lensSays("contracts", "") + lensSays("failures", "") + lensSays("clarity", ""),
	}
	for kind, script := range scripts {
		for window, note := range map[int]string{16_000: "the change is too large for one review, which saw only the beginning of a (", 300_000: ""} {
			t.Run(fmt.Sprint(kind, window), func(t *testing.T) {
				t.Parallel()
				e := newEpisode(t, script)
				e.task, e.env.Windows = work.Task{Text: "Review."}, map[string]int{"review": window}
				result := e.read(t, kind, diff)
				require.Equal(t, event.Succeeded, result.State, result.Reason)
				require.Equal(t, note == "", result.Review.Output == "", result.Review.Output)
				require.Contains(t, result.Review.Output, note)
				require.LessOrEqual(t, strings.Count(result.Review.Output, "too large"), 1)
				require.NotContains(t, strings.Join(e.prompts("review"), ""), "left out to fit")
			})
		}
	}
}

// specWorkers keep versions in a list, and refuse what does not follow the last one.
func specWorkers(kept *[]step.SpecVersion) map[string]flow.Worker {
	all := workers(step.ActivitySpec, func(step.Latest) (v step.SpecVersion, err error) {
		if n := len(*kept); n > 0 {
			v = (*kept)[n-1]
		}
		return v, nil
	})
	maps.Copy(all, workers(step.ActivityKeep, func(v step.SpecVersion) (step.SpecVersion, error) {
		if v.Version != len(*kept)+1 {
			return v, &flow.Failure{Message: "somebody was faster"}
		}
		*kept = append(*kept, v)
		return v, nil
	}))
	return all
}

func TestSpecifier_UpdateIsShownAsADiff(t *testing.T) {
	t.Parallel()
	const update = `
- {match: {node: spec, contains: ["The specification as it is, version 1", "# A"]}, reply: {json: {spec: "# A\n\nnew", changelog: A is new.}}}`
	for name, c := range map[string]struct {
		answer event.Answer
		kept   int
		state  event.State
	}{
		"approved": {event.Answer{Choice: "approve"}, 2, event.Succeeded},
		"rejected": {event.Answer{Choice: "reject"}, 1, event.Cancelled},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, update)
			e.task = work.Task{Text: "a is new", ApproveSpec: true}
			e.kit.Asker = event.AskerFunc(func(_ context.Context, q event.Question) (event.Answer, error) {
				require.Contains(t, q.Title, "Append version 2")
				require.Contains(t, q.Detail, "-old\n+new\n")
				require.Equal(t, "reject", q.Default)
				return c.answer, nil
			})
			kept := []step.SpecVersion{{Version: 1, Text: "# A\n\nold\n"}}
			require.Equal(t, c.state, e.read(t, Specify, specWorkers(&kept)).State)
			require.Len(t, kept, c.kept)
		})
	}
}

// Nothing is overwritten: who was faster is seen, and the run says what to do.
func TestSpecifier_VersionOfAnotherProcessStopsIt(t *testing.T) {
	t.Parallel()
	e := newEpisode(t, `
- {match: {node: spec}, reply: {json: {spec: "# A", changelog: A is new.}}}`)
	kept := []step.SpecVersion{}
	all := specWorkers(&kept)
	maps.Copy(all, workers(step.ActivityKeep, func(v step.SpecVersion) (step.SpecVersion, error) {
		return v, &flow.Failure{Message: "somebody was faster"}
	}))
	result := e.read(t, Specify, all)
	require.Equal(t, event.Blocked, result.State)
	require.Contains(t, result.Reason, "somebody was faster")
	require.Contains(t, result.Reason, "Run again")
}

func TestSpecifier_EmptyChangelogIsRefused(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"", "v2", "Version 2.", "Updated", "update the spec", "The first version", "changes", "n/a", "two\nlines", "Draft 3", string(make([]rune, 200))} {
		require.Error(t, checkChangelog(line), "%q", line)
	}
	for _, line := range []string{"Refunds are rounded half to even.", "Version numbers of the API are in its path.", "Updates of prices are logged."} {
		require.NoError(t, checkChangelog(line), "%q", line)
	}
}

func TestSpecifier_UpdateKeepsItsHeadings(t *testing.T) {
	t.Parallel()
	now := step.SpecVersion{Version: 1, Text: "# A\n\n## B ##\n\n```\n# no heading\n```\n"}
	e := edition{Spec: "# a\n", Changelog: "B is gone."}
	require.ErrorContains(t, e.check(now, true), `"b"`)
	e.Removed = []string{"## B"}
	require.NoError(t, e.check(now, true))
}
