package pipeline

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/internal/testkit"
)

// cutScript is a plan of two parts side by side and one that waits for both, of which the first is cut into two pieces.
var cutScript = `
- {match: {node: planner}, reply: {json: {explanation: x, parts: [
    {id: both, title: b and d, objective: b has two and d has five, files: [b, b_test, d, d_test], dependsOn: [], verify: [they have it], doneWhen: both have it},
    {id: three, title: put three into c, objective: c has the text three, files: [c, c_test], dependsOn: [], verify: [c has it], doneWhen: c has three},
    {id: end, title: put six into e, objective: e has the text six, files: [e, e_test], dependsOn: [both, three], verify: [e has it], doneWhen: e has six}]}}}
- {match: {node: both/executor, contains: [You write tests]}, reply: {json: {explanation: "", blocked: "too large: two files"}}}` +
	partTests("three", "c", "three") + partWork("three", "c", "three of it") + partReview("three") + `
- {match: {node: both/planner}, reply: {json: {pieces: [
    {id: b, title: put two into b, objective: b has the text two, files: [b, b_test]}, {id: d, title: put five into d, objective: d has the text five, files: [d, d_test]}]}}}` +
	partTests("both.b", "b", "two") + partWork("both.b", "b", "one two") + partReview("both.b") +
	partTests("both.d", "d", "five") + partWork("both.d", "d", "five of it") + partReview("both.d") +
	partTests("end", "e", "six") + partWork("end", "e", "six of it") + partReview("end") + reviewPass

func cutPlan(t *testing.T) *episode {
	t.Helper()
	e := planned(t, cutScript)
	e.task.Plan.Approved = true
	return e
}

// A part that was cut is played again like any other, wherever the run is cut off and in whichever order its nodes are worked on.
func TestPlanCut_IsPlayedAgainFromAnywhereInAnyOrder(t *testing.T) {
	t.Parallel()
	p := playedWhole(t, cutPlan)
	for n := 1; n <= p.steps; n += 3 * testkit.Step(3) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			p.cutAt(t, n, n%2 == 0, order(2*n), order(2*n+1))
		})
	}
}

// Limited exchanges are shared: the pieces and their join have what is left to the part, and a part with too few for that is not cut.
func TestPlanCut_SharesTheExchangesOfItsPart(t *testing.T) {
	t.Parallel()
	e := cutPlan(t)
	e.env.Steps = 100
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.Contains(t, texts(result)["d"], "five")

	poor := cutPlan(t)
	poor.env.Steps = 50
	require.Equal(t, event.Blocked, poor.run(t).State)
	require.Empty(t, poor.prompts("both/planner"), "the model must do all of the part")
	require.NotContains(t, poor.prompts("both/executor")[0], "too large:")
}
