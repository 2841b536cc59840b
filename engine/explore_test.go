package engine

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/codeintel"
	"forge/engine/event"
	"forge/engine/llm"
	"forge/engine/tool"
	"forge/engine/workspace"
	"forge/memory"
)

// goOutliner knows Go only.
type goOutliner struct{}

func (goOutliner) Outline(_ context.Context, _ codeintel.Language, source string) (codeintel.Outline, error) {
	return codeintel.GoOutline(source), nil
}

// market is a folder that is too large to be shown whole.
var market = map[string]string{
	"go.mod":        "module market\n\ngo 1.26\n",
	"pay/pay.go":    "// Package pay settles invoices.\npackage pay\n\nimport \"market/money\"\n\n// Settle pays an invoice.\nfunc Settle(m money.Money) error { return money.Check(m) }\n",
	"money/m.go":    "package money\n\nimport \"market/deep\"\n\n// Money is an amount.\ntype Money struct{ Cents int }\n\n// Check is for invoices.\nfunc Check(m Money) error { return deep.Down(m.Cents) }\n",
	"deep/deep.go":  "package deep\n\n// Down is far away.\nfunc Down(cents int) error { return nil }\n",
	"noise/big.txt": strings.Repeat("nothing of interest here\n", 2000),
}

func (d *harness) put(files map[string]string) {
	d.t.Helper()
	for name, text := range files {
		full := filepath.Join(d.root, filepath.FromSlash(name))
		require.NoError(d.t, os.MkdirAll(filepath.Dir(full), 0o750))
		require.NoError(d.t, os.WriteFile(full, []byte(text), 0o600))
	}
}

// promptsOf are the user's messages of a node's requests.
func (d *harness) promptsOf(node string) (prompts []string) {
	for _, r := range d.script.Requests() {
		if r.Node == node {
			prompts = append(prompts, llm.Joined(r.Messages)[1].Text)
		}
	}
	return prompts
}

const sayExplored = `
- {match: {node: explorer}, reply: {json: {requests: [
    {provider: symbol_list, args: {path: money/m.go}, why: what there is}, {provider: import_graph, args: {path: money/m.go}, why: who needs it},
    {provider: discover_context, args: {query: amount of money}, why: more}, {provider: past_runs, args: {}, why: earlier},
    {provider: git_log, args: {}, why: style}, {provider: lint_check, args: {}, why: state}, {provider: run_tests, args: {}, why: state}]}}}
- {match: {node: explorer}, reply: {json: {requests: []}}}`

// runIn lets a run do a task in a folder of some size.
func (d *harness) runIn(task string) {
	d.t.Helper()
	d.put(market)
	e := d.open()
	e.options.Outliner, e.host.Outliner = goOutliner{}, goOutliner{}
	run, err := e.Start(Request{Task: task, Snapshot: workspace.Snapshot{Root: d.root}, Asker: d.asker})
	require.NoError(d.t, err)
	require.Equal(d.t, event.Succeeded, d.wait(run).State, d.wait(run).Reason)
	require.NoError(d.t, d.script.Verify())
}

// A run sees what its index chooses, in the state that it has made. Nothing is explored where what is named was found.
func TestExplore_RunSeesTheIndexsChoice(t *testing.T) {
	t.Parallel()
	d := newHarness(t, sayExecutor+sayTests+sayRight+sayPass)
	d.runIn("put two into b when an invoice is settled by pay.Settle")
	require.Empty(t, d.promptsOf("explorer"))
	executor := d.promptsOf("executor")
	require.Regexp(t, `## pay/pay\.go\n\n<data-[0-9a-f]+>\n// Package pay settles invoices\.`, executor[0])
	require.NotContains(t, executor[0], "nothing of interest")
	require.NotContains(t, executor[0], "## b_test")
	require.Regexp(t, `## b_test \(written by this run\)\n\n<data-[0-9a-f]+>\ndiff (?s:.*)\+two`, executor[1], "the tests that were just written, although no index knows them")
}

// A request that no indexed file matches is explored, and the executor sees the result.
func TestExplore_RunExploresUnindexedTopics(t *testing.T) {
	t.Parallel()
	d := newHarness(t, sayExecutor+sayExplored+sayTests+sayRight+sayPass)
	d.runIn("improve everything")
	rounds := d.promptsOf("explorer")
	require.Contains(t, rounds[1], "6: struct Money")
	require.Contains(t, rounds[1], "money/m.go is imported by:\n  pay/pay.go")
	require.Contains(t, rounds[1], "there was no run in this folder before", "its own does not count")
	require.Contains(t, rounds[1], "this folder has no history")
	require.Contains(t, d.promptsOf("executor")[0], "6: struct Money")
}

// unhurried never says what a file declares.
type unhurried struct{}

func (unhurried) Outline(ctx context.Context, _ codeintel.Language, _ string) (codeintel.Outline, error) {
	<-ctx.Done()
	return codeintel.Outline{}, ctx.Err()
}

// A run waits for the index for a bounded time: words choose then, and a notice reports it.
func TestExplore_RunIsNotHeldUpByAnIndex(t *testing.T) {
	t.Parallel()
	d := newHarness(t, sayExecutor+"\n- {match: {node: explorer}, reply: {json: {requests: []}}}"+sayTests+sayRight+sayPass)
	d.put(market)
	notices := make(chan string, 100)
	d.notice = func(text string) { notices <- text }
	e := d.open()
	e.options.Outliner, e.host.Outliner, e.atlases.patience = unhurried{}, unhurried{}, patience{first: 50 * time.Millisecond, later: time.Millisecond}
	run := d.start(e)
	require.Equal(t, event.Succeeded, d.wait(run).State, d.wait(run).Reason)
	require.NoError(t, d.script.Verify())
	told := map[bool]string{}
	for len(told) < 2 {
		notice := <-notices
		told[strings.Contains(notice, "waits for the index")] = notice
	}
	require.Contains(t, told[false], "the files for the model were chosen by words alone: the ")
	require.NotContains(t, d.promptsOf("explorer")[0], "## Map\n")
	require.Regexp(t, `## b_test\n\n<data-[0-9a-f]+>\ntwo`, d.promptsOf("executor")[1])
}

func TestExplore_AsksAProvider(t *testing.T) {
	t.Parallel()
	d := newHarness(t, sayExecutor)
	d.put(market)
	e := d.open()
	e.options.Outliner, e.host.Outliner = goOutliner{}, goOutliner{}
	m, err := e.Memory(t.Context(), d.root)
	require.NoError(t, err)
	_, err = m.SavePlaybook(t.Context(), memory.Playbook{Title: "Invoices", Content: "Round up.", Tags: []string{"pay"}, Source: memory.Source{Origin: memory.User}})
	require.NoError(t, err)
	unsaved := map[string]workspace.Document{"pay/new.go": {Path: "pay/new.go", Text: "package pay\n\nfunc Typed() {}\n"}}
	ask := func(provider, args string) Explored {
		said, err := e.Explore(t.Context(), workspace.Snapshot{Root: d.root, Unsaved: unsaved}, provider, json.RawMessage(args))
		require.NoError(t, err)
		require.LessOrEqual(t, len(said.Text), tool.MaxOutput)
		return said
	}
	for provider, c := range map[string][2]string{
		"read_file":        {`{"path":"pay/new.go"}`, "func Typed() {}"},
		"search_code":      {`{"pattern":"Typed"}`, "pay/new.go:3: func Typed() {}"},
		"symbol_list":      {`{"path":"pay/new.go"}`, "3: function Typed()"},
		"import_graph":     {`{"path":"pay/pay.go","depth":2}`, "pay/pay.go imports:\n  money/m.go\nthose import:\n  deep/deep.go"},
		"discover_context": {`{"query":"settle an invoice"}`, "pay/pay.go"},
		"repo_map":         {`{"query":"settle an invoice"}`, "Settle"},
		"run_tests":        {`{}`, "pass"},
		"playbooks":        {`{"tags":["pay"]}`, "# Invoices (pay)\nRound up."},
	} {
		said := ask(provider, c[0])
		require.False(t, said.Failed, "%s: %s", provider, said.Text)
		require.Contains(t, said.Text, c[1], provider)
	}
	require.Equal(t, ask("playbooks", `{}`), ask("playbooks", `{"tags":["pay"]}`))
	require.Contains(t, ask("git_diff", `{}`).Text, "no history")
	require.Contains(t, ask("write_file", `{"path":"x","content":"x"}`).Text, `there is no "write_file" here`)

	require.NoError(t, os.Truncate(filepath.Join(d.root, "noise/big.txt"), 1<<40))
	require.Contains(t, ask("read_file", `{"path":"noise/big.txt"}`).Text, "is larger than")
	d.put(map[string]string{".gitignore": "ignored.txt\n", "ignored.txt": "x\n"})
	require.Contains(t, ask("read_file", `{"path":"ignored.txt"}`).Text, "there is no file ignored.txt", "no run would have it")
	require.NoError(t, os.Remove(filepath.Join(d.root, "deep/deep.go")))
	require.Contains(t, ask("read_file", `{"path":"deep/deep.go"}`).Text, "there is no file")
}

// Tools that start programs of a folder wait until it is trusted, and report that; the others do not.
func TestExplore_UntrustedFolderStartsNothing(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "a"), []byte("one\n"), 0o600))
	e := New(Options{StateDir: t.TempDir(), Environ: os.Environ()})
	t.Cleanup(e.Close)
	for provider, refused := range map[string]bool{"run_tests": true, "lint_check": true, "past_runs": false} {
		said, err := e.Explore(t.Context(), workspace.Snapshot{Root: root}, provider, nil)
		require.NoError(t, err)
		require.Equal(t, refused, said.Failed, provider)
		require.Equal(t, refused, strings.Contains(said.Text, "which you have not trusted yet"), provider)
	}
	_, err := e.Explore(t.Context(), workspace.Snapshot{Root: filepath.Join(root, "gone")}, "git_log", nil)
	require.Error(t, err)
}

func TestExplore_WorksWithoutGit(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "a.go"), []byte("package a\n"), 0o600))
	e := New(Options{StateDir: t.TempDir(), Environ: []string{"PATH="}})
	t.Cleanup(e.Close)
	require.NoError(t, e.Trust(root))
	for provider, c := range map[string][2]string{
		"search_code": {`{"pattern":"package"}`, "a.go:1: package a"}, "repo_map": {`{}`, "a.go"},
		"git_log": {`{}`, "no history"}, "run_tests": {`{}`, "needs git"},
	} {
		said, err := e.Explore(t.Context(), workspace.Snapshot{Root: root}, provider, json.RawMessage(c[0]))
		require.NoError(t, err)
		require.Contains(t, said.Text, c[1], provider)
	}
}
