package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
	"forge/internal/testkit"
)

// keyOfShop is a key that no output may contain.
const keyOfShop = "sk_live_0a9b8c7d6e5f4a3b2c1d"

// Every call of a run is listed with its purpose, tokens, time and cost; the prompt and the answer of one are printed as they were sent,
// without secrets.
func TestRunsShow_ListsCallsAndPrintsOne(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+writeTests+writeRight+`
- {match: {node: review}, reply: {json: {pass: true, reason: "It adds, and the key is `+keyOfShop+`.", issues: []}}}`, sumModule())
	w.put(map[string]string{"AGENTS.md": "The key is " + keyOfShop + ".\n", ".env": "STRIPE_KEY=" + keyOfShop + "\n"})
	code, _, stderr := w.run("run", "--yes", "--trust", "add Add")
	require.Zero(t, code, stderr)
	w.played()

	shown := asked[api.RunShown](w, "runs", "show")
	require.Equal(t, "add Add", shown.Run.Task)
	var purposes []string
	tokens := 0
	for i, c := range shown.Calls {
		require.Equal(t, i+1, c.Number)
		require.Equal(t, "answered", c.State)
		require.Contains(t, c.Model, "scripted")
		require.NotEmpty(t, c.Started)
		purposes = append(purposes, c.Node+": "+c.Purpose)
		tokens += c.InputTokens + c.OutputTokens + c.CacheReadTokens + c.CacheWriteTokens
	}
	require.Equal(t, []string{"orchestrator: decision", "executor: tests", "executor: implementation", "review: review"}, purposes)
	require.Equal(t, shown.Run.Tokens, tokens, "the calls are all that the run has spent")

	code, stdout, stderr := w.run("runs", "show", shown.Run.RunID)
	require.Zero(t, code, stderr)
	require.Regexp(t, `(?m)^CALL +NODE +PURPOSE +MODEL +IN +CACHED +OUT +TIME +COST +RESULT$`, stdout)
	require.Regexp(t, `(?m)^3 +executor +implementation +scripted \S+ \S+ +[1-9]\d* +0 +[1-9]\d* `, stdout)

	code, stdout, stderr = w.run("runs", "show", "--call", "4")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "func Add(a, b int) int { return a + b }", "the prompt")
	require.Contains(t, stdout, `"reason":"It adds, and the key is [redacted: stripe-access-token]."`, "the answer")
	require.Contains(t, stdout, "The key is [redacted: stripe-access-token].")
	require.NotContains(t, stdout, keyOfShop)
	one := asked[api.RunShown](w, "runs", "show", shown.Run.RunID, "--call", "3")
	require.NotNil(t, one.Exchange.Prompt)
	require.Contains(t, one.Exchange.Answer, "func Add")

	require.Contains(t, w.refused(2, "runs", "show", "--call", "5"), "5 is no call of run "+shown.Run.RunID+", which has 4 calls")
	require.Contains(t, w.refused(2, "runs", "show", "--call", "0"), "want the number of a call")
	require.Contains(t, w.refused(2, "runs", "show", "--call", "1", "--report"), "exclude each other")
	w.refused(1, "runs", "show", "r-none")
}

// A call that failed is listed with its reason, and its prompt is shown.
func TestRunsShow_CallThatFailed(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor, sumModule())
	code, _, _ := w.run("run", "--yes", "--trust", "add Add")
	require.Equal(t, 3, code)
	shown := asked[api.RunShown](w, "runs", "show")
	require.Len(t, shown.Calls, 2)
	require.Equal(t, "failed", shown.Calls[1].State)
	require.Contains(t, shown.Calls[1].Failure, "the script does not expect this request")
	code, stdout, stderr := w.run("runs", "show", "--call", "2")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "You write tests")
	require.Contains(t, stdout, "(failed) ")
}

// The report of a run says what was asked, done, checked, learned and spent; that of a run without success what was not checked.
func TestRunReport_TellsTheRun(t *testing.T) {
	t.Parallel()
	w := scripted(t, whole, sumModule())
	w.put(map[string]string{"notes.txt": "mine\n"})
	w.git("init", "-q")
	w.git("add", "go.mod", "sum.go")
	w.git("commit", "-q", "-m", "one")
	code, _, stderr := w.run("run", "--yes", "--trust", "add Add. It has [a link](http://x) in its words")
	require.Zero(t, code, stderr)
	w.played()
	code, report, stderr := w.run("runs", "show", "--report")
	require.Zero(t, code, stderr)
	for _, part := range []string{
		"| State | succeeded |", "## What was asked\n\n> add Add. It has \\[a link](http://x) in its words\n", "The run sees 1 uncommitted file: notes.txt.",
		"| add.go: create | +4 −0 |", "The change was applied: ", "| executor | DONE | 1 |", "| go test | pass | 1 test passed in 1 package |",
		"## What was learned\n\n- success pattern: feature work in the whole folder (held 1 time, failed 0 times)", "| executor | 2 | ", "tokens. Requests that failed", "## Proposed commit message\n\n```\nAdd Add\n",
	} {
		require.Contains(t, report, part)
	}
	require.NotContains(t, report, "## What was not checked")
	_, message, _ := w.run("commit-message")
	require.True(t, strings.HasPrefix(message, "Add Add\n"), message)
	require.Contains(t, message, "- add.go: create\n")
	code, _, stderr = w.run("undo", "--yes")
	require.Zero(t, code, stderr)
	id := asked[api.RunShown](w, "runs", "show").Run.RunID
	require.Contains(t, stderr, "to redo: forge redo "+id)
	require.NotContains(t, stderr, "commit-message", "there is nothing to commit")
	require.Contains(t, w.refused(1, "undo"), "every accepted change was undone")
	_, undone, _ := w.run("runs", "show", "--report")
	require.Regexp(t, `The change was applied: .* UTC \(2 files\)\. It was undone since\.`, undone)
	code, _, stderr = w.run("redo", "--yes")
	require.Zero(t, code, stderr)
	require.Contains(t, stderr, "to undo: forge undo "+id)
	_, report, _ = w.run("runs", "show", "--report")
	require.Regexp(t, `The change was applied: .* UTC \(2 files\)\.\n`, report)
	require.Equal(t, report, asked[api.RunShown](w, "runs", "show", "--report").Report)

	if testing.Short() {
		return // TestUnverified_TheBestAttemptIsOfferedAndYesAloneDoesNotTakeIt has the report of such a run
	}
	failed := scripted(t, decideExecutor+writeTests+mistaken, sumModule())
	code, _, stderr = failed.run("run", "--yes", "--trust", "--max-attempts", "1", "add Add")
	require.NotZero(t, code, stderr)
	_, report, _ = failed.run("runs", "show", "--report")
	require.Contains(t, report, "The change was not applied.")
	require.Contains(t, report, "## What was not checked\n\n- ")
	require.Contains(t, report, "not accepted: go test: fail")
	require.Contains(t, report, "rejected: go test, add_test.go, example.com/sum.TestAdd, ")
}

// A commit message is proposed and nothing is committed.
func TestCommitMessage_IsProposed(t *testing.T) {
	t.Parallel()
	w := scripted(t, whole, sumModule())
	w.git("init", "-q")
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "one")
	task := "add Add to package sum. Callers need the sum of two numbers, and a test with two and two must show that it is right."
	code, _, stderr := w.run("run", "--yes", "--trust", task)
	require.Zero(t, code, stderr)
	id := asked[api.RunShown](w, "runs", "show").Run.RunID
	require.Contains(t, stderr, "forge commit-message "+id)
	_, message, _ := w.run("commit-message")
	require.Equal(t, "Add Add to package sum\n\n"+
		"Callers need the sum of two numbers, and a test with two and two must\nshow that it is right.\n\n"+
		"- add.go: create\n- add_test.go: create\n\n"+
		"Checked by gofmt, go vet, go build, go test, a model's review.\n\nForge-Run: "+id+"\n", message)
	require.Equal(t, "one\n", w.gitSays("log", "--format=%s"))
	w.played()

	none := scripted(t, "\n- {match: {node: answer}, reply: {text: Nobody.}}", sumModule())
	code, _, stderr = none.run("ask", "--trust", "who adds?")
	require.Zero(t, code, stderr)
	require.Contains(t, none.refused(1, "commit-message"), "has no change to commit")
}

// The user is told which uncommitted files a run sees, and can have it work on the last commit instead: then changed, new, deleted,
// binary and linked files are as they are committed, and the folder keeps the user's.
func TestRun_SaysWhatItSeesOfUncommittedWork(t *testing.T) {
	t.Parallel()
	const old, mine = "package sum\n\nconst Committed = 1\n", "package sum\n\nconst Mine = 2\n"
	prepare := func(sees string) *world {
		w := scripted(t, `
- {match: {node: orchestrator}, reply: {json: {action: executor, reason: small}}}
- match: {node: executor, contains: ["`+sees+`", "base.txt"]}
  reply: {json: {explanation: It is listed., files: [{path: list.md, action: create, content: "# List\n"}], patch: "", blocked: ""}}`+reviewPass, map[string]string{
			"go.mod": sumModule()["go.mod"], "sum.go": old, "gone.txt": "was here\n", "bin.dat": "a\x00b", "base.txt": "base\n",
		})
		require.NoError(t, os.Symlink("base.txt", filepath.Join(w.root, "link")))
		w.git("init", "-q")
		w.git("add", "-A")
		w.git("commit", "-q", "-m", "one")
		w.put(map[string]string{"sum.go": mine, "new.txt": "new\n", "bin.dat": "c\x00d"})
		require.NoError(t, os.Remove(filepath.Join(w.root, "gone.txt")))
		require.NoError(t, os.Remove(filepath.Join(w.root, "link")))
		require.NoError(t, os.Symlink("sum.go", filepath.Join(w.root, "link")))
		return w
	}
	for name, c := range testkit.SampleMap(0, map[string]struct{ base, sees, says string }{
		"the folder": {"working", "const Mine", "the run sees 5 uncommitted files: bin.dat, gone.txt, link, new.txt, sum.go"},
		"the commit": {"head", "const Committed", "the run works on the last commit, without 5 uncommitted files: bin.dat, gone.txt, link, new.txt, sum.go"},
	}, "the commit") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := prepare(c.sees)
			code, _, stderr := w.run("run", "--yes", "--trust", "--recipe", "document", "--base", c.base, "list what is in here")
			require.Zero(t, code, stderr)
			require.Contains(t, stderr, c.says)
			w.played()
			require.Equal(t, mine, w.read("sum.go"))
			require.NoFileExists(t, filepath.Join(w.root, "gone.txt"))
			require.Equal(t, "# List\n", w.read("list.md"))
			require.Equal(t, " M bin.dat\n D gone.txt\n M link\n M sum.go\n?? list.md\n?? new.txt\n", w.gitSays("status", "--short"))
		})
	}
	w := scripted(t, whole, sumModule())
	require.Contains(t, w.refused(2, "run", "--base", "main", "x"), `"main" is no base of a run: want working or head`)
	code, _, stderr := w.run("run", "--yes", "--trust", "--base", "head", "x")
	require.Equal(t, 3, code)
	require.Contains(t, stderr, "has no commit that Forge can read")
}

// A plan that changes files with uncommitted work says so before it is carried out; files outside of the plan are not named.
func TestPlan_NamesItsUncommittedFiles(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+planOfThree, sumModule())
	w.git("init", "-q")
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "one")
	w.put(map[string]string{"add.go": "package sum\n", "other.go": "package sum\n"})
	_, stdout, _ := w.run("run", "--yes", "--trust", "--json", "--plan", "add Add, Mul and Both")
	require.Contains(t, stdout, "The plan changes files with your uncommitted work, and keeps it: add.go. To work from the last commit instead")
}

// scratchTreesArePruned demands that the scratch trees of a folder are listed with their size, and unused ones are removed on request.
func (w *world) scratchTreesArePruned() {
	t := w.t
	t.Helper()
	trees := asked[api.WorktreesResult](w, "worktrees").Worktrees
	require.NotEmpty(t, trees)
	for _, tree := range trees {
		require.Equal(t, "idle", tree.State)
		require.Positive(t, tree.Bytes)
		require.DirExists(t, tree.Dir)
		require.True(t, strings.HasPrefix(tree.Dir, w.home), "outside of the folder")
	}
	pruned := asked[api.WorktreesResult](w, "worktrees", "prune")
	require.Equal(t, len(trees), pruned.Removed)
	require.Positive(t, pruned.Freed)
	require.Empty(t, pruned.Worktrees)
	require.NoDirExists(t, trees[0].Dir)
}

// gitSays runs git in the folder, and returns its output.
func (w *world) gitSays(args ...string) string {
	w.t.Helper()
	c := exec.Command("git", args...)
	c.Dir = w.root
	out, err := c.Output()
	require.NoError(w.t, err)
	return string(out)
}
