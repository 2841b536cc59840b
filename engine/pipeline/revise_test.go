package pipeline

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/pipeline/work"
	"forge/internal/testkit"
)

// decided is a planner's answer about a plan that is being carried out.
func decided(node, decision, contains string, parts ...string) string {
	return fmt.Sprintf("\n- {match: {node: %s/planner, contains: [%q]}, reply: {json: {decision: %s, reason: so it is, parts: [%s]}}}", node, contains, decision, drawnParts(parts...))
}

// checked is a plan of four parts whose planner looks at it again after every two.
func checked(t *testing.T, script string, answers ...event.Answer) *episode {
	t.Helper()
	e := planned(t, drawnPlan("planner", "one: b", "two: c after one", "three: d after two", "four: f after three")+
		doing("one", "b", "two")+doing("two", "c", "three")+script, answers...)
	e.env.SanityEvery = 2
	return e
}

func TestSanity_PlanGoesOnOrIsRevised(t *testing.T) {
	t.Parallel()
	goesOn := decided("check-1", "CONTINUE", "two: done\nthree: remains") + doing("three", "d", "five") + doing("four", "f", "six") + reviewPass
	e := checked(t, goesOn).given(2)
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.NoError(t, e.script.Verify())
	require.Len(t, result.Changes.Files, 8)

	revised := decided("check-1", "REVISE", "two: done", "other: h after one, last", "last: g after two") + doing("last", "g", "five") + doing("other", "h", "six") + reviewPass
	p := playedWhole(t, func(t *testing.T) *episode { return checked(t, revised).given(2) })
	require.Len(t, p.want.Changes.Files, 8)
	require.Equal(t, "six", texts(p.want)["h"])
	for n := 1; n <= p.steps; n += 3 * testkit.Step(3) {
		p.cutAt(t, n, n%2 == 0, order(2*n), order(2*n+1))
	}
}

func TestSanity_UserDecidesOnARevision(t *testing.T) {
	t.Parallel()
	revised := decided("check-1", "REVISE", "two: done", "last: g after two")
	e := checked(t, revised+doing("last", "g", "five")+reviewPass, yes, yes)
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.Contains(t, e.asked()[1].Title, "Carry on with this revised plan? 1 part in place of 2 parts")
	require.Len(t, result.Changes.Files, 6)

	e = checked(t, revised+doing("three", "d", "five")+doing("four", "f", "six")+reviewPass, yes, event.Answer{Choice: "reject"})
	result = e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.NoError(t, e.script.Verify())
	require.Len(t, result.Changes.Files, 8, "a revision that the user rejects leaves the plan as it is")

	otherwise := decided("check-1", "REVISE", "h, please", "final: h after two")
	e = checked(t, revised+otherwise+doing("final", "h", "five")+reviewPass, yes, event.Answer{Choice: "reject", Text: "h, please"}, yes)
	result = e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.NoError(t, e.script.Verify())
	require.Equal(t, "five", texts(result)["h"], "what the user asks for instead is in the next revision")
}

// A plan that its planner ends leaves what is done; who resumes the run goes on with it.
func TestSanity_PlanIsEndedByItsPlanner(t *testing.T) {
	t.Parallel()
	e := checked(t, decided("check-1", "ABORT", "two: done")+doing("three", "d", "five")+doing("four", "f", "six")+reviewPass).given(2)
	first := e.run(t)
	require.Equal(t, event.Blocked, first.State)
	require.Equal(t, "check-1/planner: the planner ends the plan here: so it is", first.Reason)
	require.Equal(t, []string{"three", "four"}, first.Missing)
	require.Len(t, first.Changes.Files, 4)
	e.env.Retries = []work.Retry{first.Retry}
	again := e.again(t)
	require.Equal(t, "check-1/planner", first.Retry.Stuck[0].Node)
	require.Equal(t, event.Succeeded, again.State, again.Reason)
	require.NoError(t, e.script.Verify())
	require.Len(t, again.Changes.Files, 8)
}

// Parts that fail before the planner looks at the plan do not keep back later ones that need none of them.
func TestSanity_PartThatGivesUpKeepsBackNoLaterPart(t *testing.T) {
	t.Parallel()
	e := planned(t, drawnPlan("planner", "bad: b", "good: c", "three: d after good", "four: f after bad")+
		givingUp("bad", "b", "two")+doing("good", "c", "three")+decided("check-1", "CONTINUE", "bad: not done: gave up after 2 attempts")+doing("three", "d", "five")).given(2)
	e.env.SanityEvery = 2
	result := e.run(t)
	require.NoError(t, e.script.Verify())
	require.Equal(t, []string{"bad", "four"}, result.Missing)
	require.Len(t, result.Changes.Files, 4)
}

// stone is a part whose model says that it cannot be done.
func stone(part, file string) string {
	return partTests(part, file, "two") + fmt.Sprintf(`
- {match: {node: %s/executor, contains: [You implement]}, reply: {json: {explanation: i, files: [], patch: "", blocked: it cannot be done so}}}`, part)
}

// A part that cannot be done is replaced with those that wait for it; all others stay as they are.
func TestRevise_BlockedPartIsReplaced(t *testing.T) {
	t.Parallel()
	script := drawnPlan("planner", "base: b", "wall: c after base", "roof: d after wall", "yard: f after base") +
		doing("base", "b", "two") + stone("wall", "c") + doing("yard", "f", "six") +
		decided("wall", "REVISE", "it cannot be done so", "post: g after base", "tent: h after post") +
		doing("post", "g", "seven") + doing("tent", "h", "eight") + reviewPass
	p := playedWhole(t, func(t *testing.T) *episode { return planned(t, script).given(2) })
	require.Equal(t, []string{"b", "b_test", "f", "f_test", "g", "g_test", "h", "h_test"}, sortedNames(p.want))
	for n := 1; n <= p.steps; n += 3 * testkit.Step(3) {
		p.cutAt(t, n, n%2 == 0, order(2*n), order(2*n+1))
	}
}

func sortedNames(r Result) (names []string) {
	for _, f := range r.Changes.Files {
		names = append(names, f.Path)
	}
	return names
}

// A part that gave up beside the one that was replaced is tried again when the run is resumed, and nothing else is.
func TestRevise_ResumeKeepsTheRevision(t *testing.T) {
	t.Parallel()
	e := planned(t, drawnPlan("planner", "bad: b", "wall: c", "roof: d after wall")+
		givingUp("bad", "b", "two")+stone("wall", "c")+
		decided("wall", "REVISE", "it cannot be done so", "post: g")+doing("post", "g", "seven")+`
- {match: {node: debugger}, reply: {json: {rootCause: r, hypotheses: [], fix: f, mustRead: [], strategy: begin with an empty file}}}`+
		partWork("bad", "b", "two")+partReview("bad")+reviewPass).given(2)
	first := e.run(t)
	require.Equal(t, []string{"bad"}, first.Missing, first.Reason)
	require.Len(t, first.Changes.Files, 2)
	e.env.Retries = []work.Retry{first.Retry}
	again := e.again(t)
	require.Equal(t, event.Succeeded, again.State, again.Reason)
	require.NoError(t, e.script.Verify())
	require.Equal(t, []string{"b", "b_test", "g", "g_test"}, sortedNames(again))
}

// A revision that names a part that was begun goes back to the planner.
func TestRevise_NamesOfPartsAreNotUsedTwice(t *testing.T) {
	t.Parallel()
	e := planned(t, drawnPlan("planner", "base: b", "wall: c after base")+doing("base", "b", "two")+stone("wall", "c")+
		decided("wall", "REVISE", "it cannot be done so", "base: g")+decided("wall", "REVISE", "a part of this name was begun already", "post: g after base")+
		doing("post", "g", "seven")+reviewPass).given(2)
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.NoError(t, e.script.Verify())
	require.True(t, strings.HasPrefix(texts(result)["g"], "seven"))
}
