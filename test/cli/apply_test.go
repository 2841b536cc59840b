package cli

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// quiet is a world without a model: applying a patch asks none.
func quiet(t *testing.T, files map[string]string) *world {
	t.Helper()
	w := &world{t: t, root: filepath.Join(t.TempDir(), "project"), home: t.TempDir(), journal: newJournal()}
	require.NoError(t, os.Mkdir(w.root, 0o755))
	w.environ = append(os.Environ(), "FORGE_HOME="+w.home, "FORGE_BASE_URL=http://127.0.0.1:1/v1", "FORGE_MODEL=none")
	w.put(files)
	return w
}

// patchFile writes a patch beside the folder.
func (w *world) patchFile(text string) string {
	w.t.Helper()
	path := filepath.Join(filepath.Dir(w.root), "change.patch")
	require.NoError(w.t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// all are the files of the folder and of those in it.
func (w *world) all() map[string]string {
	w.t.Helper()
	found := map[string]string{}
	require.NoError(w.t, filepath.WalkDir(w.root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		rel, _ := filepath.Rel(w.root, path)
		data, err := os.ReadFile(path)
		found[filepath.ToSlash(rel)] = string(data)
		return err
	}))
	return found
}

// pipe runs the program with an input.
func (w *world) pipe(input string, args ...string) (code int, stdout, stderr string) {
	w.t.Helper()
	c := w.command(w.t.Context(), args...)
	c.Stdin = strings.NewReader(input)
	return execute(w.t, c)
}

// applyOutcome is what forge apply --json prints.
type applyOutcome struct {
	RunID, State, Reason, Diff, Checkpoint, Error string
	Files                                         []struct{ Path, State string }
	Hunks                                         []batchHunk
	Refusal                                       *batchError
	Unconfirmed                                   []locatedHunk
}

type locatedHunk struct {
	Path          string
	Hunk, Line    int
	Score         float64
	Before, After string
}

func applyOutcomeOf(t *testing.T, stdout string) applyOutcome {
	t.Helper()
	var o applyOutcome
	require.NoError(t, json.Unmarshal([]byte(stdout), &o), stdout)
	return o
}

// poem is a folder that patches are applied to, and change one of them: it updates, creates, deletes and
// moves, and one of its lines lost the space at its end.
func poem() map[string]string {
	return map[string]string{"poem.txt": "roses\r\nare \r\nred\r\n", "old.txt": "old\n", "here.txt": "moved\nfile\n", "left/alone.txt": "same\n"}
}

var change = v4a("*** Update File: poem.txt", "@@", " are", "-red", "+blue", "*** Add File: new/add.txt", "+added",
	"*** Delete File: old.txt", "*** Update File: here.txt", "*** Move to: there.txt", "@@", "-moved", "+Moved", " file")

// actions are what change is, as an action list.
const actions = "Here is what I do:\n\n```json\n" + `[
  {"path": "poem.txt", "action": "patch", "content": "*** Begin Patch\n@@\n are\n-red\n+blue\n*** End Patch"},
  {"path": "new/add.txt", "action": "create", "content": "added\n"},
  {"path": "old.txt", "action": "delete", "content": ""},
  {"path": "here.txt", "action": "patch", "to": "there.txt", "content": "@@\n-moved\n+Moved\n file\n"}
]` + "\n```\n"

func changed4() map[string]string {
	return map[string]string{"poem.txt": "roses\r\nare \r\nblue\r\n", "new/add.txt": "added\n", "there.txt": "Moved\nfile\n", "left/alone.txt": "same\n"}
}

func TestApplyCommand_AppliesAndUndoesAPatch(t *testing.T) {
	t.Parallel()
	for name, apply := range map[string]func(w *world) (int, string, string){
		"from a file":    func(w *world) (int, string, string) { return w.run("apply", "--yes", "--trust", w.patchFile(change)) },
		"from the input": func(w *world) (int, string, string) { return w.pipe(change, "apply", "--yes", "--trust", "-") },
		"in another folder": func(w *world) (int, string, string) {
			return w.elsewhere("apply", "--yes", "--trust", "--dir", w.root, w.patchFile(change))
		},
		"with a named notation": func(w *world) (int, string, string) {
			return w.pipe(change, "apply", "--yes", "--trust", "--format", "v4a", "-")
		},
		"as actions": func(w *world) (int, string, string) { return w.run("apply", "--yes", "--trust", w.patchFile(actions)) },
		"as actions by name": func(w *world) (int, string, string) {
			return w.pipe(actions, "apply", "--yes", "--trust", "--format", "actions", "-")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := quiet(t, poem())
			code, stdout, stderr := apply(w)
			require.Zero(t, code, stderr)
			require.Contains(t, stdout, "-red")
			require.Contains(t, stdout, "rename to there.txt")
			require.Contains(t, stderr, "line 2 of poem.txt")
			require.Contains(t, stderr, "level: trailing space")
			require.NotContains(t, stderr, "of there.txt", "the twin: what fits to the byte is not remarked on")
			require.Contains(t, stderr, "[forge] applied poem.txt")
			require.Contains(t, stderr, "to undo: forge undo a-")
			require.Equal(t, changed4(), w.all())
			code, _, stderr = w.run("undo", "--yes")
			require.Zero(t, code, stderr)
			require.Equal(t, poem(), w.all())
			require.NoDirExists(t, filepath.Join(w.root, "new"), "made with the file in it")
		})
	}
}

// elsewhere runs the program in a folder that has nothing to do with it.
func (w *world) elsewhere(args ...string) (code int, stdout, stderr string) {
	w.t.Helper()
	c := w.command(w.t.Context(), args...)
	c.Dir = w.t.TempDir()
	return execute(w.t, c)
}

func TestApplyCommand_ReportsAsJSON(t *testing.T) {
	t.Parallel()
	w := quiet(t, poem())
	code, stdout, stderr := w.pipe(change, "apply", "--json", "--yes", "--trust", "-")
	require.Zero(t, code, stderr)
	o := applyOutcomeOf(t, stdout)
	require.Equal(t, "applied", o.State)
	require.NotEmpty(t, o.Checkpoint)
	require.Contains(t, o.Diff, "+blue")
	require.Len(t, o.Files, 5, "a moved file is one that comes and one that goes")
	require.Equal(t, []batchHunk{{"poem.txt", "trailing space", 0.9, 2}, {"there.txt", "exact", 1, 1}}, o.Hunks)
	require.Nil(t, o.Refusal)
	code, _, stderr = w.run("undo", "--yes", o.RunID)
	require.Zero(t, code, stderr)
	require.Equal(t, poem(), w.all())
}

// A failed apply leaves the folder unchanged, to the byte and the modification time.
func TestApplyCommand_FailureChangesNothing(t *testing.T) {
	t.Parallel()
	stale := v4a("*** Add File: add.txt", "+a", "*** Update File: poem.txt", "@@", " are", "-green", "+blue")
	over := v4a("*** Add File: old.txt", "+new", "*** Update File: poem.txt", "@@", "-red", "+blue")
	onto := v4a("*** Update File: here.txt", "*** Move to: old.txt", "@@", "-moved", "+Moved", " file")
	for name, c := range map[string]struct {
		input string
		args  []string
		code  int
		state string
		says  []string
	}{
		"a dry run":              {change, []string{"--dry-run"}, 0, "previewed", []string{"level: trailing space"}},
		"a dry run that is sure": {change, []string{"--dry-run", "--yes", "--trust", "--overwrite"}, 0, "previewed", nil},
		"no confirmation":        {change, []string{"--trust"}, 3, "declined", []string{"Use --yes"}},
		"no trust":               {change, []string{"--yes"}, 3, "declined", []string{"is not trusted", "--trust"}},
		"a stale file":           {stale, []string{"--yes", "--trust"}, 1, "refused", []string{"poem.txt: hunk 1 does not match", "    3 | red"}},
		"no patch":               {"please do it", []string{"--yes", "--trust"}, 1, "refused", []string{"patch line 1"}},
		"an empty input":         {"", []string{"--yes", "--trust"}, 1, "refused", []string{"patch line 1"}},
		"a path outside":         {v4a("*** Add File: ../x.txt", "+a"), []string{"--yes", "--trust"}, 1, "refused", []string{"leaves the root"}},
		"a hook of git":          {v4a("*** Add File: .git/hooks/pre-commit", "+a"), []string{"--yes", "--trust", "--overwrite"}, 1, "refused", []string{"git directory"}},
		"a link to the outside":  {v4a("*** Update File: link.txt", "@@", "-outside", "+x"), []string{"--yes", "--trust"}, 1, "refused", []string{"link.txt"}},
		"a file in the way":      {over, []string{"--yes", "--trust"}, 3, "declined", []string{"old.txt exists already", "--overwrite", "would be replaced"}},
		"a move onto a file":     {onto, []string{"--yes", "--trust"}, 3, "declined", []string{"old.txt exists already", "--overwrite"}},
		"a folder in the way":    {v4a("*** Add File: left", "+new"), []string{"--yes", "--trust", "--overwrite"}, 1, "refused", []string{"left"}},
		"an unknown action":      {`[{"path": "poem.txt", "action": "\u001b[31mburn"}]`, []string{"--yes", "--trust"}, 1, "refused", []string{"action 1", "is unknown: want one of create"}},
		"actions, one is stale":  {strings.Replace(actions, "-red", "-green", 1), []string{"--yes", "--trust"}, 1, "refused", []string{"poem.txt: hunk 1 does not match"}},
		"an action onto a file":  {`[{"path": "old.txt", "action": "create", "content": "new"}]`, []string{"--yes", "--trust"}, 3, "declined", []string{"old.txt exists already", "--overwrite", "would be replaced"}},
		"a move by action":       {`[{"path": "here.txt", "action": "move", "to": "old.txt"}]`, []string{"--yes", "--trust"}, 3, "declined", []string{"old.txt exists already", "--overwrite"}},
		"actions read as V4A":    {actions, []string{"--yes", "--trust", "--format", "v4a"}, 1, "refused", []string{"patch line 1"}},
		"escapes of a terminal":  {v4a("*** Update File: poem.txt", "@@", "-\x1b[31mred", "+x"), []string{"--yes", "--trust"}, 1, "refused", []string{"does not match"}},
	} {
		for _, asJSON := range []bool{false, true} {
			t.Run(name+map[bool]string{true: ", as JSON"}[asJSON], func(t *testing.T) {
				t.Parallel()
				w := quiet(t, poem())
				require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(w.root), "outside.txt"), []byte("outside\n"), 0o600))
				require.NoError(t, os.Symlink("../outside.txt", filepath.Join(w.root, "link.txt")))
				before := fingerprint(t, w.root)
				args := append([]string{"apply"}, c.args...)
				if asJSON {
					args = append(args, "--json")
				}
				code, stdout, stderr := w.pipe(c.input, append(args, "-")...)
				require.Equal(t, c.code, code, stdout+stderr)
				for _, part := range c.says {
					require.Contains(t, stderr, part)
				}
				require.NotContains(t, stdout+stderr, "\x1b")
				readsWell(t, stdout+stderr)
				require.Equal(t, before, fingerprint(t, w.root))
				if asJSON {
					o := applyOutcomeOf(t, stdout)
					require.Equal(t, c.state, o.State)
					require.Equal(t, c.state == "refused", o.Refusal != nil)
					require.Empty(t, o.Files)
				}
				if asJSON && c.code == 3 && len(c.says) > 1 {
					require.Contains(t, applyOutcomeOf(t, stdout).Reason, c.says[1])
				}
				if c.state == "previewed" {
					entries, err := os.ReadDir(w.home)
					require.NoError(t, err)
					require.Empty(t, entries, "a dry run leaves nothing of Forge's own either")
				}
			})
		}
	}
}

// --overwrite replaces existing files, and undo restores them.
func TestApplyCommand_OverwriteReplacesAndUndoRestores(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		patch string
		want  map[string]string
	}{
		"by a new file":   {v4a("*** Add File: old.txt", "+new"), map[string]string{"old.txt": "new\n"}},
		"by a moved file": {v4a("*** Update File: here.txt", "*** Move to: old.txt", "@@", "-moved", "+Moved", " file"), map[string]string{"old.txt": "Moved\nfile\n", "here.txt": ""}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := quiet(t, poem())
			code, stdout, stderr := w.pipe(c.patch, "apply", "--yes", "--trust", "--overwrite", "-")
			require.Zero(t, code, stderr)
			require.Contains(t, stdout, "-old")
			require.Contains(t, stderr, "old.txt exists already and would be replaced")
			want := poem()
			for path, text := range c.want {
				want[path] = text
				if text == "" {
					delete(want, path)
				}
			}
			require.Equal(t, want, w.all())
			code, _, stderr = w.run("undo", "--yes")
			require.Zero(t, code, stderr)
			require.Equal(t, poem(), w.all())
		})
	}
}

// An action that writes a whole text needs no flag: it replaces the file and keeps its line endings.
func TestApplyCommand_WriteActionsKeepLineEndings(t *testing.T) {
	t.Parallel()
	w := quiet(t, poem())
	code, stdout, stderr := w.pipe(`{"actions": [{"path": "poem.txt", "action": "update", "content": "violets\nare\n"}, {"path": "n.txt", "action": "write", "content": "n"}]}`,
		"apply", "--yes", "--trust", "-")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "+violets")
	require.NotContains(t, stderr, "check this")
	want := poem()
	want["poem.txt"], want["n.txt"] = "violets\r\nare\r\n", "n"
	require.Equal(t, want, w.all())
	code, _, stderr = w.run("undo", "--yes")
	require.Zero(t, code, stderr)
	require.Equal(t, poem(), w.all())
}

func TestApplyCommand_RejectsInvalidArguments(t *testing.T) {
	t.Parallel()
	w := quiet(t, poem())
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"no patch":             {[]string{}, "name its file, - for stdin"},
		"two patches":          {[]string{"a", "b"}, "name one file"},
		"a missing patch":      {[]string{"gone.patch"}, "gone.patch: no such file"},
		"a folder for a patch": {[]string{"left"}, "left"},
		"a missing folder":     {[]string{"--dir", "gone", "-"}, "gone does not exist"},
		"an unknown notation":  {[]string{"--format", "fly", "-"}, "--format fly: want one of actions, auto, "},
		"a patch for --batch":  {[]string{"--batch", "-"}, "leave the file out"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := w.run(append([]string{"apply"}, c.args...)...)
			require.Equal(t, 2, code, stdout+stderr)
			require.Contains(t, stderr, c.says)
			readsWell(t, stderr)
		})
	}
}

// forge apply accepts the output of git diff: a change, a new file, a deleted one and a renamed one.
func TestApplyCommand_AppliesGitDiffs(t *testing.T) {
	t.Parallel()
	w := quiet(t, poem())
	w.git("init", "--quiet")
	w.git("config", "core.autocrlf", "false")
	w.git("add", "--all")
	w.git("commit", "--quiet", "--message", "one")
	w.put(map[string]string{"poem.txt": "roses\r\nare \r\nblue\r\n", "new/add.txt": "added\n", "there.txt": "Moved\nfile\n"})
	w.git("rm", "--quiet", "-f", "old.txt", "here.txt")
	w.git("add", "--all")
	diff, err := exec.Command("git", "-C", w.root, "diff", "--cached", "--find-renames=30%").Output()
	require.NoError(t, err)
	require.Contains(t, string(diff), "rename to there.txt")
	w.git("reset", "--quiet", "--hard")
	require.Equal(t, poem(), w.visible())
	code, _, stderr := w.pipe(string(diff), "apply", "--yes", "--trust", "-")
	require.Zero(t, code, stderr)
	require.Equal(t, changed4(), w.visible())
	code, _, stderr = w.run("undo", "--yes")
	require.Zero(t, code, stderr)
	require.Equal(t, poem(), w.visible())
}

// visible are the files without git's.
func (w *world) visible() map[string]string {
	w.t.Helper()
	found := w.all()
	maps.DeleteFunc(found, func(path, _ string) bool { return strings.HasPrefix(path, ".git/") })
	return found
}
