package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
)

// listedModule is a module with a rule of its own: a test demands that a list names each function. No compiler knows it.
func listedModule() map[string]string {
	return map[string]string{
		"go.mod":  "module example.com/sum\n\ngo 1.24\n",
		"list.go": "// Package sum adds up.\npackage sum\n\n// Functions are the exported functions.\nvar Functions = []string{\n\t\"Zero\",\n}\n\n// Zero is nothing.\nfunc Zero() int { return 0 }\n",
		"list_test.go": `package sum

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

func TestFunctions_AreListed(t *testing.T) {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile("(?m)^func ([A-Z][a-z]+)\\(a").FindAllStringSubmatch(string(text), -1) {
			if !slices.Contains(Functions, m[1]) {
				t.Errorf("%s is not listed", m[1])
			}
		}
	}
}
`,
	}
}

// adding is a script of one run that adds a function: its tests, then implementations.
func adding(name string, implementations ...string) string {
	return decideExecutor + testsOf(name) + strings.Join(implementations, "") + reviewPass
}

func testsOf(name string) string {
	return strings.NewReplacer("NAME", name, "FILE", strings.ToLower(name)+"_test.go").Replace(`
- match: {node: executor, contains: [You write tests]}
  reply:
    json:
      explanation: Two and two.
      files: [{path: FILE, action: create, content: "package sum\n\nimport \"testing\"\n\nfunc TestNAME(t *testing.T) {\n\tif got := NAME(2, 0); got != 2 {\n\t\tt.Fatalf(\"NAME(2, 0) = %d\", got)\n\t}\n}\n"}]
      patch: ""
      blocked: ""`)
}

// implement is an implementation of a function, with a list of functions unless that is empty, for prompts that contain texts.
func implement(name, operator, list string, contains ...string) string {
	files := `{path: FILE, action: create, content: "package sum\n\n// NAME calculates.\nfunc NAME(a, b int) int { return a OP b }\n"}`
	if list != "" {
		files += `, {path: list.go, action: write, content: "// Package sum adds up.\npackage sum\n\n// Functions are the exported functions.\nvar Functions = []string{\nLIST}\n\n// Zero is nothing.\nfunc Zero() int { return 0 }\n"}`
	}
	demands := "You implement a change"
	for _, text := range contains {
		demands += ", '" + text + "'"
	}
	return strings.NewReplacer("NAME", name, "FILE", strings.ToLower(name)+".go", "OP", operator, "LIST", list, "DEMANDS", demands).Replace(`
- match: {node: executor, contains: [DEMANDS]}
  reply: {json: {explanation: It calculates., files: [` + files + `], patch: "", blocked: ""}}`)
}

// The second run of these scripts does it right at once only if its prompt has the lesson of the first.
const listLesson = "failure pattern (0.67): go test: sum.TestFunctions_AreListed in list_test.go: assertion; in list.go, add `\"Add\",`"

func twoRuns() string {
	const add, both = `\t\"Zero\",\n\t\"Add\",\n`, `\t\"Zero\",\n\t\"Add\",\n\t\"Sub\",\n`
	return adding("Add", implement("Add", "+", ""), implement("Add", "+", add)) +
		adding("Sub", implement("Sub", "-", both, listLesson), implement("Sub", "-", ""), implement("Sub", "-", both))
}

// attempts counts the judged attempts of a run, which must succeed.
func (w *world) attempts(task string) (n int) {
	w.t.Helper()
	code, stdout, stderr := w.run("run", "--trust", "--yes", "--json", task)
	require.Zero(w.t, code, stdout+stderr)
	all, _ := events(w.t, stdout)
	for _, e := range all {
		if e.Type == "attempt" {
			n++
		}
	}
	return n
}

// memoryRows lists rows of memory.
func (w *world) memoryRows(args ...string) []api.MemoryRow {
	w.t.Helper()
	return asked[api.MemoryResult](w, append([]string{"memory", "list"}, args...)...).Rows
}

// A run is right at once because of the lesson of an earlier one: the model of this script is right only if the prompt has it.
func TestLessons_ALaterRunIsRightBecauseOfOne(t *testing.T) {
	t.Parallel()
	w := scripted(t, twoRuns(), listedModule())
	require.Equal(t, 2, w.attempts("add Add"))

	lessons := w.memoryRows("--category", "failure_pattern")
	require.Len(t, lessons, 1, "one cause is one lesson")
	lesson := lessons[0]
	require.Equal(t, "go test: sum.TestFunctions_AreListed in list_test.go: assertion", lesson.Text)
	require.Equal(t, "in list.go, add `\"Add\",`", lesson.Fix)
	require.Contains(t, lesson.Context, "Add is not listed")
	require.Contains(t, lesson.Context, "applies to go files such as list.go")

	why := asked[api.MemoryWhyResult](w, "memory", "why", lesson.ID)
	require.NotEmpty(t, why.RunID)
	require.Equal(t, []string{"attempt"}, w.eventTypes(why.RunID, why.Event))
	require.Len(t, why.Evidence, 1)
	require.Equal(t, []string{"gate.finished"}, w.eventTypes(why.Evidence[0].RunID, why.Evidence[0].Event))
	_, stdout, _ := w.run("memory", "why", lesson.ID)
	require.Contains(t, stdout, "  fix: in list.go, add `\"Add\",`\n")
	require.Contains(t, stdout, "run "+why.RunID+", executor, event ")

	require.Equal(t, 1, w.attempts("add Sub"), "the lesson was in the prompt")
	require.Contains(t, w.read("list.go"), `"Sub",`)
	lesson = w.memoryRows("--category", "failure_pattern")[0]
	require.InDelta(t, 0.75, lesson.Confidence, 1e-9, "it held")
	require.Len(t, asked[api.MemoryWhyResult](w, "memory", "why", lesson.ID).Evidence, 2)
	w.everyCategoryIsShown()
	w.everyRowHasAnOrigin()
	require.Contains(t, w.everyShownLessonHasAnOrigin(), lesson.ID)
}

// everyShownLessonHasAnOrigin looks for the origin of each row of memory that a prompt of the latest run had, and returns their ids: a run
// and an event of it, or the user.
func (w *world) everyShownLessonHasAnOrigin() (ids []string) {
	w.t.Helper()
	code, stdout, stderr := w.run("events", asked[api.RunsResult](w, "runs").Runs[0].RunID)
	require.Zero(w.t, code, stderr)
	all, _ := events(w.t, stdout+"{}") // the last line is no result
	for _, e := range all {
		var d struct{ Prompt api.PromptMade }
		require.NoError(w.t, json.Unmarshal(e.Data, &d))
		for _, section := range d.Prompt.Sections {
			if section.Kind == "lessons" {
				ids = append(ids, strings.Split(section.Source, ", ")...)
			}
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	for _, id := range ids {
		why := asked[api.MemoryWhyResult](w, "memory", "why", id)
		_, stdout, _ := w.run("memory", "why", id)
		if why.Origin == "user" {
			require.Contains(w.t, stdout, "user", id)
			continue
		}
		require.Len(w.t, w.eventTypes(why.RunID, why.Event), 1, id)
		require.Contains(w.t, stdout, "run "+why.RunID, id)
		require.Contains(w.t, stdout, fmt.Sprintf("event %d", why.Event), id)
	}
	return ids
}

// everyRowHasAnOrigin looks for the run and the event of each row that runs have written.
func (w *world) everyRowHasAnOrigin() {
	w.t.Helper()
	ids := []string{w.tasks("list")[0].ID, "iteration-1"}
	for _, row := range w.memoryRows() {
		ids = append(ids, row.ID)
	}
	for _, id := range ids {
		why := asked[api.MemoryWhyResult](w, "memory", "why", id)
		require.NotEmpty(w.t, why.RunID, id)
		require.Positive(w.t, why.Event, id)
	}
}

// eventTypes returns the type of an event of a run.
func (w *world) eventTypes(run string, number int64) (types []string) {
	w.t.Helper()
	code, stdout, stderr := w.run("events", run)
	require.Zero(w.t, code, stderr)
	all, _ := events(w.t, stdout+"{}") // the last line is no result
	for _, e := range all {
		if int64(e.Seq) == number {
			types = append(types, e.Type)
		}
	}
	return types
}

// everyCategoryIsShown looks at the lists of categories: what the runs wrote, and an unknown one.
func (w *world) everyCategoryIsShown() {
	w.t.Helper()
	for category, want := range map[string]int{"success_pattern": 1, "test_command": 1, "convention": 0, "dependency": 0} {
		require.Len(w.t, w.memoryRows("--category", category), want, category)
	}
	require.Contains(w.t, w.refused(2, "memory", "list", "--category", "architecture"), "want one of convention, dependency, failure_pattern, success_pattern, test_command")
}

// The twin: without the lesson the same model is wrong first.
func TestLessons_WithoutItTheLaterRunIsWrongFirst(t *testing.T) {
	t.Parallel()
	w := scripted(t, twoRuns()+playbookShown, listedModule())
	require.Equal(t, 2, w.attempts("add Add to add.go and test it"))
	w.extractsAPlaybook()
	require.Contains(t, w.refused(3, "memory", "clear-learning"), "nothing was deleted: use --yes")
	require.NotEmpty(t, w.memoryRows("--kind", "pattern"))
	cleared := asked[api.MemoryCount](w, "memory", "clear-learning", "--yes")
	require.Positive(t, cleared.Rows)
	require.Empty(t, w.memoryRows("--kind", "pattern"))
	require.Equal(t, 2, w.attempts("add Sub"))
	w.showsPlaybooksAndNotes()
}

// playbookShown is a run whose prompt must have the playbook of another, and a note that shares no word with the task.
const playbookShown = `
- {match: {node: orchestrator, contains: ["Playbook: add Add to add.go and test it", "Solved: in list.go, add", "wrap.failures: name the operation"]}, reply: {json: {action: done, reason: It is there already.}}}`

// extractsAPlaybook makes a playbook of the run that was just accepted: first not really, then once.
func (w *world) extractsAPlaybook() {
	w.t.Helper()
	made := asked[api.ExtractResult](w, "extract", "--since", "24h", "--limit", "10", "--dry-run").Playbooks
	require.Len(w.t, made, 1)
	require.Empty(w.t, asked[api.MemoryResult](w, "playbooks").Rows, "a dry run stores nothing")
	require.Equal(w.t, []string{"new", "", "add Add to add.go and test it"}, []string{made[0].State, made[0].ID, made[0].Title})
	require.Equal(w.t, []string{"go", "test"}, made[0].Tags)
	for _, part := range []string{"Files: add.go, add_test.go, list.go\n", "go test", "Attempts: 2\nFailed on the way: go test example.com/sum.TestFunctions_AreListed\n", "Solved: in list.go, add `\"Add\",`"} {
		require.Contains(w.t, made[0].Content, part)
	}
	require.Equal(w.t, "new", asked[api.ExtractResult](w, "extract").Playbooks[0].State)
	again := asked[api.ExtractResult](w, "extract").Playbooks[0]
	require.Equal(w.t, "known", again.State)
	rows := asked[api.MemoryResult](w, "playbooks").Rows
	require.Len(w.t, rows, 1)
	require.Equal(w.t, []string{again.ID, made[0].RunID}, []string{rows[0].ID, rows[0].RunID})
	why := asked[api.MemoryWhyResult](w, "memory", "why", again.ID)
	require.Equal(w.t, []string{"run.ended"}, w.eventTypes(why.RunID, why.Event))
	_, stdout, _ := w.run("playbooks", "show", again.ID)
	require.Contains(w.t, stdout, "# add Add to add.go and test it\ntags: go, test\nfrom: gate, run "+why.RunID)
}

// showsPlaybooksAndNotes starts a run whose model answers only if the prompt has the playbook and the note. A run that was undone is no example.
func (w *world) showsPlaybooksAndNotes() {
	w.t.Helper()
	asked[api.MemoryRow](w, "memory", "set", "wrap.failures", "name the operation", "--priority", "2")
	code, _, stderr := w.run("run", "--yes", "add Mul to mul.go and test it")
	require.Equal(w.t, 3, code, stderr)
	require.Contains(w.t, stderr, "It is there already")
	shown := strings.Join(w.everyShownLessonHasAnOrigin(), " ")
	require.Regexp(w.t, `entry-\d+.*pattern-\d+.*playbook-\d+`, shown, "a note, a lesson and a playbook")
	code, _, stderr = w.run("undo", "--yes")
	require.Zero(w.t, code, stderr)
	made := asked[api.ExtractResult](w, "extract").Playbooks
	require.Len(w.t, made, 1)
	require.Equal(w.t, "add Add to add.go and test it", made[0].Title)
}

// importedPattern is a line of forge memory export.
const importedPattern = `{"kind":"pattern","category":"convention","pattern":"eslint: no-var","fix":"in a.js, add let","source":{"origin":"gate"}}`

// What was learned can be looked at, pruned and indexed; a category that is gone is refused.
func TestLessons_DecayPruneAndIndex(t *testing.T) {
	t.Parallel()
	w := scripted(t, refuses, nil)
	w.put(map[string]string{"memory.jsonl": importedPattern + "\n", "old.jsonl": strings.Replace(importedPattern, "convention", "architecture", 1) + "\n"})
	require.Equal(t, 1, asked[api.MemoryImportResult](w, "memory", "import", "memory.jsonl").Added)
	code, _, stderr := w.run("memory", "import", "old.jsonl")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, `the category must be one of ["convention"`)

	rows := asked[api.MemoryResult](w, "memory", "decay").Rows
	require.Len(t, rows, 1)
	require.Equal(t, [2]float64{0.5, 0.5}, [2]float64{rows[0].Counted, rows[0].Confidence})
	_, stdout, _ := w.run("memory", "decay")
	require.Contains(t, stdout, "convention: eslint: no-var")
	require.Equal(t, 1, asked[api.MemoryCount](w, "memory", "index").Rows)
	require.Len(t, asked[api.MemoryResult](w, "memory", "search", "eslint").Rows, 1)

	require.Empty(t, asked[api.PruneResult](w, "memory", "prune").Patterns, "0.5 is above the limit")
	require.Contains(t, w.refused(2, "memory", "prune", "--below", "0"), "want a confidence above 0")
	require.Contains(t, w.refused(2, "extract", "--limit", "0"), "want at least 1")
	require.Len(t, asked[api.PruneResult](w, "memory", "prune", "--below", "0.6", "--dry-run").Patterns, 1)
	require.Len(t, w.memoryRows("--kind", "pattern"), 1)
	require.Len(t, asked[api.PruneResult](w, "memory", "prune", "--below", "0.6").Patterns, 1)
	require.Empty(t, w.memoryRows("--kind", "pattern"))
	require.Contains(t, w.refused(2, "memory", "prune", "--below", "2"), "--below: must be a confidence from 0 to 1")
	require.Contains(t, w.refused(1, "playbooks", "show", "playbook-9"), "memory has no row playbook-9")
}

// Tasks are listed by period.
func TestHistoryCommand_ListsTasksOfAPeriod(t *testing.T) {
	t.Parallel()
	w := scripted(t, refuses, sumModule())
	code, _, stderr := w.run("run", "--trust", "--yes", "add Add")
	require.Equal(t, 3, code, stderr)
	for period, want := range map[string]int{"2 days": 1, "24h": 1, "this month": 1, "2020-01": 0, "last month": 0} {
		found := asked[api.HistoryResult](w, "history", period)
		require.Len(t, found.Tasks, want, period)
	}
	require.Len(t, asked[api.HistoryResult](w, "history", "2", "days", "--text", "add").Tasks, 1)
	require.Empty(t, asked[api.HistoryResult](w, "history", "2", "days", "--text", "refund").Tasks)
	require.Contains(t, w.refused(2, "history", "last", "weak"), `"last weak" is no period: use one of today, yesterday`)
	_, stdout, stderr := w.run("history", "2 days")
	require.Contains(t, stdout, "add Add")
	require.Contains(t, stderr, "1 task since ")
}
