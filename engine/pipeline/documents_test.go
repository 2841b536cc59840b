package pipeline

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/codeintel/treesitter"
	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/mode"
)

// besides is a plan with a part that has tests, and one beside it of another type.
func besides(kind, files string) string {
	return fmt.Sprintf(`
- {match: {node: planner}, reply: {json: {explanation: It is two things., parts: [
    {id: two, title: put two into b, objective: b has the text two, files: [b, b_test], dependsOn: [], verify: [b has it], doneWhen: b has two},
    {id: beside, title: say so, objective: it is said, files: [%s], dependsOn: [], verify: [it is], doneWhen: it is, type: %s}]}}}`, files, kind) + partTwo
}

func beside(path, action, text string) string {
	return fmt.Sprintf(`
- {match: {node: beside/executor}, reply: {json: {explanation: d, files: [{path: %s, action: %s, content: %q}], patch: "", blocked: ""}}}`, path, action, text)
}

// The actual changes of a part decide whether it skips tests first, and not the planner's label.
func TestDocuments_PartThatDocumentsChangesNoCode(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		path, wrong, right string
	}{
		"a document":     {"notes.md", "", "# Two\n"},
		"a comment":      {"c.py", "def f():\n    return 2\n", "\"\"\"What c is for.\"\"\"\n# one\n"},
		"no language":    {"c", "three", ""},
		"a build file":   {"Makefile", "all:\n\trm b\n", ""},
		"packages":       {"requirements.txt", "x==1\n", ""},
		"what is broken": {"c.py", "def f(:\n", "# one\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script, path := besides("document", "README.md, "+c.path), "README.md"
			if c.wrong != "" {
				script += beside(c.path, "create", c.wrong)
			}
			right := beside(path, "create", "# Two\n")
			if c.right != "" {
				path = c.path
				right = beside(path, "create", c.right)
			}
			e := planned(t, script+right+partReview("beside")+reviewPass, yes)
			e.kit.Stripper = new(treesitter.Outliner)
			result := e.run(t)
			require.Equal(t, event.Succeeded, result.State, result.Reason)
			require.NoError(t, e.script.Verify())
			said := e.reports("beside/executor", "code")
			if c.wrong != "" {
				require.Len(t, said, 2)
				require.Equal(t, gate.Fail, said[0].Verdict)
				require.Equal(t, c.path, said[0].Findings[0].Path)
				require.Contains(t, e.prompts("beside/executor")[1], "the part is of the type document, and what it changes in "+c.path+" is code")
			}
			require.Equal(t, gate.Pass, said[len(said)-1].Verdict)
			require.Contains(t, texts(result), path)
			require.NotContains(t, texts(result)[c.path], "return")
		})
	}
}

// A part that insists on it ends the run, with the reason.
func TestDocuments_PartThatInsistsOnCode(t *testing.T) {
	t.Parallel()
	script := besides("document", "c.py")
	for i := range 6 {
		script += beside("c.py", "create", fmt.Sprintf("def f():\n    return %d\n", i))
	}
	e := planned(t, script+`
- {match: {node: debugger}, reply: {json: {rootCause: r, hypotheses: [], fix: f, mustRead: [], strategy: s}}}`, yes)
	e.kit.Stripper = new(treesitter.Outliner)
	result := e.run(t)
	require.Contains(t, []event.State{event.Failed, event.Blocked}, result.State)
	require.Contains(t, result.Reason, "what it changes in c.py is code")
	require.Contains(t, result.Reason, "change the type of the part there, then forge run --plan-file FILE")
	require.NotEmpty(t, result.Unverified)
	require.Equal(t, "DONE", e.status("two/review"), "other parts go on")
}

// The twins: parts that restructure have the tests that are there, and what cannot be told from code may change in a task that is documentation as a whole.
func TestDocuments_CodeWithoutTestsFirst(t *testing.T) {
	t.Parallel()
	refactored := strings.ReplaceAll(beside("a", "write", "one, and more"), "{node: beside/executor}", "{node: beside/executor, contains: [You restructure code]}")
	e := planned(t, besides("refactor", "a")+refactored+partReview("beside")+reviewPass, yes)
	e.kit.Stripper = new(treesitter.Outliner)
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.Equal(t, "one, and more", texts(result)["a"])

	e = planned(t, besides("document", "c")+beside("c", "create", "three")+partReview("beside")+reviewPass, yes)
	e.task.Recipe = mode.Document
	e.kit.Stripper = new(treesitter.Outliner)
	result = e.run(t)
	require.Len(t, e.reports("beside/executor", "code"), 1)
	require.NotContains(t, result.Reason, "is code")
}
