package secrets

import (
	"compress/zlib"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// everything is what a user may do with the program in an hour: a run whose result is applied, looked at and undone.
func (w *world) everything() {
	t := w.t
	task := "add a refund; the token " + w.canary("GITHUB_TOKEN") + " must not matter"
	code, out := w.run("run", "--yes", "--trust", "--json", "--file", "pay.go", task)
	require.Zero(t, code, "%s\n%s", out, w.said)
	id := runOf(t, out)
	for _, args := range [][]string{
		{"runs"}, {"runs", "--json"}, {"log", id}, {"events", id}, {"doctor"}, {"checkpoints"},
		{"runs", "show", id}, {"runs", "show", id, "--json"}, {"runs", "show", id, "--call", "1"}, {"runs", "show", id, "--call", "2"}, {"runs", "show", id, "--call", "3", "--json"},
		{"runs", "show", id, "--report"}, {"commit-message", id}, {"conversations"}, {"conversations", id}, {"worktrees"},
		{"projects"}, {"sessions"},
		{"memory", "set", "note", "the key is " + w.canary("JWT_SECRET") + " and " + w.canary("hard-coded")},
		{"memory", "set", "another", "the key is " + w.canary("keychain, key of provider4")}, {"memory", "list"}, {"memory", "get", "note"},
		{"memory", "export"}, {"spec"}, {"search", "refund"}, {"search", "--limit", "50", "a b h q x 1"}, {"map"},
		{"explore", "read_file", "leak.txt"}, {"explore", "read_file", "pay.go", "--json"}, {"explore", "read_file", ".env"}, {"explore", "git_diff"},
		{"explore", "search_code", "(?i)key|token|secret|a .* b"}, {"explore", "symbol_list", "pay.go"}, {"explore", "run_tests"}, {"explore", "past_runs"},
		{"cost"}, {"cost", "--json"}, {"batch", "list"}, {"models"}, {"models", "--json"}, {"models", "--provider", "provider0"}, {"doctor", "--json"},
		{"setup", "openai", "--from-env", "STRIPE_SECRET_KEY", "--no-test"}, {"setup", "anthropic", "--from-env", "HF_TOKEN"}, {"gc", "--dry-run"},
	} {
		w.run(args...)
	}
	w.reading(id)
}

// reading is what a user may look at, ask and have written without a change of code.
func (w *world) reading(id string) {
	question := "what does Pay do, and is " + w.canary("JWT_SECRET") + " right?"
	for _, args := range [][]string{
		{"skills"}, {"skills", "--json"}, {"graph", "show", id}, {"graph", "show", id, "--json"},
		{"prompt", "--dry-run", "--file", "pay.go", question}, {"prompt", "--dry-run", "--json", "--file", "pay.go", question},
		{"prompt", "--dry-run", "--node", "orchestrator", question},
		{"ask", "--file", "pay.go", question}, {"ask", "--json", "--file", "pay.go", question}, {"spec", "--yes", "refunds, without " + w.canary("GITHUB_TOKEN")}, {"spec"}, {"spec", "--json"},
	} {
		code, out := w.run(args...)
		require.Zero(w.t, code, "%v: %s\n%s", args, out, w.output())
	}
	for _, args := range [][]string{{"review", "--file", "pay.go"}, {"review", "--json", "--file", "pay.go"}} {
		code, out := w.run(args...)
		require.Equal(w.t, 1, code, "an issue is an error: %s\n%s", out, w.output())
	}
	w.run("validate")
	w.run("validate", "--json")
	w.run("explore", "skills")
	answers, err := filepath.Glob(filepath.Join(w.home, "projects", "*", "runs", "*.md"))
	require.NoError(w.t, err)
	require.NotEmpty(w.t, answers, "answers are kept, and looked through")
}

// A run that fails says why, and what it says has no secret either.
func TestCanaries_FailedRunLeaksNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, forge, failing)
	code, out := w.run("run", "--yes", "--trust", "add a refund")
	require.NotZero(t, code, out)
	w.run("runs")
	w.run("log")
	require.Empty(t, table(w.found()))
}

// A process that is killed leaves what it had, and one that is asked for its goroutines shows them. The next one goes on
// with what the first one knew.
func TestCanaries_CrashLeaksNone(t *testing.T) {
	t.Parallel()
	for _, place := range testkit.Sample(1, []string{"run.model.kept:4", "run.tree.written:2", "run.proposal"}) {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, forge, script)
			code, out := w.runWith([]string{"FORGE_FAILPOINT=" + place}, "run", "--yes", "--trust", "--json", "--file", "pay.go", "add a refund")
			require.Equal(t, -1, code, "it was killed: %s", out)
			require.Empty(t, table(w.found()), "as the killed process left it")
			id := runOf(t, out)
			code, out = w.run("resume", "--yes", id)
			require.Zero(t, code, out)
			require.Empty(t, table(w.found()))
			require.Contains(t, w.read("pay.go"), "func Refund(cents int) int")
			require.Contains(t, w.read("pay.go"), w.canary("hard-coded"))
		})
	}
}

// The shadow repository contains the files that git would track, and no others.
func TestShadow_OmitsIgnoredFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, forge, script)
	code, out := w.run("run", "--yes", "--trust", "--json", "--file", "pay.go", "add a refund")
	require.Zero(t, code, out)
	repositories, err := filepath.Glob(filepath.Join(w.home, "shadow", "*", "git"))
	require.NoError(t, err)
	require.Len(t, repositories, 1)
	objects, err := exec.Command("git", "--git-dir", repositories[0], "cat-file", "--batch", "--batch-all-objects").Output()
	require.NoError(t, err)
	require.NotEmpty(t, look(w.canaries, "objects", string(objects)), "it has the user's own files as they are")
	require.Empty(t, table(look(w.ignored, "objects", string(objects))))
	texts, err := filepath.Glob(filepath.Join(w.home, "shadow", "*", "texts", "*", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, texts, "the journal names texts of files that have secrets")
	for _, name := range texts {
		info, err := os.Stat(name)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
		require.Empty(t, table(look(w.ignored, name, inflated(t, name))))
	}
}

func inflated(t *testing.T, name string) string {
	t.Helper()
	file, err := os.Open(name)
	require.NoError(t, err)
	defer file.Close()
	r, err := zlib.NewReader(file)
	require.NoError(t, err)
	text, err := io.ReadAll(r)
	require.NoError(t, err)
	return string(text)
}

func runOf(t *testing.T, out string) string {
	t.Helper()
	_, rest, found := strings.Cut(out, `"runId":"`)
	require.True(t, found, out)
	id, _, _ := strings.Cut(rest, `"`)
	return id
}

func TestCanaries_FullSessionLeaksNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, forge, talking)
	require.Len(t, w.canaries, 53)
	w.canaries = append(w.canaries, known)
	w.everything()
	require.Empty(t, table(w.found()))
	for i := range 5 {
		require.Positive(t, w.keychain.asked(fmt.Sprintf("provider%d", 2*i)), "what was not found was read from the keychain")
	}
	require.Contains(t, string(w.database("cache.db")), "It refunds.", "answers are kept")
	require.Equal(t, w.canary("STRIPE_SECRET_KEY"), w.keychain.secret("openai"), "what forge setup keeps")
	now := w.read("pay.go")
	require.Contains(t, now, "func Refund(cents int) int { return -cents }")
	require.Contains(t, now, w.canary("hard-coded"), "what the model was not shown is there as it was")
	require.NotContains(t, now, "[redacted")
}

// TestCanaries_ScanFindsThemWithoutRedaction is the same with the redactor off.
func TestCanaries_ScanFindsThemWithoutRedaction(t *testing.T) {
	t.Parallel()
	w := newWorld(t, blind, talking)
	w.canaries = append(w.canaries, known)
	w.everything()
	seen := map[string]bool{}
	for _, f := range w.found() {
		seen[f.canary] = true
	}
	for _, c := range w.canaries {
		hidden := false
		for _, i := range w.ignored {
			hidden = hidden || i.name == c.name
		}
		require.Equal(t, !hidden, seen[c.name], c.name)
	}
}
