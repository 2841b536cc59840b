package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
	"forge/internal/testkit"
)

// planOfFour is a plan of which one part is wrong: two begin at once, and two wait for one each.
const planOfFour = `
- match: {node: planner}
  reply: {json: {explanation: Four operations., parts: [
    {id: add, title: add Add, objective: "func Add(a, b int) int", files: [add.go, add_test.go], dependsOn: [], verify: [Add adds], doneWhen: Add is there},
    {id: mul, title: add Mul, objective: "func Mul(a, b int) int", files: [mul.go, mul_test.go], dependsOn: [], verify: [Mul multiplies], doneWhen: Mul is there},
    {id: sub, title: add Sub, objective: "func Sub(a, b int) int", files: [sub.go, sub_test.go], dependsOn: [mul], verify: [Sub subtracts], doneWhen: Sub is there},
    {id: neg, title: add Neg, objective: "func Neg(a, b int) int", files: [neg.go, neg_test.go], dependsOn: [add], verify: [Neg], doneWhen: Neg is there}]}}`

// operation is what the models of a part say that adds a function to package sum: its tests, code for each attempt, a review if it passes.
func operation(id, name string, want int, passes bool, code ...string) string {
	var text strings.Builder
	fmt.Fprintf(&text, `
- match: {node: %s/executor, contains: [You write tests]}
  reply: {json: {explanation: t, files: [{path: %[1]s_test.go, action: create, content: "package sum\n\nimport \"testing\"\n\nfunc Test%[2]s(t *testing.T) {\n\tif got := %[2]s(2, 3); got != %[3]d {\n\t\tt.Fatal(got)\n\t}\n}\n"}]}}`, id, name, want)
	for _, c := range code {
		text.WriteString(implementing(id, name, c))
	}
	if passes {
		fmt.Fprintf(&text, `
- match: {node: %s/review}
  reply: {json: {pass: true, reason: fine, issues: []}}`, id)
	}
	return text.String()
}

func implementing(id, name, code string) string {
	return fmt.Sprintf(`
- match: {node: %[1]s/executor, contains: [You implement]}
  reply: {json: {explanation: i, files: [{path: %[1]s.go, action: write, content: "package sum\n\n// %[2]s is an operation.\nfunc %[2]s(a, b int) int { return %[3]s }\n"}]}}`, id, name, code)
}

func debugged(strategy string) string {
	return fmt.Sprintf(`
- match: {node: debugger}
  reply: {json: {rootCause: r, hypotheses: [], fix: f, mustRead: [], strategy: %s}}`, strategy)
}

// A part that gives up keeps back what depends on it, and nothing else: the others are joined, checked and offered, and a resumed run
// completes them.
func TestPlanRun_OffersWhatHolds(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+planOfFour+operation("add", "Add", 5, false, "a - b", "a * b")+debugged("think")+
		operation("mul", "Mul", 6, true, "a * b")+operation("sub", "Sub", -1, true, "a - b")+
		debugged("count")+implementing("add", "Add", "a + b")+`
- match: {node: add/review}
  reply: {json: {pass: true, reason: fine, issues: []}}`+operation("neg", "Neg", -5, true, "-Add(a, b)")+reviewPass, sumModule())
	before := fingerprint(t, w.root)
	code, stdout, stderr := w.run("run", "--yes", "--trust", "--max-attempts", "2", "--plan", "add four operations")
	require.Equal(t, 3, code, stdout+stderr)
	require.Equal(t, before, fingerprint(t, w.root), "--yes alone takes no part of what was asked for")
	require.Contains(t, stderr, "[forge] not complete: this change is a part of what you asked for:\n        2 parts are missing; the others were joined and checked together\n"+
		"        part add is missing: gave up after 2 attempts:")
	require.Contains(t, stderr, "\n        part neg is missing: it waits for add\n")
	require.Contains(t, stdout, "+func Sub(a, b int) int", "it depends on mul alone")
	require.NotContains(t, stdout, "func Add")
	readsWell(t, stderr)
	run := asked[api.RunsResult](w, "runs").Runs[0]
	require.Equal(t, "blocked", run.State)

	code, stdout, stderr = w.run("resume", "--yes", run.RunID)
	require.Zero(t, code, stdout+stderr)
	w.played() // each answer was asked for once
	for _, name := range []string{"add.go", "mul.go", "sub.go", "neg.go"} {
		require.NotEmpty(t, w.read(name), name)
	}
}

// The partial result can be taken, and the run completed on it afterwards.
func TestPlanRun_PartialResultCanBeTaken(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+planOfFour+operation("add", "Add", 5, false, "a - b", "a * b")+debugged("think")+
		operation("mul", "Mul", 6, true, "a * b")+operation("sub", "Sub", -1, true, "a - b"), sumModule())
	code, stdout, stderr := w.run("run", "--yes", "--trust", "--max-attempts", "2", "--allow-unverified", "--json", "--plan", "add four operations")
	require.Zero(t, code, stdout+stderr)
	last := endedWith(t, stdout)
	require.Equal(t, "blocked", last.State)
	require.Len(t, last.Files, 4)
	require.Contains(t, stdout, `"missing":["add","neg"]`)
	require.NotEmpty(t, w.read("sub.go"))
	require.Empty(t, w.read("add.go"))
	w.played()
}

// A part that needs a file of a part beside it waits for that part, and gets it; the log says so.
func TestPlanRun_LendsAFileOfAnotherPart(t *testing.T) {
	t.Parallel()
	two := strings.Replace(planOfFour, `,
    {id: sub`, `]}}
# {id: sub`, 1)
	two = two[:strings.Index(two, "# {id: sub")]
	forgotten := `
- match: {node: add/executor, contains: [You implement]}
  reply: {json: {explanation: i, files: [], patch: "", blocked: "mul.go must have a helper Twice, which Add needs"}}
- match: {node: add/executor, contains: [You implement, "You may change mul.go now: the part mul is done"]}
  reply: {json: {explanation: i, files: [{path: add.go, action: create, content: "package sum\n\n// Add adds.\nfunc Add(a, b int) int { return a + b + Twice(0) }\n"}],
    edits: [{path: mul.go, search: "// Mul is an operation.", replace: "// Twice doubles.\nfunc Twice(n int) int { return n + n }\n\n// Mul is an operation."}]}}
- match: {node: add/review}
  reply: {json: {pass: true, reason: fine, issues: []}}`
	w := scripted(t, decideExecutor+two+operation("add", "Add", 5, false)+forgotten+operation("mul", "Mul", 6, true, "a * b")+reviewPass, sumModule())
	code, stdout, stderr := w.run("run", "--yes", "--trust", "--plan", "add two operations")
	require.Zero(t, code, stdout+stderr)
	w.played()
	require.Contains(t, stderr, "add needs mul.go, a file of mul, and waits until that part is done")
	require.Contains(t, stderr, "add needs mul.go, a file of mul, and may change it: that part is done")
	require.Contains(t, w.read("mul.go"), "func Twice")
	readsWell(t, stderr)
}

// The planner looks at its plan again after as many parts as the user says, and may replace what remains.
func TestPlanRun_LooksAtThePlanAgain(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+planOfFour+operation("add", "Add", 5, true, "a + b")+operation("mul", "Mul", 6, true, "a * b")+`
- match: {node: check-1/planner, contains: ["add: done\nmul: done\nsub: remains\nneg: remains"]}
  reply: {json: {decision: REVISE, reason: Sub is not needed., parts: [
    {id: minus, title: add Minus, objective: "func Minus(a, b int) int", files: [minus.go, minus_test.go], dependsOn: [add, mul], verify: [Minus], doneWhen: Minus is there}]}}`+
		operation("minus", "Minus", -5, true, "-Add(a, b)")+reviewPass, sumModule())
	code, stdout, stderr := w.run("run", "--yes", "--trust", "--sanity-every", "2", "--plan", "add operations")
	require.Zero(t, code, stdout+stderr)
	w.played()
	require.Contains(t, stderr, "the plan is revised, and what is done is kept: Sub is not needed.")
	require.NotEmpty(t, w.read("minus.go"))
	require.Empty(t, w.read("sub.go"))
}

func TestPlanRun_SanityEveryHasARange(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor, sumModule())
	require.Contains(t, w.said(2, "run", "--plan", "--sanity-every", "61", "x"), "--sanity-every: 61 is out of range: give 0 to 60")
}

// A planner that ends its plan leaves what is done; the user may resume the run all the same.
func TestPlanRun_EndsThePlanWhenThePlannerSaysSo(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+planOfFour+operation("add", "Add", 5, true, "a + b")+operation("mul", "Mul", 6, true, "a * b")+`
- match: {node: check-1/planner}
  reply: {json: {decision: ABORT, reason: The rest makes no sense.}}`+
		operation("sub", "Sub", -1, true, "a - b")+operation("neg", "Neg", -5, true, "-Add(a, b)")+reviewPass, sumModule())
	w.settings("plan: {sanityEvery: 2}\n")
	code, stdout, stderr := w.run("run", "--yes", "--trust", "--plan", "add operations")
	require.Equal(t, 3, code, stdout+stderr)
	require.Contains(t, stderr, "the planner ends the plan here: The rest makes no sense.")
	require.Contains(t, stderr, "part sub is missing: it was not begun")
	require.Contains(t, stdout, "func Mul(a, b int) int")
	code, stdout, stderr = w.run("resume", "--yes", asked[api.RunsResult](w, "runs").Runs[0].RunID)
	require.Zero(t, code, stdout+stderr)
	w.played()
}

// hangingPart is a plan of two independent parts: the model of the first never answers, and the second is expected to take so long that
// no limit of these tests ends it.
func hangingPart() string {
	two := strings.Replace(planOfFour[:strings.Index(planOfFour, ",\n    {id: sub")]+"]}}", "id: mul,", "id: mul, expectedMinutes: 5,", 1)
	return decideExecutor + two + `
- match: {node: add/executor, contains: [You write tests]}
  fault: {kind: hang}` + operation("mul", "Mul", 6, true, "a * b")
}

// A part that hangs is ended, with the reason; parts that do not depend on it are finished and offered, and a resumed run works on it again.
func TestPlanRun_EndsAPartThatHangs(t *testing.T) {
	t.Parallel()
	for name, c := range testkit.SampleMap(0, map[string]struct{ limits, why string }{
		"limit of a part":  {"limits: {part: 30s}\n", "the part add has worked for 30s, which is its limit. Resume it: forge resume r-"},
		"nothing is heard": {"limits: {silence: 45s}\n", "add/executor was silent for 45s, so Forge stopped it. Resume it: forge resume r-"},
	}, "limit of a part") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := scripted(t, hangingPart()+operation("add", "Add", 5, true, "a + b")+reviewPass, sumModule())
			w.settings(c.limits)
			code, stdout, stderr := w.run("run", "--yes", "--trust", "--plan", "add two operations")
			require.Equal(t, 3, code, stdout+stderr)
			require.Contains(t, stderr, c.why)
			require.Contains(t, stderr, "part add is missing: ")
			require.Contains(t, stdout, "+func Mul(a, b int) int")

			if testing.Short() {
				return // TestPlan_PartThatTakesTooLongIsBlocked has the resumed run
			}
			w.settings("{}\n")
			code, stdout, stderr = w.run("resume", "--yes", asked[api.RunsResult](w, "runs").Runs[0].RunID)
			require.Zero(t, code, stdout+stderr)
			w.played()
			require.NotEmpty(t, w.read("add.go"))
			require.NotEmpty(t, w.read("mul.go"))
		})
	}
}

// cutPlan is a plan whose first part is too large; another part waits for it.
const cutPlan = `
- match: {node: planner}
  reply: {json: {explanation: Two parts., parts: [
    {id: calc, title: add operations, objective: Add and Mul, files: [calc.add.go, calc.add_test.go, calc.mul.go, calc.mul_test.go], dependsOn: [], verify: [they work], doneWhen: they are there},
    {id: neg, title: add Neg, objective: "func Neg(a, b int) int", files: [neg.go, neg_test.go], dependsOn: [calc], verify: [Neg], doneWhen: Neg is there}]}}
- match: {node: calc/executor, contains: [You write tests, "begin \"blocked\" with \"too large:\""]}
  reply: {json: {explanation: "", blocked: "too large: these are two operations"}}`

// A part that its model finds too large is cut into pieces within its files: they are worked on side by side, and joined before what waits
// for the part begins.
func TestPlanRun_CutsAPartThatIsTooLarge(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+cutPlan+`
- match: {node: calc/planner, contains: [these are two operations, "calc: add operations"]}
  reply: {json: {pieces: [
    {id: add, title: add Add, objective: "func Add(a, b int) int", files: [calc.add.go, elsewhere.go]},
    {id: mul, title: add Mul, objective: "func Mul(a, b int) int", files: [calc.mul.go]}]}}
- match: {node: calc/planner, contains: [elsewhere.go is not among the files of its part]}
  reply: {json: {pieces: [
    {id: add, title: add Add, objective: "func Add(a, b int) int", files: [calc.add.go, calc.add_test.go]},
    {id: mul, title: add Mul, objective: "func Mul(a, b int) int", files: [calc.mul.go, calc.mul_test.go]}]}}`+
		operation("calc.add", "Add", 5, true, "a + b")+operation("calc.mul", "Mul", 6, true, "a * b")+operation("neg", "Neg", -11, true, "-Add(a, b) - Mul(a, b)")+reviewPass, sumModule())
	code, stdout, stderr := w.run("run", "--yes", "--trust", "--plan", "add operations")
	require.Zero(t, code, stdout+stderr)
	w.played()
	require.Contains(t, stderr, "the part calc is worked on in 2 pieces: these are two operations")
	require.Contains(t, stderr, "join-1/review")
	for _, name := range []string{"calc.add.go", "calc.mul.go", "neg.go"} {
		require.NotEmpty(t, w.read(name), name)
	}
	readsWell(t, stderr)
}

// fanout.depth says how often a part may be cut. A model that asks for more is told to do all of it.
func TestPlanRun_CutsAsOftenAsAllowed(t *testing.T) {
	t.Parallel()
	whole := operation("calc", "Calc", 5, true, "a + b")
	told := strings.Replace(whole, "contains: [You write tests]", `contains: [You write tests, "The part cannot be cut any further: do all of it."]`, 1)
	w := scripted(t, decideExecutor+strings.Replace(cutPlan, `, "begin \"blocked\" with \"too large:\""`, "", 1)+told+operation("neg", "Neg", -5, true, "-Calc(a, b)")+reviewPass, sumModule())
	code, stdout, stderr := w.run("run", "--yes", "--trust", "--fanout-depth", "0", "--plan", "add operations")
	require.Zero(t, code, stdout+stderr)
	w.played()
}

// A piece that its model finds too large is cut again.
func TestPlanRun_CutsAPieceAgain(t *testing.T) {
	t.Parallel()
	nested := `
- match: {node: calc/planner}
  reply: {json: {pieces: [
    {id: both, title: add both, objective: Add and Mul, files: [calc.both.add.go, calc.both.add_test.go, calc.both.mul.go, calc.both.mul_test.go]},
    {id: sub, title: add Sub, objective: "func Sub(a, b int) int", files: [calc.sub.go, calc.sub_test.go]}]}}
- match: {node: calc.both/executor, contains: [You write tests, "begin \"blocked\" with \"too large:\""]}
  reply: {json: {explanation: "", blocked: "Too large: still two operations"}}
- match: {node: calc.both/planner}
  reply: {json: {pieces: [
    {id: add, title: add Add, objective: "func Add(a, b int) int", files: [calc.both.add.go, calc.both.add_test.go]},
    {id: mul, title: add Mul, objective: "func Mul(a, b int) int", files: [calc.both.mul.go, calc.both.mul_test.go]}]}}`
	plan := strings.Replace(cutPlan, "calc.add.go, calc.add_test.go, calc.mul.go, calc.mul_test.go",
		"calc.both.add.go, calc.both.add_test.go, calc.both.mul.go, calc.both.mul_test.go, calc.sub.go, calc.sub_test.go", 1)
	w := scripted(t, decideExecutor+plan+nested+operation("calc.both.add", "Add", 5, true, "a + b")+operation("calc.both.mul", "Mul", 6, true, "a * b")+
		operation("calc.sub", "Sub", -1, true, "a - b")+operation("neg", "Neg", -11, true, "-Add(a, b) - Mul(a, b)")+reviewPass, sumModule())
	w.settings("fanout: {depth: 2}\n")
	code, stdout, stderr := w.run("run", "--yes", "--trust", "--plan", "add operations")
	require.Zero(t, code, stdout+stderr)
	w.played()
	require.Contains(t, stderr, "the part calc.both is worked on in 2 pieces: still two operations")
	for _, name := range []string{"calc.both.add.go", "calc.both.mul.go", "calc.sub.go", "neg.go"} {
		require.NotEmpty(t, w.read(name), name)
	}
}
