package cli

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// functions is a Go file with functions of so many lines each.
func functions(lines int, names ...string) string {
	var b strings.Builder
	b.WriteString("package sum\n")
	for _, name := range names {
		fmt.Fprintf(&b, "\n// %s is a function.\nfunc %[1]s(n int) int {\n%s\treturn n\n}\n", name, strings.Repeat("\tn = n*3 + 1 // as before\n", lines))
	}
	return b.String()
}

// The model of a part sees the files of its part, whole if there is room, even if the task names what is in another file; and
// for a new test it sees one beside it.
func TestPlanRun_ShowsAPartItsOwnFiles(t *testing.T) {
	t.Parallel()
	files := maps.Clone(sumModule())
	steps := make([]string, 120)
	for i := range steps {
		steps[i] = fmt.Sprintf("Step%d", i)
	}
	files["calc.go"], files["other.go"] = functions(4, steps...), functions(500, "ParseOrder", "PrintOrder", "SumOrder", "CheckOrder")
	files["mul_test.go"] = "package sum\n\nimport \"testing\"\n\nfunc TestStep(t *testing.T) {\n\tif Step0(0) != 40 {\n\t\tt.Fatal(\"step\")\n\t}\n}\n"
	w := scripted(t, decideExecutor+`
- match: {node: planner}
  reply: {json: {explanation: Two operations., parts: [
    {id: add, title: add Add, objective: "func Add(a, b int) int", files: [calc.go, add_test.go], dependsOn: [], verify: [Add adds], doneWhen: Add is there},
    {id: mul, title: add Mul, objective: "func Mul(a, b int) int", files: [mul.go, mulagain_test.go], dependsOn: [add], verify: [Mul multiplies], doneWhen: Mul is there}]}}
- match: {node: add/executor, contains: [You write tests, "## mul_test.go\n\n<data", "## calc.go"]}
  reply: {json: {explanation: t, files: [{path: add_test.go, action: create, content: "package sum\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(2, 3) != 5 {\n\t\tt.Fatal(\"2+3\")\n\t}\n}\n"}]}}
- match: {node: add/executor, contains: [You implement, "## calc.go\n\n<data"]}
  reply: {json: {explanation: i, edits: [{path: calc.go, search: "// Step0 is a function.", replace: "// Add adds.\nfunc Add(a, b int) int { return a + b }\n\n// Step0 is a function."}]}}
- {match: {node: add/review}, reply: {json: {pass: true, reason: fine, issues: []}}}
- match: {node: mul/executor, contains: [You write tests]}
  reply: {json: {explanation: t, files: [{path: mulagain_test.go, action: create, content: "package sum\n\nimport \"testing\"\n\nfunc TestMul(t *testing.T) {\n\tif Mul(2, 3) != 6 {\n\t\tt.Fatal(\"2*3\")\n\t}\n}\n"}]}}
- match: {node: mul/executor, contains: [You implement]}
  reply: {json: {explanation: i, files: [{path: mul.go, action: create, content: "package sum\n\n// Mul multiplies.\nfunc Mul(a, b int) int { return a * b }\n"}]}}
- {match: {node: mul/review}, reply: {json: {pass: true, reason: fine, issues: []}}}`+reviewPass, files)
	code, stdout, stderr := w.run("run", "--yes", "--trust", "--plan", "add two operations: Add, and Mul for `ParseOrder`, `PrintOrder`, `SumOrder` and `CheckOrder`")
	require.Zero(t, code, stdout+stderr)
	w.played()
	require.Contains(t, w.read("calc.go"), "func Add")
}
