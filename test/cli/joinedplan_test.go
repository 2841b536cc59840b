package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// One part imports a name that the other part calls differently, in files that no compiler and no test of the folder sees. The
// plan also names a file that no part makes.
const (
	planOfStrangers = `
- match: {node: planner}
  reply: {json: {explanation: A parser and its use., parts: [
    {id: add, title: add Add, objective: "func Add(a, b int) int", files: [add.go, add_test.go, web/parser.js, web/notes.txt], dependsOn: [], verify: [Add adds], doneWhen: Add is there},
    {id: mul, title: add Mul, objective: "func Mul(a, b int) int", files: [mul.go, mul_test.go, web/handlers.js], dependsOn: [], verify: [Mul multiplies], doneWhen: Mul is there}]}}`
	parserPart    = `{path: web/parser.js, action: create, content: "export function parseAll() {}\nexport function parseOne() {}\n"}, {path: add.go,`
	handlerPart   = `{path: web/handlers.js, action: create, content: "import { parse } from './parser.js';\nparse();\n"}, {path: mul.go,`
	joinStrangers = `
- match: {node: executor, contains: [written separately, "handlers.js imports ` + "`parse`" + ` from ./parser.js, which does not export it; it exports parseAll, parseOne"]}
  reply: {json: {explanation: It is parseOne., edits: [{path: web/handlers.js, search: "import { parse } from './parser.js';\nparse();", replace: "import { parseOne } from './parser.js';\nparseOne();"}]}}`
)

func TestPlanRun_RepairsMismatchedNamesBetweenParts(t *testing.T) {
	t.Parallel()
	add := strings.Replace(strings.Replace(addPart, "{path: add.go,", parserPart, 1), `, "Not yours: mul (mul.go, mul_test.go)"`, "", 1)
	mul := strings.Replace(mulPart, "{path: mul.go,", handlerPart, 1)
	mul = strings.Replace(mul, `return of(a * b) }\n\nfunc of(n int) int { return n }`, `return a * b }`, 1)
	w := scripted(t, decideExecutor+planOfStrangers+add+mul+joinStrangers+reviewPass, sumModule())
	code, stdout, stderr := w.run("run", "--yes", "--trust", "--json", "--plan", "add Add, Mul and their web")
	require.Zero(t, code, stdout[max(0, len(stdout)-2000):]+stderr)
	w.played()
	all, _ := events(t, stdout)
	contracts, integration := reports(t, all, "contract"), reports(t, all, "integration")
	require.Len(t, contracts, 2)
	require.Contains(t, contracts[0], "fail: 1 finding: web/handlers.js:1: handlers.js imports `parse`")
	require.Contains(t, contracts[1], "pass: ")
	require.Len(t, integration, 2)
	require.Contains(t, integration[0], "fail: add, mul do not hold together: 1 finding")
	require.Equal(t, "pass: add, mul hold together", integration[1])
	require.Equal(t, "pass: 1 file named by the plan and not made: web/notes.txt", reports(t, all, "file")[0])
	text, err := os.ReadFile(filepath.Join(w.root, "web", "handlers.js"))
	require.NoError(t, err)
	require.Contains(t, string(text), "parseOne();")
}
