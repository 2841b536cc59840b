package pipeline

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/graph"
	"forge/engine/mode"
	"forge/engine/pipeline/work"
	"forge/internal/testkit"
)

// drawnPlan is an answer of a planner: parts as "id: file after a, b".
func drawnPlan(node string, parts ...string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "\n- {match: {node: %s}, reply: {json: {explanation: x, parts: [%s]}}}", node, drawnParts(parts...))
	return text.String()
}

func drawnParts(parts ...string) string {
	var all []string
	for _, p := range parts {
		head, after, _ := strings.Cut(p, " after ")
		id, file, _ := strings.Cut(head, ": ")
		all = append(all, fmt.Sprintf("\n    {id: %s, title: %s, objective: o, files: [%s, %s_test], dependsOn: [%s], verify: [v], doneWhen: d}", id, id, file, file, after))
	}
	return strings.Join(all, ",")
}

// doing is what the models of a part that succeeds say.
func doing(part, file, text string) string {
	return partTests(part, file, text) + partWork(part, file, text) + partReview(part)
}

// giving up is what the models of a part that fails twice say.
func givingUp(part, file, text string) string {
	return partTests(part, file, text) + partWork(part, file, "oops") + partWork(part, file, "worse") + `
- {match: {node: debugger}, reply: {json: {rootCause: r, hypotheses: [], fix: f, mustRead: [], strategy: spell it}}}`
}

func (e *episode) given(attempts int) *episode {
	e.env.Attempts = attempts
	e.task.Plan.Approved = true
	return e
}

// A part starts when those it depends on are done, whatever becomes of the others; what holds is joined, checked and offered.
func TestPlan_PartThatGivesUpKeepsBackNoIndependentPart(t *testing.T) {
	t.Parallel()
	e := planned(t, drawnPlan("planner", "bad: b", "good: c", "later: d after good", "last: f after bad, later")+
		givingUp("bad", "b", "two")+doing("good", "c", "three")+doing("later", "d", "five")).given(2)
	result := e.run(t)
	require.NoError(t, e.script.Verify())
	require.Equal(t, "DONE", e.status("later/review"), "it depends on the good part alone")
	require.Equal(t, event.Blocked, result.State)
	require.Contains(t, result.Reason, "gave up after 2 attempts")
	require.Equal(t, map[string]string{"c": "three", "c_test": "three", "d": "five", "d_test": "five"}, texts(result))
	require.Equal(t, []string{"bad", "last"}, result.Missing)
	lines := strings.Split(result.Unverified, "\n")
	require.Equal(t, "2 parts are missing; the others were joined and checked together", lines[0])
	require.Contains(t, lines[1], "part bad is missing: gave up after 2 attempts")
	require.Equal(t, "part last is missing: it waits for bad", lines[2])
}

// The twin: a resumed run tries what is missing, asks nothing of finished parts, and comes to the whole.
func TestPlan_PartialResultIsCompletedByAResume(t *testing.T) {
	t.Parallel()
	e := planned(t, drawnPlan("planner", "bad: b", "good: c", "last: d after bad, good")+
		givingUp("bad", "b", "two")+doing("good", "c", "three")+`
- {match: {node: debugger}, reply: {json: {rootCause: r, hypotheses: [], fix: f, mustRead: [], strategy: begin with an empty file}}}`+
		partWork("bad", "b", "two")+partReview("bad")+doing("last", "d", "five")+reviewPass).given(2)
	first := e.run(t)
	require.Equal(t, []string{"bad", "last"}, first.Missing)
	asked := len(e.prompts("good/executor")) + len(e.prompts("good/review"))
	e.env.Retries = []work.Retry{first.Retry}
	again := e.again(t)
	require.Equal(t, event.Succeeded, again.State, again.Reason)
	require.NoError(t, e.script.Verify())
	require.Empty(t, again.Missing)
	require.Len(t, again.Changes.Files, 6)
	require.Equal(t, asked, len(e.prompts("good/executor"))+len(e.prompts("good/review")), "a finished part is not paid twice")
}

// Parts that hold alone and not together: a partial result has the first of them.
func TestPlan_PartialResultLeavesOutWhatDoesNotHoldTogether(t *testing.T) {
	t.Parallel()
	join := `
- {match: {node: join-1/executor}, reply: {json: {explanation: m, files: [{path: c, action: write, content: three of it still}], patch: "", blocked: ""}}}`
	e := planned(t, threeParts+partTwo+partThree+join).given(2)
	e.check(together)
	result := e.run(t)
	require.Equal(t, event.Blocked, result.State)
	require.Equal(t, []string{"three", "sum"}, result.Missing)
	require.Contains(t, result.Unverified, "part three is missing: it does not hold together with two")
	require.Contains(t, result.Unverified, "part sum is missing: two and three do not hold together")
	require.Equal(t, map[string]string{"b": "one two", "b_test": "two"}, texts(result))
}

// All parts that are blocked are named.
func TestPlan_EveryBlockedPartIsNamed(t *testing.T) {
	t.Parallel()
	stuck := func(part, file string) string {
		return partTests(part, file, "two") + fmt.Sprintf(`
- {match: {node: %s/executor, contains: [You implement]}, reply: {json: {explanation: i, files: [], patch: "", blocked: %s is of stone}}}
- {match: {node: %s/planner}, reply: {json: {decision: CONTINUE, reason: It is not the plan.}}}`, part, file, part)
	}
	e := planned(t, drawnPlan("planner", "one: b", "two: c", "three: d")+stuck("one", "b")+stuck("two", "c")+doing("three", "d", "five")).given(2)
	result := e.run(t)
	require.NoError(t, e.script.Verify())
	require.Contains(t, result.Reason, "one/executor: the model says that it cannot do the work: b is of stone")
	require.Contains(t, result.Reason, "two/executor: the model says that it cannot do the work: c is of stone")
	require.Equal(t, []string{"one", "two"}, result.Missing)
}

// lends are what a run told of files of other parts.
func (e *episode) lends() (all []event.FileNeeded) {
	for _, ev := range e.log.Since(0) {
		if l, is := ev.Data.(event.FileNeeded); is {
			all = append(all, l)
		}
	}
	return all
}

// needing is a part that cannot be done without a file of another part, and says so, or changes it whatever it is told.
func needing(part, file, text, foreign, with string, insists bool) string {
	both := fmt.Sprintf(`files: [{path: %s, action: write, content: %q}, {path: %s, action: write, content: %q}]`, file, text, foreign, with)
	first := fmt.Sprintf(`explanation: i, files: [], patch: "", blocked: "%s must be changed"`, foreign)
	if insists {
		first = "explanation: i, " + both
	}
	return partTests(part, file, text) + fmt.Sprintf(`
- {match: {node: %[1]s/executor, contains: [You implement]}, reply: {json: {%[2]s}}, times: %[3]d}
- {match: {node: %[1]s/executor, contains: [You implement, You may change %[4]s now]}, reply: {json: {explanation: i, %[5]s}}}`,
		part, first, map[bool]int{false: 1, true: 2}[insists], foreign, both) + partReview(part)
}

// A part that needs a file of a part beside it waits for that part, and then changes the file.
func TestPlan_PartWaitsForAFileOfAnother(t *testing.T) {
	t.Parallel()
	for name, insists := range map[string]bool{"it says so": false, "it insists": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, parts := range [][]string{{"one: b", "two: c"}, {"two: c", "one: b"}} {
				e := planned(t, drawnPlan("planner", parts...)+needing("one", "b", "two", "c", "three, and one", insists)+doing("two", "c", "three")+reviewPass).given(2)
				result := e.run(t)
				require.Equal(t, event.Succeeded, result.State, result.Reason)
				require.NoError(t, e.script.Verify())
				require.Equal(t, "three, and one", texts(result)["c"])
				lends := e.lends()
				require.Equal(t, []event.FileNeeded{{Part: "one", Owner: "two", Path: "c", State: event.OwnerAwaited}, {Part: "one", Owner: "two", Path: "c", State: event.OwnerDone}}, lends)
				require.Contains(t, e.reports("review", "file")[0].Findings[0].Message, "part one changes this file, which the plan gives to two")
			}
		})
	}
}

// A part that changes a file of a part beside it is told to leave it alone; it does not wait for that part if it does so.
func TestPlan_PartIsToldOnceBeforeItWaits(t *testing.T) {
	t.Parallel()
	one := func(first, told, second string) string {
		return partTests("one", "b", "two") + fmt.Sprintf(`
- {match: {node: one/executor, contains: [You implement]}, reply: {json: {explanation: i, %s}}}
- {match: {node: one/executor, contains: [%q]}, reply: {json: {explanation: i, %s}}}`, first, told, second) + partReview("one")
	}
	for name, c := range map[string]struct {
		profile mode.Profile
		script  string
	}{
		"with a tool": {mode.ToolUse, one(`actions: [{tool: write_file, args: {path: c, content: mine}}]`,
			"nothing was changed: c belongs to the part two", `files: [{path: b, action: write, content: two}], done: true`)},
		"with a replacement": {mode.TestsFirst, one(`actions: [{tool: replace_all, args: {find: old, replace: new}}], files: [{path: b, action: write, content: two}]`,
			`replace_all old changes c:1: restrict it with "paths"`, `files: [{path: b, action: write, content: two}]`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			two := partTests("two", "c", "three") + `
- {match: {node: two/executor, contains: [You implement]}, reply: {json: {explanation: i, files: [{path: c, action: write, content: three}], done: true}}}` + partReview("two")
			e := planned(t, drawnPlan("planner", "one: b", "two: c")+c.script+two+reviewPass).given(1)
			e.withFiles(map[string]string{"c": "old"})
			e.task.Profile = c.profile
			result := e.run(t)
			require.Equal(t, event.Succeeded, result.State, result.Reason)
			require.NoError(t, e.script.Verify())
			require.Empty(t, e.lends())
		})
	}
}

// Parts that need a file of each other do not wait forever.
func TestPlan_PartsThatNeedAFileOfEachOtherGoOn(t *testing.T) {
	t.Parallel()
	one := partTests("one", "b", "two") + `
- {match: {node: one/executor, contains: [You implement]}, reply: {json: {explanation: i, files: [], patch: "", blocked: "c must be changed"}}}
- {match: {node: one/executor, contains: [You implement, "You may change c, although the part two will change it too"]}, reply: {json: {explanation: i, files: [{path: b, action: write, content: two}, {path: c, action: write, content: "three\n"}]}}}` + partReview("one")
	two := partTests("two", "c", "three") + `
- {match: {node: two/executor, contains: [You implement]}, reply: {json: {explanation: i, files: [], patch: "", blocked: "b must be changed"}}}
- {match: {node: two/executor, contains: [You implement, You may change b now]}, reply: {json: {explanation: i, files: [{path: b, action: write, content: two and more}, {path: c, action: write, content: "three\nfour\n"}]}}}` + partReview("two")
	whole := planned(t, drawnPlan("planner", "one: b", "two: c")+one+two+reviewPass).given(2)
	result := whole.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.NoError(t, whole.script.Verify())
	require.Equal(t, map[string]string{"b": "two and more", "b_test": "two", "c": "three\nfour\n", "c_test": "three"}, texts(result))
	p := playedWhole(t, func(t *testing.T) *episode {
		return planned(t, drawnPlan("planner", "one: b", "two: c")+one+two+reviewPass).given(2)
	})
	for n := 1; n <= p.steps; n += 3 * testkit.Step(3) {
		p.cutAt(t, n, n%2 == 0, order(2*n), order(2*n+1))
	}
}

// A part after another may change the files of that one, and one before it may, too.
func TestPlan_PartsInOrderMayChangeFilesOfEachOther(t *testing.T) {
	t.Parallel()
	both := func(part, file, text, foreign, with string) string {
		return partTests(part, file, text) + fmt.Sprintf(`
- {match: {node: %s/executor, contains: [You implement]}, reply: {json: {explanation: i, files: [{path: %s, action: write, content: %q}, {path: %s, action: write, content: %q}]}}}`, part, file, text, foreign, with) + partReview(part)
	}
	e := planned(t, drawnPlan("planner", "first: b", "second: c after first")+both("first", "b", "two", "c", "nothing yet")+both("second", "c", "three", "b", "two, and three")+reviewPass).given(2)
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.NoError(t, e.script.Verify())
	require.Equal(t, "two, and three", texts(result)["b"])
	require.Equal(t, []event.FileNeeded{{Part: "first", Owner: "second", Path: "c", State: event.OwnerLater}, {Part: "second", Owner: "first", Path: "b", State: event.OwnerDone}}, e.lends())
}

// A part that waits for a file of a part that gives up is missing as well, with that reason.
func TestPlan_FileOfAPartThatGivesUp(t *testing.T) {
	t.Parallel()
	e := planned(t, drawnPlan("planner", "one: b", "two: c", "three: d")+partTests("one", "b", "two")+`
- {match: {node: one/executor, contains: [You implement]}, reply: {json: {explanation: i, files: [], patch: "", blocked: "c must be changed"}}}`+
		givingUp("two", "c", "three")+doing("three", "d", "five")).given(2)
	result := e.run(t)
	require.NoError(t, e.script.Verify())
	require.Equal(t, []string{"one", "two"}, result.Missing)
	require.Contains(t, result.Unverified, "part one is missing: it needs c, and waits for two, whose file that is")
}

// late has the time of a part be over when its model is asked for the n-th time.
func (e *episode) late(node string, at int) {
	started := 0
	e.env.Watch = func(ctx context.Context, n graph.Node, timing work.Timing) (context.Context, func()) {
		ctx, end := context.WithCancelCause(ctx)
		if n.ID == node {
			if started++; started == at {
				end(errors.New("the part " + timing.Part + " has worked for 15m0s, which is its limit"))
			}
		}
		return ctx, func() { end(nil) }
	}
}

// A part whose time is over is blocked with that reason, the others go on, and a resumed run continues it where it was.
func TestPlan_PartThatTakesTooLongIsBlocked(t *testing.T) {
	t.Parallel()
	e := planned(t, drawnPlan("planner", "slow: b", "good: c")+doing("slow", "b", "two")+doing("good", "c", "three")+reviewPass).given(2)
	e.late("slow/review", 1)
	first := e.run(t)
	require.Equal(t, event.Blocked, first.State)
	require.Equal(t, "slow/review: the part slow has worked for 15m0s, which is its limit", first.Reason)
	require.Equal(t, []string{"slow"}, first.Missing)
	require.Equal(t, []string{"c", "c_test"}, sortedNames(first))
	e.env.Watch, e.env.Retries = nil, []work.Retry{first.Retry}
	again := e.again(t)
	require.Equal(t, event.Succeeded, again.State, again.Reason)
	require.NoError(t, e.script.Verify())
}
