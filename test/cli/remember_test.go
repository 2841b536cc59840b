package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/api"
	"forge/engine/workspace"
	"forge/memory"
)

// remembering opens the memory of the folder, as a run does.
func (w *world) remembering(now time.Time) *memory.Project {
	w.t.Helper()
	dir, err := workspace.ProjectDir(w.home, w.root)
	require.NoError(w.t, err)
	m, err := memory.Open(w.t.Context(), w.home, filepath.Base(dir), memory.Options{Now: func() time.Time { return now }})
	require.NoError(w.t, err)
	w.t.Cleanup(func() { _ = m.Close() })
	return m
}

func rowsOf(r api.MemoryResult) []string {
	var rows []string
	for _, row := range r.Rows {
		rows = append(rows, strings.TrimSpace(row.Scope+" "+row.Kind+" "+row.Key+row.Category+": "+row.Text))
	}
	return rows
}

func TestMemoryCommand_StoresListsAndForgets(t *testing.T) {
	t.Parallel()
	w := scripted(t, whole, nil)
	set := asked[api.MemoryRow](w, "memory", "set", "build.command", "make all")
	require.Equal(t, api.MemoryRow{
		ID: "entry-1", Scope: "project", Kind: "entry", Tier: "long", Key: "build.command", Text: "make all", Updated: set.Updated, Source: "user",
	}, set)
	asked[api.MemoryRow](w, "memory", "set", "limits", `{"tokens": 5}`, "--scope", "global")
	asked[api.MemoryRow](w, "memory", "set", "files", "a.go", "--tier", "mid", "--agent", "executor")
	m := w.remembering(time.Now())
	_, err := m.SavePattern(t.Context(), memory.Pattern{Category: memory.Convention, Text: "make is the build", Source: memory.Source{Origin: memory.User}})
	require.NoError(t, err)

	_, stdout, _ := w.run("memory", "get", "limits")
	require.Equal(t, "{\"tokens\": 5}\n", stdout, "what holds for all folders is read where the folder has nothing of its own")
	require.Equal(t, []string{
		"project entry build.command: make all", "project entry files: a.go", "project pattern convention: make is the build",
		`global entry limits: {"tokens": 5}`,
	}, rowsOf(asked[api.MemoryResult](w, "memory", "list")))
	require.Equal(t, []string{"project entry files: a.go"}, rowsOf(asked[api.MemoryResult](w, "memory", "list", "--tier", "mid")))
	found := rowsOf(asked[api.MemoryResult](w, "memory", "search", "how", "to", "make"))
	require.Contains(t, found, "project entry build.command: make all")
	require.NotContains(t, found, "project entry files: a.go")

	why := asked[api.MemoryWhyResult](w, "memory", "why", "entry-1")
	require.Equal(t, "user", why.Origin)
	require.Contains(t, why.What, "build.command")
	require.Equal(t, "entry-1", asked[api.MemoryForgotten](w, "memory", "forget", "entry-1").ID)
	require.Contains(t, w.refused(1, "memory", "get", "build.command"), "memory has no row build.command")
}

// Exported memory can be imported elsewhere, with its origin. A bad line is named and does not prevent the import of
// the others.
func TestMemoryCommand_ExportsAndImports(t *testing.T) {
	t.Parallel()
	one, other := scripted(t, whole, nil), scripted(t, whole, nil)
	asked[api.MemoryRow](one, "memory", "set", "build", "make")
	asked[api.MemoryRow](one, "memory", "set", "test", "make test")
	_, exported, _ := one.run("memory", "export")
	require.Equal(t, 2, strings.Count(exported, "\n"))
	_, again, _ := one.run("memory", "export")
	require.Equal(t, exported, again)

	file := filepath.Join(t.TempDir(), "memory.jsonl")
	require.NoError(t, os.WriteFile(file, []byte(exported+"{\"kind\":\"riddle\"}\n"), 0o600))
	code, stdout, stderr := other.run("memory", "import", file)
	require.Equal(t, 1, code)
	require.Equal(t, "2 added, 0 already known, 1 bad\n", stdout)
	require.Contains(t, stderr, "line 3: ")

	read := other.command(t.Context(), "memory", "import", "-", "--json")
	read.Stdin = strings.NewReader(exported)
	code, stdout, stderr = execute(t, read)
	require.Zero(t, code, stderr)
	require.JSONEq(t, `{"added": 0, "known": 2, "bad": []}`, stdout)
	row := asked[api.MemoryRow](other, "memory", "get", "build")
	require.Equal(t, "make", row.Text)
	require.Contains(t, row.Source, "import")
}

func TestSpecCommand_ShowsAndComparesVersions(t *testing.T) {
	t.Parallel()
	w := scripted(t, whole, nil)
	m := w.remembering(time.Now())
	for _, text := range []string{"Add adds.\n", "Add adds two numbers.\n"} {
		_, err := m.SaveSpec(t.Context(), memory.Spec{Prompt: "add Add", Text: text, Changelog: "more", Source: memory.Source{Origin: memory.Model, Run: "r-1"}})
		require.NoError(t, err)
	}
	require.Equal(t, "Add adds two numbers.\n", asked[api.SpecResult](w, "spec").Text)
	first := asked[api.SpecResult](w, "spec", "--version", "1")
	require.Equal(t, "Add adds.\n", first.Text)
	require.Equal(t, "model, run r-1", first.Source)
	_, stdout, _ := w.run("spec", "diff", "1", "2")
	require.Contains(t, stdout, "\n-Add adds.\n+Add adds two numbers.\n")
	_, stdout, stderr := w.run("spec", "diff", "2", "2")
	require.Empty(t, stdout)
	require.Contains(t, stderr, "are equal")

	back := asked[api.SpecResult](w, "spec", "rollback", "1")
	require.Equal(t, 3, back.Version)
	require.Equal(t, "Add adds.\n", back.Text)
	require.Equal(t, "Back to version 1.", back.Changelog)
	require.Equal(t, "user", back.Source)
	require.Equal(t, "Add adds two numbers.\n", asked[api.SpecResult](w, "spec", "--version", "2").Text, "nothing is taken back")
}

// A run's specification is stored as one version, also after the run was killed and resumed.
func TestRunSpec_IsStoredOnce(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideSpec+writeSpec+writeTests+writeRight+reviewPass, sumModule())
	id := w.cut("gate.finished")
	require.Contains(t, w.refused(1, "spec"), "has no such version of the specification", "the run has not ended")
	code, _, stderr := w.run("resume", "--yes")
	require.Zero(t, code, stderr)
	w.played()
	spec := asked[api.SpecResult](w, "spec")
	require.Regexp(t, "^model, run "+id+`, spec, event \d+$`, spec.Source)
	require.Equal(t, api.SpecResult{
		Version: 1, Text: "Add returns the sum.", Prompt: "add Add", Changelog: "Add adds", Created: spec.Created, Source: spec.Source,
	}, spec)
}

// A specification without approval is not stored.
func TestRunSpec_UnapprovedIsNotStored(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideSpec+writeSpec, sumModule())
	code, _, stderr := w.run("run", "--trust", "add Add") // without a terminal there is no approval
	require.Equal(t, 3, code, stderr)
	require.Contains(t, w.refused(1, "spec"), "has no such version of the specification")
}

// gc removes what has lived its time, says what that was, and before that what it would be. It removes nothing else.
func TestGCCommand_RemovesOnlyExpiredData(t *testing.T) {
	t.Parallel()
	w := scripted(t, whole, sumModule())
	_, _, stderr := w.run("worktrees")
	require.Contains(t, stderr, "no scratch tree")
	code, _, stderr := w.run("run", "--trust", "--yes", "add Add")
	require.Zero(t, code, stderr)
	w.scratchTreesArePruned()
	old := w.remembering(time.Now().Add(-100 * 24 * time.Hour))
	_, err := old.Write(t.Context(), memory.Entry{Tier: memory.Episodic, Key: "then", Value: memory.JSON("x"), Source: memory.Source{Origin: memory.User}})
	require.NoError(t, err)
	require.NoError(t, old.Close())
	asked[api.MemoryRow](w, "memory", "set", "now", "y", "--tier", "episodic")
	dir, err := workspace.ProjectDir(w.home, w.root)
	require.NoError(t, err)
	orphan := filepath.Join(dir, "runs", "r-gone.jsonl")
	require.NoError(t, os.WriteFile(orphan, []byte("{}\n"), 0o600))

	would := asked[api.GCResult](w, "gc", "--dry-run")
	require.True(t, would.DryRun)
	require.Equal(t, 1, would.MemoryRows)
	require.Equal(t, 1, would.EventFiles)
	require.FileExists(t, orphan)

	did := asked[api.GCResult](w, "gc")
	require.Equal(t, would.MemoryRows, did.MemoryRows)
	require.Equal(t, would.EventFiles, did.EventFiles)
	require.NoFileExists(t, orphan)
	require.Positive(t, did.BytesAfter)
	left := slices.DeleteFunc(rowsOf(asked[api.MemoryResult](w, "memory", "list")), func(row string) bool {
		return strings.Contains(row, " executor_done_at: ") || strings.Contains(row, " last_files_generated: ") || strings.Contains(row, " workdir: ")
	})
	require.Equal(t, []string{
		"project entry now: y",
		"project pattern success_pattern: feature:.", // what gates have taught does not age
		"project pattern test_command: go test -buildvcs=false -vet=off -fullpath -json ./...",
	}, left, "beside what goes a day after the run")
	require.Len(t, asked[api.RunsResult](w, "runs").Runs, 1)
	require.Len(t, asked[api.CheckpointsResult](w, "checkpoints").Checkpoints, 1)
	again := asked[api.GCResult](w, "gc")
	require.Zero(t, again.MemoryRows+again.EventFiles)
	code, _, stderr = w.run("undo", "--yes")
	require.Zero(t, code, stderr)
	require.Empty(t, w.read("add.go"), "what was accepted can be undone afterwards")
}

// In a folder that is not trusted gc leaves alone what only git could clean, and says so.
func TestGCCommand_SkipsTheShadowOfAnUntrustedFolder(t *testing.T) {
	t.Parallel()
	w := scripted(t, whole, sumModule())
	code, _, stderr := w.run("search", "sum")
	require.Zero(t, code, stderr)
	require.Positive(t, asked[api.Project](w, "project").ShadowBytes)
	code, stdout, stderr := w.run("gc")
	require.Zero(t, code, stderr)
	require.Contains(t, stderr, "snapshots and the ledger were not collected: the folder is not trusted")
	require.Contains(t, stdout, "0 B freed")
}

func TestProjectCommand_ShowsStoredData(t *testing.T) {
	t.Parallel()
	w := scripted(t, whole, nil)
	empty := asked[api.Project](w, "project")
	require.False(t, empty.Trusted)
	require.Zero(t, empty.RunBytes+empty.MemoryBytes+empty.ShadowBytes)
	require.Empty(t, asked[api.ProjectsResult](w, "projects").Projects, "to look at a folder leaves nothing")

	asked[api.MemoryRow](w, "memory", "set", "a", "b")
	p := asked[api.Project](w, "project")
	require.Equal(t, api.FileURI(w.root), p.Folder)
	require.Positive(t, p.MemoryBytes)
	require.Equal(t, []api.Project{p}, asked[api.ProjectsResult](w, "projects").Projects)
	require.NoError(t, os.RemoveAll(w.root))
	gone := asked[api.ProjectsResult](&world{t: t, root: filepath.Dir(w.root), environ: w.environ}, "projects").Projects
	require.Len(t, gone, 1)
	require.True(t, gone[0].Gone)
	require.Equal(t, p.ID, gone[0].ID)
}
