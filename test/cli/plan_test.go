package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A plan whose first two parts pass by themselves and do not compile together: both have a helper of the same name.
const (
	planOfThree = `
- match: {node: planner}
  reply: {json: {explanation: Two operations and their use., parts: [
    {id: add, title: add Add, objective: "func Add(a, b int) int", files: [add.go, add_test.go], dependsOn: [], verify: [Add adds], doneWhen: Add is there},
    {id: mul, title: add Mul, objective: "func Mul(a, b int) int", files: [mul.go, mul_test.go], dependsOn: [nobody], verify: [Mul multiplies], doneWhen: Mul is there, risk: low},
    {id: both, title: add Both, objective: "func Both(a, b int) int gives the sum of both", files: [both.go, both_test.go], dependsOn: [add, mul], verify: [Both], doneWhen: Both is there}]}}`
	addPart = `
- match: {node: add/executor, contains: [You write tests]}
  reply: {json: {explanation: t, files: [{path: add_test.go, action: create, content: "package sum\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(2, 3) != 5 {\n\t\tt.Fatal(\"2+3\")\n\t}\n}\n"}]}}
- match: {node: add/executor, contains: [You implement, "Not yours: mul (mul.go, mul_test.go)"]}
  reply: {json: {explanation: i, files: [{path: add.go, action: create, content: "package sum\n\n// Add adds.\nfunc Add(a, b int) int { return of(a + b) }\n\nfunc of(n int) int { return n }\n"}]}}
- match: {node: add/review}
  reply: {json: {pass: true, reason: fine, issues: []}}`
	mulPart = `
- match: {node: mul/executor, contains: [You write tests]}
  reply: {json: {explanation: t, files: [{path: mul_test.go, action: create, content: "package sum\n\nimport \"testing\"\n\nfunc TestMul(t *testing.T) {\n\tif Mul(2, 3) != 6 {\n\t\tt.Fatal(\"2*3\")\n\t}\n}\n"}]}}
- match: {node: mul/executor, contains: [You implement]}
  reply: {json: {explanation: i, files: [{path: mul.go, action: create, content: "package sum\n\n// Mul multiplies.\nfunc Mul(a, b int) int { return of(a * b) }\n\nfunc of(n int) int { return n }\n"}]}}
- match: {node: mul/review}
  reply: {json: {pass: true, reason: fine, issues: []}}`
	joinParts = `
- match: {node: join-1/executor, contains: [written separately, of redeclared in this block]}
  reply: {json: {explanation: One helper is enough., edits: [{path: mul.go, search: "\n\nfunc of(n int) int { return n }", replace: ""}]}}`
	bothPart = `
- match: {node: both/executor, contains: [You write tests, Mul multiplies]}
  reply: {json: {explanation: t, files: [{path: both_test.go, action: create, content: "package sum\n\nimport \"testing\"\n\nfunc TestBoth(t *testing.T) {\n\tif Both(2, 3) != 11 {\n\t\tt.Fatal(\"5+6\")\n\t}\n}\n"}]}}
- match: {node: both/executor, contains: [You implement]}
  reply: {json: {explanation: i, files: [{path: both.go, action: create, content: "package sum\n\n// Both is the sum of both.\nfunc Both(a, b int) int { return Add(Add(a, b), Mul(a, b)) }\n"}]}}
- match: {node: both/review}
  reply: {json: {pass: true, reason: fine, issues: []}}`
)

func TestPlanRun_CarriesOutEveryPart(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+planOfThree+addPart+mulPart+joinParts+bothPart+reviewPass, sumModule())
	code, stdout, stderr := w.run("run", "--yes", "--trust", "--json", "--plan", "add Add, Mul and Both")
	require.Zero(t, code, stdout[max(0, len(stdout)-2000):]+stderr)
	w.played()
	all, _ := events(t, stdout)
	var plan struct {
		Parts []struct {
			ID   string
			Tier int
		}
		Notes []string
	}
	for _, e := range all {
		if e.Type == "planned" {
			require.NoError(t, json.Unmarshal(e.Data, &plan))
		}
	}
	require.Len(t, plan.Parts, 3)
	require.Equal(t, 2, plan.Parts[2].Tier)
	require.Equal(t, []string{"mul does not wait for nobody: there is no such part"}, plan.Notes)
	integration := reports(t, all, "integration")
	require.Contains(t, strings.Join(reports(t, all, "held"), "\n"), "pass: 3 of 3 tests that must pass do: new ones, seen to fail before the change", "those of all parts, in the whole")
	require.Len(t, integration, 3, "the first tier twice, and the whole")
	require.Contains(t, integration[0], "fail: add, mul do not hold together")
	require.Equal(t, "pass: add, mul hold together", integration[1])
	require.Equal(t, "pass: both holds together with what came before it", integration[2])
	for _, name := range []string{"add.go", "add_test.go", "mul.go", "mul_test.go", "both.go", "both_test.go"} {
		require.FileExists(t, filepath.Join(w.root, name))
	}
	mul, err := os.ReadFile(filepath.Join(w.root, "mul.go"))
	require.NoError(t, err)
	require.NotContains(t, string(mul), "func of")

	code, stdout, stderr = w.run("graph", "show")
	require.Zero(t, code, stderr)
	require.Regexp(t, `(?m)^join-1/executor +done, attempt 2; after join-1/explore`, stdout)
	require.Regexp(t, `(?m)^both/explore +done; after join-1/review`, stdout)
	code, stdout, stderr = w.run("log", "--lines", "0")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "plan: 3 parts in 2 tiers")
	readsWell(t, stdout)

	code, _, stderr = w.run("undo", "--yes")
	require.Zero(t, code, stderr)
	require.NoFileExists(t, filepath.Join(w.root, "both.go"))
}

// Without a terminal there is no consent: the plan is printed, and then nothing is written or requested.
func TestPlanRun_WithoutConsentWritesNothing(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+planOfThree, sumModule())
	before := fingerprint(t, w.root)
	code, stdout, stderr := w.run("run", "--trust", "--plan", "add Add, Mul and Both")
	require.Equal(t, 3, code, stderr)
	require.Contains(t, stdout+stderr, "plan: 3 parts in 2 tiers")
	require.Contains(t, stdout+stderr, "the question was not answered")
	require.Equal(t, before, fingerprint(t, w.root))
	w.played()

	code, _, stderr = w.run("run", "--trust", "--plan", "--fanout-depth", "4", "add Add")
	require.Equal(t, 2, code)
	require.Contains(t, stderr, "--fanout-depth: 4 is out of range: give 0 to 3")
}

// Whatever a planner says that is no plan, the task is carried out as one part, and the user is told; without consent nothing is written.
func TestPlanRun_WithoutAPlanTheTaskIsOnePart(t *testing.T) {
	t.Parallel()
	const script = decideExecutor + `
- match: {node: planner}
  reply: {json: {explanation: x, parts: [{id: a, title: t, objective: o, files: [/etc/passwd], dependsOn: [a], verify: [], doneWhen: d}]}}
  times: 2` + writeTests + writeRight + reviewPass
	w := scripted(t, script, sumModule())
	before := fingerprint(t, w.root)
	code, stdout, stderr := w.run("run", "--trust", "--plan", "add Add")
	require.Equal(t, 3, code, stderr)
	require.Contains(t, stdout+stderr, "plan: degraded: the task is one part, because the planner gave no plan that can be used: the model gave no usable plan, and gave the same again")
	require.Contains(t, stdout+stderr, "? Carry out this plan? Degraded: the whole task as one part")
	require.Equal(t, before, fingerprint(t, w.root))

	w = scripted(t, script, sumModule())
	code, stdout, stderr = w.run("run", "--yes", "--trust", "--plan", "add Add")
	require.Zero(t, code, stdout+stderr)
	w.played()
	require.NotEmpty(t, w.read("add.go"))
}
