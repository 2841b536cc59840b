package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Parts that touch the same files, which the plan gives to none: the same new file is kept, lines of an existing one are merged, and a
// model merges what excludes each other. Each of it is told, and marked in the proposal.
func TestPlanRun_MarksFilesThatPartsMerge(t *testing.T) {
	t.Parallel()
	files := sumModule()
	files["names.txt"] = "first\n\nmiddle\n\nlast\n"
	shared := func(part, edit, note string) string {
		return strings.Replace(part, `You implement`, `You implement`, 1)[:strings.Index(part, `{path: `+edit+`.go`)] +
			`{path: same.txt, action: create, content: "same\n"}, {path: note.txt, action: create, content: "` + note + `\n"}, ` + part[strings.Index(part, `{path: `+edit+`.go`):]
	}
	add := strings.Replace(shared(addPart, "add", "about Add"), `return of(a + b) }\n\nfunc of(n int) int { return n }`, `return a + b }`, 1)
	mul := strings.Replace(shared(mulPart, "mul", "about Mul"), `return of(a * b) }\n\nfunc of(n int) int { return n }`, `return a * b }`, 1)
	add = strings.Replace(add, `{explanation: i, files: [`, `{explanation: i, edits: [{path: names.txt, search: first, replace: "Add"}], files: [`, 1)
	mul = strings.Replace(mul, `{explanation: i, files: [`, `{explanation: i, edits: [{path: names.txt, search: last, replace: "Mul"}], files: [`, 1)
	plan := strings.Replace(planOfThree[:strings.Index(planOfThree, ",\n    {id: both")], "dependsOn: [nobody]", "dependsOn: []", 1) + "]}}"
	w := scripted(t, decideExecutor+plan+add+mul+`
- match: {node: executor, contains: [written separately, "What another part made of note.txt", about Mul]}
  reply: {json: {explanation: Both., edits: [{path: note.txt, search: about Add, replace: "about Add and Mul"}]}}`+reviewPass, files)
	code, stdout, stderr := w.run("run", "--yes", "--trust", "--json", "--plan", "add Add and Mul")
	require.Zero(t, code, stdout[max(0, len(stdout)-3000):]+stderr)
	w.played()
	require.Equal(t, "Add\n\nmiddle\n\nMul\n", w.read("names.txt"))
	require.Equal(t, "about Add and Mul\n", w.read("note.txt"))
	require.Equal(t, "same\n", w.read("same.txt"))

	all, _ := events(t, stdout)
	how := map[string]string{}
	for _, e := range all {
		var merged struct {
			Files []struct {
				Path, How string
				Parts     []string
			}
		}
		if e.Type != "merged" {
			continue
		}
		require.NoError(t, json.Unmarshal(e.Data, &merged))
		for _, f := range merged.Files {
			require.Equal(t, []string{"add", "mul"}, f.Parts)
			how[f.Path] = f.How
		}
	}
	require.Equal(t, map[string]string{"names.txt": "text", "note.txt": "model", "same.txt": "same"}, how)
	require.Contains(t, stderr, "names.txt: merged from parts add and mul, line by line")
	require.Contains(t, stderr, "note.txt: parts add and mul changed it in ways that exclude each other: merged by a model")
	code, stdout, stderr = w.run("log", "--lines", "0")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "same.txt: parts add and mul made the same change")
	require.Contains(t, stdout, "add: changed, although the plan does not say so: names.txt, note.txt, same.txt")
}
