package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
)

// A plan is a file: a model makes it, the user edits it, and a run carries it out without asking the model for another one.
func TestPlan_IsMadeEditedAndCarriedOut(t *testing.T) {
	t.Parallel()
	const planOfTwo = `
- match: {node: planner}
  reply: {json: {explanation: Two operations., parts: [
    {id: add, title: add Add, objective: "func Add(a, b int) int", files: [add.go, add_test.go], dependsOn: [], verify: [Add adds], doneWhen: Add is there},
    {id: wrong, title: add Nothing, objective: "func Nothing()", files: [nothing.go], dependsOn: [], verify: [nothing], doneWhen: never}]}}`
	w := scripted(t, planOfTwo+decideExecutor+addPart+mulPart+`
- match: {node: executor, contains: [written separately, of redeclared in this block]}
  reply: {json: {explanation: One helper is enough., edits: [{path: mul.go, search: "\n\nfunc of(n int) int { return n }", replace: ""}]}}`+reviewPass, sumModule())
	code, out, said := w.run("plan", "--trust", "add Add and Mul!")
	require.Zero(t, code, said)
	require.Contains(t, out, "| 1 | add | add Add |")
	name := ".forge/plans/add-add-and-mul.json"
	require.Contains(t, said, "carry it out with: forge run --plan-file "+name)
	file := filepath.Join(w.root, filepath.FromSlash(name))
	text, err := os.ReadFile(file)
	require.NoError(t, err)

	var plan map[string]any
	require.NoError(t, json.Unmarshal(text, &plan))
	require.Equal(t, "add Add and Mul!", plan["task"])
	parts, _ := plan["parts"].([]any)
	require.Len(t, parts, 2)
	parts[1] = map[string]any{
		"id": "mul", "title": "add Mul", "objective": "func Mul(a, b int) int", "files": []string{"mul.go", "mul_test.go"}, "dependsOn": []string{},
		"verify": []string{"Mul multiplies"}, "doneWhen": "Mul is there",
	}
	edited, err := json.Marshal(plan)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, edited, 0o600))
	code, out, said = w.run("plan", "validate", file)
	require.Zero(t, code, said)
	require.Equal(t, "2 parts in 1 tier, about 4 minutes\n", out)
	if testing.Short() {
		return // TestPlanVerify_CommandsAndDoneWhenDecide and TestPlanOffered_IsChangedInItsFileBeforeConsent carry out files of plans
	}

	code, out, said = w.run("run", "--trust", "--yes", "--plan-file", file)
	require.Zero(t, code, out+said)
	w.played()
	for _, made := range []string{"add.go", "mul.go", "add_test.go", "mul_test.go"} {
		require.FileExists(t, filepath.Join(w.root, made))
	}
	require.NoFileExists(t, filepath.Join(w.root, "nothing.go"))
}

func TestPlan_InvalidFilesAreReportedWithTheirPlaces(t *testing.T) {
	t.Parallel()
	w := scripted(t, "\n- {match: {node: planner}, reply: {text: never}}", sumModule())
	valid := `{"version": 1, "task": "t", "parts": [{"id": "a", "title": "A", "objective": "o", "files": ["a.go"], "dependsOn": [], "verify": ["v"], "doneWhen": "d"}]}`
	for name, c := range map[string]struct{ text, want string }{
		"newer":        {strings.Replace(valid, `"version": 1`, `"version": 2`, 1), ":1:2: error: version 2 is of a newer Forge"},
		"half written": {valid[:60], ":1:61: error: the file ends here, in the middle of the plan"},
		"outside":      {strings.Replace(valid, `"a.go"`, `"../a.go"`, 1), ":1:93: error: part \"a\""},
		"git":          {strings.Replace(valid, `"a.go"`, `".git/config"`, 1), ":1:93: error: part \"a\""},
		"no path":      {strings.Replace(valid, `"a.go"`, `"/etc/passwd"`, 1), ":1:93: error: part \"a\""},
		"wrong type":   {strings.Replace(valid, `"a.go"`, `7`, 1), ":1:93: error: \"files\" cannot be a JSON number"},
		"circle":       {strings.Replace(valid, `"dependsOn": []`, `"dependsOn": ["a"]`, 1), ":1:102: error: parts wait for each other: a → a"},
		"10 MB":        {valid + strings.Repeat("\n", 10<<20), fmt.Sprintf(":1:1: error: the file has %d bytes: a plan has at most 1048576", len(valid)+10<<20)},
	} {
		file := filepath.Join(t.TempDir(), "plan.json")
		require.NoError(t, os.WriteFile(file, []byte(c.text), 0o600))
		for _, args := range [][]string{{"plan", "validate", file}, {"run", "--trust", "--yes", "--plan-file", file}} {
			code, _, said := w.run(args...)
			require.Equal(t, 2, code, "%s: %s", name, said)
			require.Contains(t, said, file+c.want, name)
			require.Equal(t, 1, strings.Count(said, "\n"), "%s is one sentence: %s", name, said)
		}
	}
}

func TestPlan_SchemaIsThatOfTheFile(t *testing.T) {
	t.Parallel()
	w := scripted(t, "\n- {match: {node: planner}, reply: {text: never}}", nil)
	code, out, said := w.run("plan", "schema")
	require.Zero(t, code, said)
	var schema struct {
		Title      string
		Required   []string
		Properties map[string]any
	}
	require.NoError(t, json.Unmarshal([]byte(out), &schema))
	require.Equal(t, "A plan of Forge", schema.Title)
	require.ElementsMatch(t, []string{"version", "task", "parts"}, schema.Required)
	require.Contains(t, schema.Properties, "explanation")
}

// A planner whose plan has faults to the end is no reason to lose it: the plan is in a file, with its faults, for the user to correct.
func TestPlan_FaultyPlanIsKeptToCorrect(t *testing.T) {
	t.Parallel()
	w := scripted(t, `
- match: {node: planner}
  times: 2
  reply: {json: {explanation: Two operations., parts: [
    {id: add, title: add Add, objective: "func Add(a, b int) int", files: [add.go, add_test.go], dependsOn: [mul], verify: [Add adds], doneWhen: Add is there},
    {id: mul, title: add Mul, objective: "func Mul(a, b int) int", files: [mul.go, mul_test.go], dependsOn: [add], verify: [Mul multiplies], doneWhen: Mul is there}]}}`+
		decideExecutor+addPart+mulPart+`
- match: {node: executor, contains: [written separately, of redeclared in this block]}
  reply: {json: {explanation: One helper is enough., edits: [{path: mul.go, search: "\n\nfunc of(n int) int { return n }", replace: ""}]}}`+reviewPass, sumModule())
	code, out, said := w.run("plan", "--trust", "add Add and Mul")
	require.Equal(t, 3, code, out+said)
	require.Contains(t, said, "the planner gave no plan that can be used: the model gave no usable plan, and gave the same again: parts wait for each other")
	name := ".forge/plans/add-add-and-mul.json"
	require.Regexp(t, `(?m)^\.forge/plans/add-add-and-mul\.json:\d+:\d+: error: parts wait for each other: add → mul → add$`, said)
	require.Contains(t, said, "correct it, and carry it out with: forge run --plan-file "+name)
	file := filepath.Join(w.root, filepath.FromSlash(name))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	if testing.Short() {
		return // a plan whose file was corrected is carried out in TestPlanOffered_IsChangedInItsFileBeforeConsent
	}
	right := regexp.MustCompile(`"dependsOn": \[[^]]*]`).ReplaceAll(text, []byte(`"dependsOn": []`))
	require.NoError(t, os.WriteFile(file, right, 0o600))
	code, out, said = w.run("run", "--trust", "--yes", "--plan-file", file)
	require.Zero(t, code, out+said)
	w.played()
}

// Without anything that looks like a plan, the user is told what to do, and a resumed run writes the plan that it gets then.
func TestPlan_WithoutAPlanTheUserIsToldWhatToDo(t *testing.T) {
	t.Parallel()
	w := scripted(t, `
- match: {node: planner}
  times: 2
  reply: {text: First I would look around.}
- match: {node: planner}
  reply: {json: {explanation: One., parts: [
    {id: add, title: add Add, objective: "func Add(a, b int) int", files: [add.go], dependsOn: [], verify: [Add adds], doneWhen: Add is there}]}}`, sumModule())
	code, out, said := w.run("plan", "--trust", "--json", "add Add")
	require.Equal(t, 3, code, out+said)
	_, last := events(t, out)
	require.Contains(t, last, `"state":"blocked"`)
	require.NotContains(t, last, `"seq":`, "the last line is the result, as it is with a plan, and no event")
	require.Contains(t, last, "Resume the run to ask again, choose another model, or carry the task out without a plan: forge run")
	require.NoDirExists(t, filepath.Join(w.root, ".forge"))
	code, out, said = w.run("resume", asked[api.RunsResult](w, "runs").Runs[0].RunID)
	require.Zero(t, code, out+said)
	require.Contains(t, said, "the plan is in .forge/plans/add-add.json")
	w.played()
}
