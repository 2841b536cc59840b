package pipeline

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/gate"
)

// Three parts in the language of testGate: b and c side by side, then d.
const (
	threeParts = `
- {match: {node: planner}, reply: {json: {explanation: It is two things and their use., parts: [
    {id: two, title: put two into b, objective: b has the text two, files: [b, b_test], dependsOn: [], verify: [b has it], doneWhen: b has two},
    {id: three, title: put three into c, objective: c has the text three, files: [c, c_test], dependsOn: [], verify: [c has it], doneWhen: c has three},
    {id: sum, title: put five into d, objective: d has the text five, files: [d, d_test], dependsOn: [two, three], verify: [d has it], doneWhen: d has five}]}}}`
)

var (
	partTwo   = partTests("two", "b", "two") + partWork("two", "b", "one two") + partReview("two")
	partThree = partTests("three", "c", "three") + partWork("three", "c", "three of it") + partReview("three")
	partSum   = partTests("sum", "d", "five") + partWork("sum", "d", "five of it") + partReview("sum")
)

func partTests(part, file, text string) string {
	return fmt.Sprintf(`
- {match: {node: %s/executor, contains: [You write tests]}, reply: {json: {explanation: t, files: [{path: %s_test, action: create, content: %q}], patch: "", blocked: ""}}}`, part, file, text)
}

func partWork(part, file, text string) string {
	return fmt.Sprintf(`
- {match: {node: %s/executor, contains: [You implement]}, reply: {json: {explanation: i, files: [{path: %s, action: write, content: %q}], patch: "", blocked: ""}}}`, part, file, text)
}

func partReview(part string) string {
	return fmt.Sprintf(`
- {match: {node: %s/review, contains: [agreement with other parts]}, reply: {json: {pass: true, reason: good, issues: []}}}`, part)
}

// planned is an episode whose task is cut into parts. What the user is asked is answered so.
func planned(t *testing.T, script string, answers ...event.Answer) *episode {
	t.Helper()
	e := newEpisode(t, decideExecutor+script)
	e.task.Plan.Wanted = true
	e.kit.Asker = &answering{answers: answers}
	return e
}

// answering gives answers in their order.
type answering struct {
	answers []event.Answer
	asked   []event.Question
}

func (a *answering) Ask(_ context.Context, q event.Question) (event.Answer, error) {
	a.asked = append(a.asked, q)
	if len(a.answers) == 0 {
		return event.Answer{}, event.ErrNoAnswer
	}
	answer := a.answers[0]
	a.answers = a.answers[1:]
	return answer, nil
}

func (e *episode) asked() []event.Question { return e.kit.Asker.(*answering).asked }

var yes = event.Answer{Choice: "approve"}

// reports are what a gate said in a node, in order.
func (e *episode) reports(node, name string) (all []gate.Report) {
	for _, ev := range e.log.Since(0) {
		if done, ok := ev.Data.(event.GateFinished); ok && done.Node == node && done.Report.Gate == name {
			all = append(all, done.Report)
		}
	}
	return all
}

func texts(r Result) map[string]string {
	all := map[string]string{}
	for _, f := range r.Changes.Files {
		all[f.Path] = f.After
	}
	return all
}

func TestPlan_IsCarriedOut(t *testing.T) {
	t.Parallel()
	e := planned(t, threeParts+partTwo+partThree+partSum+reviewPass, yes)
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.NoError(t, e.script.Verify())
	require.Equal(t, map[string]string{
		"b": "one two", "b_test": "two", "c": "three of it", "c_test": "three", "d": "five of it", "d_test": "five",
	}, texts(result))
	require.Equal(t, "part two: i\npart three: i\npart sum: i", result.Explanation)
	for _, node := range []string{"planner", "two/review", "three/review", "join-1/review", "sum/review", "review"} {
		require.Equal(t, "DONE", e.status(node), node)
	}

	require.Len(t, e.asked(), 1)
	require.Contains(t, e.asked()[0].Title, "3 parts in 2 tiers")
	require.Contains(t, e.asked()[0].Detail, "| 2 | sum | put five into d | d, d_test | two, three |")

	own := e.prompts("three/review")[0]
	require.Contains(t, own, "three of it")
	require.NotContains(t, own, "one two", "a part's reviewer judges the part")
	require.Contains(t, e.prompts("review")[0], "one two", "the last one judges all of it")
	require.Contains(t, e.prompts("sum/executor")[0], "three of it", "a part sees what those before it have made")
	require.NotContains(t, e.prompts("three/executor")[0], "one two")
	require.Contains(t, e.prompts("three/executor")[0], "Not yours: two (b, b_test)")

	require.Len(t, e.reports("join-1/review", "test"), 1, "gates judge a tier before the next one begins")
	integration := e.reports("join-1/review", "integration")
	require.Equal(t, gate.Pass, integration[0].Verdict)
	require.Equal(t, "two, three hold together", integration[0].Summary)
	require.Equal(t, gate.Pass, e.reports("review", "integration")[0].Verdict)
}

// together is a gate that parts fail only once they are put together: c must name b's text when b has one.
var together = gateFunc{"together", func(files map[string]string) gate.Report {
	r := gate.Report{Verdict: gate.Pass, Executed: 1, Passed: 1, Summary: "fits"}
	if files["b"] != "" && files["c"] != "" && !strings.Contains(files["c"], "after two") {
		r.Verdict, r.Passed, r.Summary = gate.Fail, 0, "does not fit"
		r.Findings = []gate.Finding{{Path: "c", Line: 1, Severity: gate.SeverityError, Message: "c does not know of b"}}
	}
	return r
}}

const mendTier = `
- {match: {node: join-1/executor, contains: [written separately, c does not know of b]}, reply: {json: {explanation: m, files: [{path: c, action: write, content: three of it after two}], patch: "", blocked: ""}}}`

func TestPlan_JoinFixesATierBeforeTheNext(t *testing.T) {
	t.Parallel()
	e := planned(t, threeParts+partTwo+partThree+mendTier+partSum+reviewPass, yes)
	e.check(together)
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.NoError(t, e.script.Verify())
	require.Equal(t, "three of it after two", texts(result)["c"])
	integration := e.reports("join-1/review", "integration")
	require.Len(t, integration, 2)
	require.Equal(t, gate.Fail, integration[0].Verdict)
	require.Equal(t, "two, three do not hold together: 1 finding that no part has alone", integration[0].Summary)
	require.Equal(t, gate.Pass, integration[1].Verdict)
	require.Contains(t, e.prompts("sum/executor")[0], "after two", "the next tier begins with the fix")
}

// namingGate is testGate with the names of the tests that pass.
var namingGate = gateFunc{"test", func(files map[string]string) gate.Report {
	r := testGate.run(files)
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if subject, isTest := strings.CutSuffix(path, "_test"); isTest && strings.Contains(files[subject], files[path]) {
			r.PassedTests = append(r.PassedTests, path)
		}
	}
	return r
}}

// faulty finds fault with a test of a part, once it is beside that of another.
var faulty = gateFunc{"style", func(files map[string]string) gate.Report {
	r := gate.Report{Verdict: gate.Pass, Executed: 1, Passed: 1, Summary: "fine"}
	if files["b_test"] == "two" && files["c_test"] == "three" {
		r.Verdict, r.Passed, r.Summary = gate.Fail, 0, "b_test is like c_test"
		r.Findings = []gate.Finding{{Path: "b_test", Line: 1, Severity: gate.SeverityError, Message: "b_test is like c_test"}}
	}
	return r
}}

// If the fault is in a part's test, the joining node may change it, but not so that it checks nothing.
func TestPlan_FixedTestsAreSeenRedAgain(t *testing.T) {
	t.Parallel()
	mend := func(text string) string {
		return fmt.Sprintf(`
- {match: {node: join-1/executor}, reply: {json: {explanation: m, files: [{path: b_test, action: write, content: %q}], patch: "", blocked: ""}}}`, text)
	}
	e := planned(t, threeParts+partTwo+partThree+mend("")+mend("wo")+partSum+reviewPass+`
- {match: {node: debugger}, reply: {json: {rootCause: r, hypotheses: [], fix: f, mustRead: [], strategy: s}}}`, yes)
	e.check(faulty)
	e.kit.Gate = func(name string) gate.Gate { return map[string]gate.Gate{"style": faulty, "test": namingGate}[name] }
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.Equal(t, "wo", texts(result)["b_test"])
	red := e.reports("join-1/executor", "red")
	require.Len(t, red, 2)
	require.Equal(t, gate.Fail, red[0].Verdict)
	require.Equal(t, "b_test passes without what two is for: it was made to ask for less", red[0].Summary)
	require.Equal(t, gate.Pass, red[1].Verdict)
}

// A suite that could not run proves nothing: tests that are changed and cannot be seen red again are no pass.
func TestPlan_TestsThatCannotBeSeenRedAgain(t *testing.T) {
	t.Parallel()
	broken := gateFunc{"test", func(files map[string]string) gate.Report {
		if files["b_test"] != "" && files["b"] == "" && files["c"] != "" {
			return gate.Report{Verdict: gate.Error, Summary: "no compiler"}
		}
		return namingGate.run(files)
	}}
	nameless := gateFunc{"test", func(files map[string]string) gate.Report {
		r := testGate.run(files)
		r.Tests = true
		return r
	}}
	for name, c := range map[string]struct {
		gate       gate.Gate
		text, says string
	}{
		"the gate breaks":     {broken, "wo", "the tests of two were changed, and could not be run without what it is for: no compiler"},
		"tests have no names": {nameless, "", "the tests of two were changed, and all tests pass without what it is for"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := planned(t, threeParts+partTwo+partThree+fmt.Sprintf(`
- {match: {node: join-1/executor}, reply: {json: {explanation: m, files: [{path: b_test, action: write, content: %q}], patch: "", blocked: ""}}, times: -1}
- {match: {node: debugger}, reply: {json: {rootCause: r, hypotheses: [], fix: f, mustRead: [], strategy: s}}, times: -1}`, c.text), yes)
			e.check(faulty)
			e.kit.Gate = func(name string) gate.Gate { return map[string]gate.Gate{"style": faulty, "test": c.gate}[name] }
			result := e.run(t)
			require.Contains(t, []event.State{event.Blocked, event.Failed}, result.State)
			red := e.reports("join-1/executor", "red")
			require.NotEmpty(t, red)
			require.Equal(t, gate.Fail, red[0].Verdict)
			require.Equal(t, c.says, red[0].Summary)
		})
	}
}

// A part that cannot be done ends the run, with its reason; the others go on first.
func TestPlan_PartThatCannotBeDone(t *testing.T) {
	t.Parallel()
	wrong := partTests("two", "b", "two") + `
- {match: {node: two/executor, contains: [You implement]}, reply: {json: {explanation: i, files: [], patch: "", blocked: b is carved in stone}}}`
	stays := `
- {match: {node: two/planner, contains: [b is carved in stone, "three: done", "sum: remains"]}, reply: {json: {decision: CONTINUE, reason: Nothing else helps.}}}`
	e := planned(t, threeParts+wrong+partThree+stays, yes)
	result := e.run(t)
	require.Equal(t, event.Blocked, result.State)
	require.Contains(t, result.Reason, "two/executor: the model says that it cannot do the work: b is carved in stone")
	require.Equal(t, "DONE", e.status("three/review"), "another branch goes on")
	require.Empty(t, e.status("sum/explore"), "what waits for it does not")
	require.NotEmpty(t, result.Unverified)
	require.Equal(t, "part three: i", result.Explanation)
	require.NoError(t, e.script.Verify())
}

func TestPlan_PartLeavesFilesOfAnotherAlone(t *testing.T) {
	t.Parallel()
	e := planned(t, threeParts+partTests("two", "b", "two")+partWork("two", "c", "one two")+partWork("two", "b", "one two")+partReview("two")+
		partThree+partSum+reviewPass, yes)
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.Contains(t, strings.Join(e.prompts("two/executor"), "\n"), "c belongs to the part three of the plan")
}

// A file that the planner forgot goes to the part that changes it, and the report of the joined parts names it.
func TestPlan_PartTakesAFileThatThePlanForgot(t *testing.T) {
	t.Parallel()
	both := `
- {match: {node: two/executor, contains: [You implement]}, reply: {json: {explanation: i, files: [{path: b, action: write, content: one two}, {path: a, action: write, content: one of two}], patch: "", blocked: ""}}}`
	e := planned(t, threeParts+partTests("two", "b", "two")+both+partReview("two")+partThree+partSum+reviewPass, yes)
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.Equal(t, "one of two", texts(result)["a"])
	var said []gate.Finding
	for _, r := range e.reports("join-1/review", "file") {
		said = append(said, r.Findings...)
	}
	require.Contains(t, said, gate.Finding{Path: "a", Line: 1, Severity: gate.SeverityInfo, Rule: "file", Message: "part two changes this file, which the plan gives to no part"})
}

// Parts that create the same file are joined if it has the same text or can be merged; else the joining node sees both.
func TestPlan_PartsThatClash(t *testing.T) {
	t.Parallel()
	both := func(part, file, text, shared string) string {
		return partTests(part, file, text) + fmt.Sprintf(`
- {match: {node: %s/executor, contains: [You implement]}, reply: {json: {explanation: i, files: [{path: %s, action: write, content: %s}, {path: util, action: create, content: %q}], patch: "", blocked: ""}}}`,
			part, file, text, shared) + partReview(part)
	}
	bring := `
- {match: {node: join-1/executor, contains: [What another part made of util, theirs]}, reply: {json: {explanation: m, files: [{path: util, action: write, content: ours and theirs}], patch: "", blocked: ""}}}`
	for name, test := range map[string]struct{ three, join, want string }{
		"the same":   {"ours\n", "", "ours\n"},
		"they clash": {"theirs\n", bring, "ours and theirs\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := planned(t, threeParts+both("two", "b", "two", "ours\n")+both("three", "c", "three", test.three)+test.join+partSum+reviewPass, yes)
			result := e.run(t)
			require.Equal(t, event.Succeeded, result.State, result.Reason)
			require.NoError(t, e.script.Verify())
			require.Equal(t, test.want, texts(result)["util"])
		})
	}
}

func TestPlan_UserDecides(t *testing.T) {
	t.Parallel()
	onePart := `
- {match: {node: planner, contains: [one part is enough]}, reply: {json: {explanation: It is one thing., parts: [
    {id: all, title: put two into b, objective: b has two, files: [b, b_test], dependsOn: [], verify: [b has it], doneWhen: b has two}]}}}`
	e := planned(t, threeParts+onePart+writeTests+writeRight+reviewPass, event.Answer{Choice: "reject", Text: "one part is enough"}, yes)
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.NoError(t, e.script.Verify())
	require.Equal(t, "DONE", e.status("executor"), "a plan of one part is the task itself")
	require.Contains(t, e.prompts("planner")[1], "put three into c", "it is shown what it said before")

	e = planned(t, threeParts, event.Answer{Choice: "reject"})
	result = e.run(t)
	require.Equal(t, event.Cancelled, result.State)
	require.Equal(t, "the plan was not approved, so nothing was changed", result.Reason)

	e = planned(t, threeParts)
	require.Equal(t, event.Blocked, e.run(t).State, "no answer is no consent")
	require.Empty(t, e.prompts("two/executor"))
}

func TestPlan_FaultGoesBackToThePlanner(t *testing.T) {
	t.Parallel()
	circle := `
- {match: {node: planner}, reply: {json: {explanation: x, parts: [
    {id: a, title: t, objective: o, files: [../x], dependsOn: [b], verify: [v], doneWhen: d},
    {id: b, title: t, objective: o, files: [b], dependsOn: [a], verify: [v], doneWhen: d}]}}}`
	e := planned(t, circle+threeParts+partTwo+partThree+partSum+reviewPass, yes)
	require.Equal(t, event.Succeeded, e.run(t).State)
	told := e.prompts("planner")[1]
	require.Contains(t, told, "parts wait for each other: a → b → a")
	require.Contains(t, told, "../x")

	e = planned(t, strings.Repeat(circle, 3))
	result := e.run(t)
	require.Equal(t, event.Blocked, result.State)
	require.Contains(t, result.Reason, "planner: the question was not answered")
	require.Contains(t, e.asked()[0].Title, "Degraded: the whole task as one part")
}

// A planner that gives no plan is no reason to do nothing: the task is one part, and the user is told.
func TestPlan_TaskIsOnePartWithoutAUsablePlan(t *testing.T) {
	t.Parallel()
	prose := `
- {match: {node: planner}, reply: {text: "First I would look around."}}`
	e := planned(t, strings.Repeat(prose, 2)+writeTests+writeRight+reviewPass, yes)
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.NoError(t, e.script.Verify())
	require.Len(t, e.asked(), 1)
	require.Contains(t, e.asked()[0].Title, "Carry out this plan? Degraded: the whole task as one part")
	require.Contains(t, e.asked()[0].Detail, "the model gave no usable plan")
	var told event.Planned
	for _, ev := range e.log.Since(0) {
		if p, is := ev.Data.(event.Planned); is {
			told = p
		}
	}
	require.Contains(t, told.Degraded, "the model gave no usable plan")
	require.Len(t, told.Parts, 1)
}

// The run's exchanges are divided, so that no part's share depends on how fast another is.
func TestPlan_ExchangesAreDivided(t *testing.T) {
	t.Parallel()
	e := planned(t, threeParts, yes)
	e.env.Steps = 20
	result := e.run(t)
	require.Equal(t, event.Blocked, result.State)
	require.Contains(t, result.Reason, "planner: the plan has 3 parts, and only 18 exchanges with models are left for them (limits.steps is 20)")

	e = planned(t, threeParts+partTests("two", "b", "two")+strings.Repeat(partWork("two", "b", "oops"), 9)+partThree, yes)
	e.env.Steps = 2 + 6*4
	result = e.run(t)
	require.Equal(t, event.Blocked, result.State)
	require.Equal(t, "DONE", e.status("three/review"))
}

func TestPlan_SubTasksAreWorkedOnSideBySide(t *testing.T) {
	t.Parallel()
	fan := `
- {match: {node: planner}, reply: {json: {explanation: x, parts: [
    {id: all, title: both, objective: both, files: [b, b_test, c, c_test], dependsOn: [], verify: [v], doneWhen: d, subTasks: [
      {id: two, title: put two into b, objective: b has two, files: [b, b_test]}, {id: three, title: put three into c, objective: c has three, files: [c, c_test]}]}]}}}`
	pieces := strings.NewReplacer("node: two/", "node: all.two/", "node: three/", "node: all.three/").Replace(partTwo + partThree)
	e := planned(t, fan+pieces+reviewPass, yes)
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.NoError(t, e.script.Verify())
	require.Equal(t, []string{"b", "b_test", "c", "c_test"}, slices.Sorted(maps.Keys(texts(result))))

	e = planned(t, fan+partTests("executor", "b", "two"), yes)
	e.task.Plan.Inline = true
	e.run(t)
	require.Empty(t, e.status("all.two/executor"), "the user can switch it off")
	require.Equal(t, "RUNNING", firstStatus(e, "executor"))
}

// firstStatus is the first status that a node receives.
func firstStatus(e *episode, node string) string {
	for _, ev := range e.log.Since(0) {
		if changed, ok := ev.Data.(event.NodeChanged); ok && changed.Node.ID == node {
			return changed.Node.Status.String()
		}
	}
	return ""
}
