package pipeline

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"forge/engine/event"
	"forge/engine/graph"
	"forge/engine/pipeline/work"
	"forge/internal/testkit"
)

// drawn works on one node at a time, and draws which of those that wait.
type drawn struct {
	waiting []func() graph.Finished
	draws   []int
}

// order returns pools that draw at random, the same for the same seed.
func order(seed int) func() graph.Pool {
	return func() graph.Pool {
		return &drawn{draws: rapid.SliceOfN(rapid.IntRange(0, 11), 100, 100).Example(seed)}
	}
}

func (d *drawn) Start(work func() graph.Finished) { d.waiting = append(d.waiting, work) }

func (d *drawn) Next() graph.Finished {
	at := d.draws[0] % len(d.waiting)
	work := d.waiting[at]
	d.draws = append(d.draws[1:], d.draws[0])
	d.waiting = append(d.waiting[:at:at], d.waiting[at+1:]...)
	return work()
}

// approvedPlan is a plan with parts side by side, which do not go together at first, and a part after them.
func approvedPlan(t *testing.T) *episode {
	t.Helper()
	e := planned(t, threeParts+partTwo+partThree+mendTier+partSum+reviewPass)
	e.check(together)
	e.task.Plan.Approved = true
	return e
}

// In whichever order parts are worked on, and cut off at any step, a plan comes to the same in any other order. Each step is cut at
// once: every other one before it is performed, the rest after.
func TestPlan_IsPlayedAgainFromAnywhereInAnyOrder(t *testing.T) {
	t.Parallel()
	p := playedWhole(t, approvedPlan)
	for n := 1; n <= p.steps; n += testkit.Step(3) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			p.cutAt(t, n, n%2 == 0, order(2*n), order(2*n+1))
		})
	}
}

// Side by side for real: no module reads what another writes. The race detector looks.
func TestPlan_ConcurrentPartsShareNoData(t *testing.T) {
	t.Parallel()
	parts, script := "", ""
	for i := range 6 {
		id, file, text := fmt.Sprint("p", i), fmt.Sprint("f", i), fmt.Sprint("text", i)
		parts += fmt.Sprintf("\n    {id: %s, title: t, objective: o, files: [%s, %s_test], dependsOn: [], verify: [v], doneWhen: d},", id, file, file)
		script += partTests(id, file, text) + partWork(id, file, "oops") + partWork(id, file, text) + partReview(id)
	}
	e := planned(t, "\n- {match: {node: planner}, reply: {json: {explanation: x, parts: ["+parts+"]}}}"+script+reviewPass, yes)
	e.env.Tasks, e.env.Writers, e.env.Steps = 6, 6, 100
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.NoError(t, e.script.Verify())
	require.Len(t, result.Changes.Files, 12)
}

// How far a part may go does not depend on how many others go back: each explorer has hops of its own.
func TestPlan_PartsTakeNoHopsFromEachOther(t *testing.T) {
	t.Parallel()
	e := planned(t, threeParts+
		partTests("two", "b", "two")+partWork("two", "b", "oops")+partWork("two", "b", "two")+partReview("two")+
		partTests("three", "c", "three")+partWork("three", "c", "oops")+partWork("three", "c", "three")+partReview("three")+partSum+reviewPass, yes)
	e.env.Hops = 1
	require.Equal(t, event.Succeeded, e.run(t).State)
	require.NoError(t, e.script.Verify())
}

// One part has used up its attempts and another's reviewer could not be read: a resumed run retries both.
func TestPlan_AllThatIsStuckIsTriedAgain(t *testing.T) {
	t.Parallel()
	wrong := partTests("two", "b", "two") + partWork("two", "b", "oops") + partWork("two", "b", "worse")
	unread := partTests("three", "c", "three") + partWork("three", "c", "three of it") + `
- {match: {node: three/review}, reply: {text: "LGTM"}, times: 2}`
	e := planned(t, threeParts+wrong+unread+`
- {match: {node: debugger}, reply: {json: {rootCause: r, hypotheses: [], fix: f, mustRead: [], strategy: spell it as the test does}}}
- {match: {node: debugger}, reply: {json: {rootCause: r, hypotheses: [], fix: f, mustRead: [], strategy: begin with an empty file}}}`+
		partWork("two", "b", "two at last")+partReview("two")+partReview("three")+partSum+reviewPass, yes)
	e.env.Attempts = 2
	first := e.run(t)
	require.Equal(t, event.Failed, first.State, first.Reason)
	require.True(t, first.Retry.UsedUp)
	require.Len(t, first.Retry.Stuck, 1, "what has no attempts left gets new ones")
	require.Equal(t, "three/review", first.Retry.Stuck[0].Node)

	e.env.Retries = []work.Retry{first.Retry}
	again := e.again(t)
	require.Equal(t, event.Succeeded, again.State, again.Reason)
	require.NoError(t, e.script.Verify())
	require.Equal(t, "two at last", texts(again)["b"])
}

// A role of a part that could not be asked is lost under the part's name, by which it is asked again.
func TestPlan_LostRoleOfAPartIsItsOwn(t *testing.T) {
	t.Parallel()
	e := planned(t, threeParts+partTests("two", "b", "two")+partWork("two", "b", "oops")+partThree+`
- {match: {node: two/debugger}, fault: {kind: quota}, times: -1}`, yes)
	e.env.Attempts = 2
	first := e.run(t)
	require.Equal(t, event.Blocked, first.State, first.Reason)
	var lost []string
	for _, place := range first.Retry.Stuck {
		lost = append(lost, place.Node)
	}
	require.Contains(t, lost, "two/debugger")
}

// A plan for which too little is left can be carried out when the user lets the run go on.
func TestPlan_TooLargeMayContinue(t *testing.T) {
	t.Parallel()
	e := planned(t, threeParts+partTwo+partThree+partSum+reviewPass, yes)
	e.env.Steps = 20
	first := e.run(t)
	require.Equal(t, event.Blocked, first.State)
	e.env.Retries = []work.Retry{first.Retry}
	again := e.again(t)
	require.Equal(t, event.Succeeded, again.State, again.Reason)
	require.NoError(t, e.script.Verify())
}

// However often parts fail and are tried again, a run has no more exchanges than the user lets it have, each time it is resumed.
func TestPlan_SharesHoldThroughRetries(t *testing.T) {
	t.Parallel()
	e := planned(t, threeParts+`
- {match: {node: executor, contains: [You write tests]}, reply: {json: {explanation: t, files: [], patch: "", blocked: ""}}, times: -1}
- {match: {node: debugger}, reply: {json: {rootCause: r, hypotheses: [], fix: f, mustRead: [], strategy: s}}, times: -1}`)
	e.task.Plan.Approved = true
	e.kit.Asker = event.DefaultAnswers
	e.env.Steps = 24
	result := e.run(t)
	for range 4 {
		require.NotEqual(t, event.Succeeded, result.State)
		require.Empty(t, result.Changes.Files, "parts that fail leave nothing behind")
		e.env.Retries = append(e.env.Retries, result.Retry)
		result = e.again(t)
	}
	asked := map[string]bool{}
	for _, r := range e.script.Requests() {
		asked[fmt.Sprint(r.Node, r.Attempt, r.SchemaName)] = true
	}
	require.LessOrEqual(t, len(asked), e.env.Steps*(1+len(e.env.Retries)))
}

// The last reviewer's findings are fixed in the whole, and judged again.
func TestPlan_LastReviewOfAPlanSendsBack(t *testing.T) {
	t.Parallel()
	e := planned(t, threeParts+partTwo+partThree+partSum+`
- {match: {node: review}, reply: {json: {pass: false, reason: c says too little, issues: []}}}
- {match: {node: executor, contains: [written separately, c says too little]}, reply: {json: {explanation: m, files: [{path: c, action: write, content: three of it and more}], patch: "", blocked: ""}}}`+reviewPass, yes)
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.NoError(t, e.script.Verify())
	require.Equal(t, "three of it and more", texts(result)["c"])
}
