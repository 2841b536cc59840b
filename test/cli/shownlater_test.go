package cli

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
)

// numberedNotes is the module of the scripts beside notes of 2000 lines, which differ.
func numberedNotes() map[string]string {
	files, notes := sumModule(), strings.Builder{}
	for i := range 2000 {
		fmt.Fprintf(&notes, "note %d of many\n", i+1)
	}
	files["notes.txt"] = notes.String()
	return files
}

// The authors of tests and code know the tools for what else they must see. What these return is cut once, has the numbers of the lines that are
// there, and says how to continue.
func TestRun_RequestsOfAnAuthorAreCutOnce(t *testing.T) {
	t.Parallel()
	const knows = `"The tools for \"requests\":", "- read_file(path, start?, end?)", "\"actions\": normally empty", "\"rename\" {\"symbol\", \"to\"}"`
	w := scripted(t, decideExecutor+strings.Replace(writeTests, "[You write tests]", "[You write tests, "+knows+"]", 1)+`
- match: {node: executor, contains: [You implement, `+knows+`]}
  reply: {json: {explanation: "What do the notes want?", requests: [{tool: read_file, args: {path: notes.txt}}, {tool: read_file, args: {path: notes.txt, start: 1900}}]}}`+
		writeRight+reviewPass, numberedNotes())
	wire := w.tap()
	code, stdout, stderr := w.run("run", "--yes", "--trust", "--no-explore", "add Add")
	require.Zero(t, code, stdout+stderr)
	w.played()
	sent := wire.holding(t, "notes.txt, lines 1900 to 2000 of 2000:\nnote 1900 of many\n")
	require.Contains(t, sent, "\nnote 2000 of many")
	header := regexp.MustCompile(`notes\.txt, lines 1 to (\d+) of 2000:\nnote 1 of many\n`).FindStringSubmatch(sent)
	require.NotNil(t, header, sent[max(0, len(sent)-6000):])
	last, err := strconv.Atoi(header[1])
	require.NoError(t, err)
	require.Greater(t, last, 300, "what a tool shows is not cut a second time")
	require.Contains(t, sent, fmt.Sprintf("\nnote %d of many\n[… cut here: continue with start %d]\n", last, last+1))
	require.NotContains(t, sent, fmt.Sprintf("\nnote %d of many\n", last+1))
}

// A model is shown the folders of a large project, never an alphabetical list of files of which the end is missing.
func TestPrompt_ListsTheFoldersOfALargeProject(t *testing.T) {
	t.Parallel()
	files := sumModule()
	for i := range 500 {
		files[fmt.Sprintf("aaa/testdata/x%03d.yml", i)] = "a: 1\n"
	}
	files["zeta/cmd/tool.go"] = "// Package cmd is a tool.\npackage cmd\n"
	w := scripted(t, whole, files)
	for _, node := range []string{"orchestrator", "executor"} {
		shown, text := asked[api.PromptResult](w, "prompt", "--dry-run", "--trust", "--node", node, "add Add"), ""
		for _, m := range shown.Messages {
			text += m.Text
		}
		list := sectionOf(text, "Files")
		require.Contains(t, list, "503 files; folders", node)
		require.Contains(t, list, "go.mod, sum.go\n", node)
		require.Contains(t, list, "aaa/testdata/ (500)\n", node)
		require.Contains(t, list, "zeta/cmd/ (1)\n", node)
		require.NotContains(t, text, "x007.yml", node)
		require.Less(t, len(list), 2000, node)
	}
}

// What was read of a file is not shown beside its new text once the run has changed these lines; what is still as it was stays.
func TestRun_LeavesOutWhatItHasReadAndChanged(t *testing.T) {
	t.Parallel()
	files, far := tooMuchToShow(), helloTest+strings.Repeat("\n// More is to come.\n", 300)+"\n// This is the end.\n"
	files["sum.go"], files["sum_test.go"] = helloCode, far
	const read = `{provider: read_file, args: {path: `
	w := scripted(t, decideExecutor+`
- {match: {node: explorer}, reply: {json: {requests: [`+read+`sum_test.go, end: 9}, why: a}, `+read+`sum.go}, why: b}, `+read+`sum_test.go, start: 600, end: 611}, why: c}]}}}
- {match: {node: explorer}, reply: {json: {requests: []}}}
- match: {node: executor, contains: [You write tests, "## Looked at, 1\n", "sum_test.go, lines 1 to 9 of 611:\npackage sum"]}
  reply: {json: {explanation: The greeting changes in sum_test.go., edits: [{path: sum_test.go, search: "got != \"Hello\"", replace: "got != \"Hi\""}]}}
- match: {node: executor, contains: [You implement a change, "## sum_test.go (written by this run)", "## Looked at, 1 (out of date)\n", "## Looked at, 2\n", "## Looked at, 3\n", "// This is the end."]}
  reply: {json: {explanation: It says Hi., edits: [{path: sum.go, search: "Hello", replace: "Hi"}]}}`+reviewPass, files)
	wire := w.tap()
	code, stdout, stderr := w.run("run", "--yes", "--trust", "improve everything")
	require.Zero(t, code, stdout+stderr)
	w.played()
	sent := wire.holding(t, "You implement a change")
	require.Equal(t, strings.Count(sent, `got != "Hello"`), strings.Count(sent, "-\tif got := Greeting(); got != \"Hello\""), "only in what the run has changed")
	require.Contains(t, sectionOf(sent, "Looked at, 1 (out of date)"), "read_file shows them as they are now")
}

// failingAlike has ten tests that fail with one trace if Sum is wrong.
func failingAlike() map[string]string {
	files, tests := sumModule(), strings.Builder{}
	files["sum.go"] = "// Package sum adds up.\npackage sum\n\n// Sum adds.\nfunc Sum(a, b int) int { return a + b }\n"
	tests.WriteString(`package sum

import (
	"fmt"
	"testing"
)

func adds(t *testing.T, a, b, want int) {
	if got := Sum(a, b); got != want {
		trace := ""
		for i := range 30 {
			trace += fmt.Sprintf("\n  in the frame %d of the loader of modules", i)
		}
		t.Fatalf("%d%s", got, trace)
	}
}
`)
	for i := range 10 {
		fmt.Fprintf(&tests, "\nfunc TestSum%d(t *testing.T) { adds(t, %[1]d, 1, %d) }\n", i, i+1)
	}
	files["sum_test.go"] = tests.String()
	return files
}

// Ten failures with the same trace are shown with one.
func TestRun_ShowsATraceOfManyFailuresOnce(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+writeTests+`
- match: {node: executor, contains: [You implement a change]}
  reply: {json: {explanation: i, edits: [{path: sum.go, search: "func Sum(a, b int) int { return a + b }", replace: "func Sum(a, b int) int { return a + b + 1 }\n\n// Add adds.\nfunc Add(a, b int) int { return a + b }"}]}}
- match: {node: executor, contains: [You implement a change, "Attempt 2 of 3"]}
  reply: {json: {explanation: i, edits: [{path: sum.go, search: "// Sum adds.", replace: "// Add adds.\nfunc Add(a, b int) int { return a + b }\n\n// Sum adds."}]}}`+reviewPass, failingAlike())
	wire := w.tap()
	code, stdout, stderr := w.run("run", "--yes", "--trust", "--no-explore", "add Add")
	require.Zero(t, code, stdout+stderr)
	w.played()
	sent := wire.holding(t, "Attempt 2 of 3")
	for i := range 10 {
		require.Contains(t, sent, fmt.Sprintf("example.com/sum.TestSum%d: %d\n", i, i+2), "each failure is named")
	}
	require.Equal(t, 1, strings.Count(sent, "in the frame 29 of the loader"))
	require.Less(t, len(sent), 12_000)
}

// The form of an answer, which every request holds, is small, has the arguments of tools once, and offers the explorer none that writes.
func TestRun_FormsOfAnswersAreSmall(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+"\n- {match: {node: explorer}, reply: {json: {requests: []}}}"+writeTests+writeRight+reviewPass, tooMuchToShow())
	wire := w.tap()
	code, stdout, stderr := w.run("run", "--yes", "--trust", "improve everything")
	require.Zero(t, code, stdout+stderr)
	w.played()
	forms := wire.forms()
	require.Len(t, forms, 5)
	explorer, author := forms[1], forms[3]
	for _, field := range []string{"content", "patch", "search", "find", "replace", "argv", "url", "symbol", "to", "question", "input"} {
		require.NotContains(t, explorer, `"`+field+`":`, "the explorer only reads")
	}
	require.Contains(t, explorer, `"pattern":`)
	require.Contains(t, author, `"content":`, "the twin: an author writes")
	require.Equal(t, 1, strings.Count(author, `"pattern":`), "the arguments of tools that read")
	require.Equal(t, 1, strings.Count(author, `"everywhere":`), "those of renames and replacements")
	for i, most := range []int{800, 2_000, 5_000, 5_000, 3_200} {
		require.Less(t, len(forms[i]), most, forms[i])
	}
}
