package cli

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// tillModule is a module whose function Total is used in code, in a test, in a string, in a script and in a document.
func tillModule() map[string]string {
	return map[string]string{
		"go.mod":        "module example.com/shop\n\ngo 1.24\n",
		"shop.go":       "// Package shop sells.\npackage shop\n\n// Total adds up.\nfunc Total(values ...int) int {\n\tsum := 0\n\tfor _, v := range values {\n\t\tsum += v\n\t}\n\treturn sum\n}\n",
		"cart.go":       "package shop\n\nimport \"fmt\"\n\n// Print shows what a cart costs.\nfunc Print(Total func(int) int) string { return fmt.Sprint(\"Total \", Total(1)) }\n\n// Cost is what one costs.\nfunc Cost() int { return Total(1) }\n",
		"shop_test.go":  "package shop\n\nimport \"testing\"\n\nfunc TestTotal(t *testing.T) {\n\tif Total(1, 2) != 3 {\n\t\tt.Fatal(\"Total\")\n\t}\n}\n",
		"run.sh":        "#!/bin/sh\necho Total\n",
		"docs/shop.md":  "# Shop\n\n`Total` adds up; TotalCost does not.\n",
		"docs/logo.bin": "Total\x00",
	}
}

// sweepOutcome is what forge rename --json prints.
type sweepOutcome struct {
	State, Reason, Text, Diff, RunID string
	Files                            []struct{ Path, State string }
}

func (w *world) swept(code int, args ...string) (o sweepOutcome) {
	w.t.Helper()
	got, stdout, stderr := w.run(append(args, "--json")...)
	require.Equal(w.t, code, got, stdout+stderr)
	require.NoError(w.t, json.Unmarshal([]byte(stdout), &o), stdout)
	return o
}

// A symbol is renamed in the whole folder without a model: previewed first, then applied, and taken back by undo.
func TestRename_PreviewsAppliesAndUndoes(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor, tillModule())
	before := fingerprint(t, w.root)
	o := w.swept(0, "rename", "Total", "Sum", "--dry-run")
	require.Equal(t, "previewed", o.State)
	require.Contains(t, o.Text, "would rename Total to Sum: 3 places in 3 files\ncart.go: 1\nshop.go: 1\nshop_test.go: 1")
	require.Regexp(t, `Total is still in cart.go \(.*: --everywhere renames words`, o.Text)
	require.Contains(t, o.Diff, "+func Sum(values ...int) int {")
	require.Equal(t, before, fingerprint(t, w.root))

	w.swept(3, "rename", "Total", "Sum")
	require.Equal(t, before, fingerprint(t, w.root), "there was no confirmation")
	o = w.swept(0, "rename", "Total", "Sum", "--yes", "--trust", "--everywhere")
	require.Equal(t, "applied", o.State)
	require.Contains(t, w.read("cart.go"), "func Print(Total func(int) int) string { return fmt.Sprint(\"Sum \", Total(1)) }", "a local name stays what it is")
	require.Contains(t, w.read("cart.go"), "func Cost() int { return Sum(1) }")
	require.Contains(t, w.read("shop_test.go"), "func TestTotal(t *testing.T) {\n\tif Sum(1, 2) != 3 {\n\t\tt.Fatal(\"Sum\")")
	require.Equal(t, "#!/bin/sh\necho Sum\n", w.read("run.sh"))
	require.Equal(t, "# Shop\n\n`Sum` adds up; TotalCost does not.\n", w.read(filepath.Join("docs", "shop.md")))
	require.Equal(t, "Total\x00", w.read(filepath.Join("docs", "logo.bin")))

	code, _, stderr := w.run("undo", o.RunID, "--yes")
	require.Equal(t, 0, code, stderr)
	for name, text := range tillModule() {
		require.Equal(t, text, w.read(filepath.FromSlash(name)), name)
	}
	require.Zero(t, w.journal.requests("executor"))
}

// An ambiguous name is refused with what to add, and nothing changes.
func TestRename_RefusesAmbiguousNames(t *testing.T) {
	t.Parallel()
	files := tillModule()
	files["a.py"] = "class A:\n    def run(self): pass\nclass B:\n    def run(self): pass\n"
	w := scripted(t, decideExecutor, files)
	before := fingerprint(t, w.root)
	for args, says := range map[[2]string]string{
		{"run", "go"}:     "run is declared in 2 places: a.py:2, a.py:4. Give --path and --line",
		{"Nothing", "X"}:  "no code of this folder has the name Nothing",
		{"Total", "Cost"}: "Cost already exists at cart.go:9",
		{"Total", "2x"}:   `"2x" cannot be a name`,
		{"Sprint", "X"}:   "not declared in this folder",
	} {
		o := w.swept(1, "rename", args[0], args[1], "--yes")
		require.Equal(t, "refused", o.State)
		require.Contains(t, o.Reason, says)
	}
	require.Equal(t, before, fingerprint(t, w.root))
}

// A text is replaced in the whole folder, in each spelling, and taken back.
func TestReplace_ChangesEachSpelling(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor, map[string]string{"a.go": "package a\n\nvar bashComp, BashComp = 1, 2\n", "x.sh": "BASH_COMP=bash-comp\n", "ignored.txt": "bashComp\n", ".gitignore": "ignored.txt\n"})
	w.git("init", "-q")
	o := w.swept(0, "replace", "bashComp", "shellComp", "--variants", "--yes", "--trust")
	require.Contains(t, o.Text, "4 places in 2 files\na.go: 2\nx.sh: 2")
	require.Equal(t, "package a\n\nvar shellComp, ShellComp = 1, 2\n", w.read("a.go"))
	require.Equal(t, "SHELL_COMP=shell-comp\n", w.read("x.sh"))
	require.Equal(t, "bashComp\n", w.read("ignored.txt"))
	code, _, stderr := w.run("undo", "--yes")
	require.Equal(t, 0, code, stderr)
	require.Equal(t, "BASH_COMP=bash-comp\n", w.read("x.sh"))
}

// A rename is a tool of a run, too: gates check it, tests that use the name come along, and no model is asked for anything.
func TestRunTool_RenamesThroughTests(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor, tillModule())
	code, stdout, stderr := w.run("run", "--yes", "--trust", "--json", "--tool", "rename", "--args", `{"symbol": "Total", "to": "Sum"}`)
	require.Equal(t, 0, code, stdout+stderr)
	require.Contains(t, w.read("shop_test.go"), "if Sum(1, 2) != 3")
	all, _ := events(t, stdout)
	require.NotEmpty(t, reports(t, all, "go test"))
	for _, node := range []string{"orchestrator", "spec", "explorer", "executor", "tests", "review"} {
		require.Zero(t, w.journal.requests(node), node)
	}
}

// A model renames by an action of its answer, without having typed one line of what changes, and edits on top of it.
func TestAnswer_RenamesByAnAction(t *testing.T) {
	t.Parallel()
	renames := `
- match: {node: executor}
  reply: {json: {explanation: It is a sum., actions: [{tool: rename, args: {symbol: Total, to: Sum}}],
    edits: [{path: shop.go, search: "// Total adds up.\nfunc Sum(values ...int) int {", replace: "// Sum adds up.\nfunc Sum(values ...int) int {"}]}}`
	w := scripted(t, decideExecutor+renames+reviewPass, tillModule())
	code, stdout, stderr := w.run("run", "--yes", "--trust", "--json", "--profile", "completion", "rename Total to Sum")
	require.Equal(t, 0, code, stdout+stderr)
	require.Contains(t, w.read("shop.go"), "// Sum adds up.\nfunc Sum(values ...int) int {")
	require.Contains(t, w.read("shop_test.go"), "func TestTotal(t *testing.T) {\n\tif Sum(1, 2) != 3")
	w.played()
}

// Actions obey the rules for tests: a replacement that the task does not ask for changes no test.
func TestAnswer_NoReplacementWeakensATest(t *testing.T) {
	t.Parallel()
	weakens := `
- match: {node: executor}
  reply: {json: {explanation: Now it passes., actions: [{tool: replace_all, args: {find: "!= 3", replace: "!= 4"}}]}}
- match: {node: executor, contains: ["shop_test.go has existing tests", 'replace_all != 3 changes shop_test.go:6: restrict it with "paths"']}
  reply: {json: {explanation: It cannot be done., blocked: the test is right}}`
	w := scripted(t, decideExecutor+weakens, tillModule())
	before := w.read("shop_test.go")
	code, stdout, stderr := w.run("run", "--yes", "--trust", "--json", "--profile", "completion", "make the sum right")
	require.Equal(t, 3, code, stdout+stderr)
	require.Equal(t, before, w.read("shop_test.go"))
	w.played()
}

// What is refused is said in the words of the command line: its flags, not the arguments that models give.
func TestRename_NamesItsFlags(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor, map[string]string{
		"a.py": "class A:\n    def run(self): pass\n", "b.py": "class B:\n    def run(self): pass\nA().run()\n", "l.py": "def f(x):\n    return len(x)\n", "c.go": "package c\n\nfunc run() {}\n",
	})
	for says, args := range map[string][]string{
		"Give the --path of the one you mean":                                     {"run", "go"},
		"Without one, --scope file renames in a.py alone":                         {"run", "go", "--path", "a.py"},
		"x is a local name (l.py:1): give --path and --line of the one you mean":  {"x", "y"},
		"so it cannot be renamed here. forge replace changes any text":            {"len", "size"},
		"no code of this folder has the name nothing. forge replace changes text": {"nothing", "y"},
		"omit what precedes a dot; forge replace changes any text":                {"A.run", "go"},
		"give the --path of the file, too":                                        {"f", "g", "--line", "1"},
	} {
		require.Contains(t, w.said(1, append([]string{"rename"}, args...)...), says)
	}
	require.Contains(t, w.said(0, "replace", "len", "size", "--dry-run"), `would replace "len" by "size": 1 place in 1 file`)
}

// A stub declares nothing of its own: what it says of a function is renamed with the function.
func TestRename_PythonStubsFollowTheirModule(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor, map[string]string{
		"more.py":  "class Bag:\n    def pick(self, n):\n        return _sampled(n)\n\ndef _sampled(n):\n    return n\n",
		"more.pyi": "class Bag:\n    def pick(self, n: int) -> int: ...\n\ndef _sampled(n: int) -> int: ...\n",
	})
	require.Contains(t, w.said(0, "rename", "_sampled", "_drawn", "--yes", "--trust"), "applied more.pyi")
	require.Contains(t, w.said(0, "rename", "pick", "draw", "--path", "more.py", "--yes"), "applied more.pyi")
	require.Equal(t, "class Bag:\n    def draw(self, n):\n        return _drawn(n)\n\ndef _drawn(n):\n    return n\n", w.read("more.py"))
	require.Equal(t, "class Bag:\n    def draw(self, n: int) -> int: ...\n\ndef _drawn(n: int) -> int: ...\n", w.read("more.pyi"))
}
