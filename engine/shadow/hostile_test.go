package shadow

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/engine/sandbox"
	"forge/patch"
)

// trapped is a repository full of programs that git would run. Each leaves a file in marks.
type trapped struct {
	root, marks, home string
}

// program is a command line that leaves a mark.
func (w trapped) program(name string) string { return "touch " + filepath.Join(w.marks, name) }

// executable makes a program file. A shell writes it: a file this process has open for writing could
// not be executed while another test starts a process.
func (w trapped) executable(t *testing.T, file, name string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o750))
	out, err := exec.Command("sh", "-c", `printf '#!/bin/sh\n%s\n' "$1" > "$2" && chmod +x "$2"`, "sh", w.program(name), file).CombinedOutput() //nolint:gosec // a test's own words
	require.NoError(t, err, string(out))
}

func newTrapped(t *testing.T) trapped {
	t.Helper()
	w := trapped{root: t.TempDir(), marks: t.TempDir(), home: t.TempDir()}
	w.repository(t, w.root)
	nested := filepath.Join(w.root, "vendor", "library")
	w.repository(t, nested)
	w.arm(t, nested, "nested ")
	w.arm(t, w.root, "")
	// A bare repository as plain files, which is how one comes with a clone.
	bare := filepath.Join(w.root, "assets")
	git(t, w.root, "init", "-q", "--bare", "--template=", bare)
	git(t, w.root, "--git-dir=assets", "config", "core.bare", "false")
	git(t, w.root, "--git-dir=assets", "config", "core.worktree", "..")
	git(t, w.root, "--git-dir=assets", "config", "core.fsmonitor", w.program("bare-fsmonitor")+"; false")
	put(t, w.home, ".gitconfig", "[core]\n\tfsmonitor = \""+w.program("home-fsmonitor")+"; false\"\n[filter \"home\"]\n\tclean = \""+
		w.program("home-filter")+"; cat\"\n\tsmudge = \""+w.program("home-filter")+"; cat\"\n")
	put(t, w.home, ".config/git/attributes", "* filter=home\n")
	w.disarm(t) // setting a trap may set it off
	return w
}

// repository is an ordinary one: committed files, and a change of the same size, for which git has to
// read the file.
func (w trapped) repository(t *testing.T, dir string) {
	t.Helper()
	put(t, dir, "a.txt", "aaaa\n")
	put(t, dir, "b.txt", "bbbb\n")
	git(t, dir, "init", "-q", "--template=")
	git(t, dir, "add", "a.txt", "b.txt")
	git(t, dir, "commit", "-q", "-m", "first")
	put(t, dir, "a.txt", "AAAA\n")
}

// configure adds settings to a repository's own, as git config does, without a git for each.
func configure(t *testing.T, dir string, settings map[string]string) {
	t.Helper()
	var text strings.Builder
	for key, value := range settings {
		section, name, _ := strings.Cut(key, ".")
		if at := strings.LastIndex(name, "."); at >= 0 {
			section, name = fmt.Sprintf("%s %q", section, name[:at]), name[at+1:]
		}
		fmt.Fprintf(&text, "[%s]\n\t%s = %q\n", section, name, value)
	}
	file, err := os.OpenFile(filepath.Join(dir, ".git", "config"), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = file.WriteString(text.String())
	require.NoError(t, err)
	require.NoError(t, file.Close())
}

func (w trapped) arm(t *testing.T, dir, prefix string) {
	t.Helper()
	name := func(vector string) string { return "'" + prefix + vector + "'" }
	put(t, dir, ".gitattributes", "[attr]filter filter=trap\n* text=auto filter=trap diff=trap merge=trap ident\n")
	configure(t, dir, map[string]string{
		"filter.trap.clean": w.program(name("clean")) + "; cat", "filter.trap.smudge": w.program(name("smudge")) + "; cat",
		"filter.trap.required": "true", "diff.trap.textconv": w.program(name("textconv")) + "; cat",
		"core.fsmonitor": w.program(name("fsmonitor")) + "; false", "merge.trap.driver": w.program(name("merge")),
		"gpg.program": w.program(name("gpg")), "core.sshCommand": w.program(name("ssh")), "core.editor": w.program(name("editor")),
		"alias.st": "!" + w.program(name("alias")), "diff.other.command": w.program(name("driver")),
	})
	for _, hook := range []string{"pre-commit", "post-checkout", "post-index-change", "reference-transaction", "post-commit", "pre-auto-gc"} {
		w.executable(t, filepath.Join(dir, ".git", "hooks", hook), name("hook-"+hook))
	}
	if prefix != "" {
		git(t, w.root, "-c", "advice.addEmbeddedRepo=false", "add", "vendor/library")
	}
}

func (w trapped) disarm(t *testing.T) {
	t.Helper()
	for name := range files(t, w.marks) {
		require.NoError(t, os.Remove(filepath.Join(w.marks, name)))
	}
}

// environ is the user's environment at its most dangerous.
func (w trapped) environ() []string {
	return append(cleanEnv(), "HOME="+w.home, "XDG_CONFIG_HOME="+filepath.Join(w.home, ".config"),
		"GIT_EXTERNAL_DIFF="+w.program("external-diff"), "GIT_DIR="+filepath.Join(w.root, ".git"), "GIT_WORK_TREE="+w.root,
		"GIT_INDEX_FILE="+filepath.Join(w.root, ".git", "index"), "GIT_PAGER="+w.program("pager"),
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0="+w.program("env-fsmonitor")+"; false")
}

func TestRepo_RunsNothingOfAHostileRepository(t *testing.T) {
	t.Parallel()
	w := newTrapped(t)
	before := fingerprint(t, w.root)
	ctx := t.Context()
	r, err := Open(ctx, sandbox.New(sandbox.Options{Environ: w.environ()}), t.TempDir(), w.root)
	require.NoError(t, err)
	for _, unsaved := range []map[string]string{nil, {"a.txt": "typed\n", "new.txt": "typed\n"}, nil} {
		s, err := r.Snapshots.Take(ctx, seen(w.root, unsaved))
		require.NoError(t, err)
		tree, err := r.Trees.Checkout(ctx, s)
		require.NoError(t, err)
		got := files(t, tree.Dir())
		require.Contains(t, got, "assets/config")
		require.NotContains(t, got, "vendor/library/a.txt")
		if unsaved == nil {
			require.Equal(t, "AAAA\n", got["a.txt"], "a snapshot in which git does nothing would look safe")
		}

		// The tree becomes hostile as well: what a model writes, and what its tests leave.
		require.NoError(t, tree.Apply(patch.ChangeSet{Files: []patch.FileChange{
			{Kind: patch.Create, Path: "sub/.gitattributes", After: "* filter=trap text eol=crlf\n"},
			{Kind: patch.Create, Path: "sub/file.txt", After: "text\n"},
			{Kind: patch.Update, Path: "b.txt", After: "BBBB\n"},
		}}))
		inner := filepath.Join(tree.Dir(), "inner")
		w.repository(t, inner)
		git(t, inner, "config", "core.fsmonitor", w.program("inner")+"; false")
		set, err := tree.Changes(ctx)
		require.NoError(t, err)
		require.Len(t, set.Files, 3)
		require.NoError(t, tree.Reset(ctx))
		require.Empty(t, cmp.Diff(got, files(t, tree.Dir())))
		require.NoError(t, tree.Close())

		id, err := r.Ledger.Record(ctx, Entry{RunID: "run", Title: "task", Time: time.Unix(1, 0), Changes: set})
		require.NoError(t, err)
		_, err = r.Ledger.Entry(ctx, id)
		require.NoError(t, err)
		_, err = r.Ledger.Entries(ctx)
		require.NoError(t, err)
		_, err = r.Trees.Sweep(ctx)
		require.NoError(t, err)
	}
	require.Empty(t, files(t, w.marks), "these ran")
	require.Empty(t, cmp.Diff(before, fingerprint(t, w.root)))
}

// The twin: plain git does run them. A trap that never goes off would prove nothing.
func TestPlainGit_FallsIntoTheTraps(t *testing.T) {
	t.Parallel()
	tests := []struct {
		mark string
		args []string
	}{
		{"clean", []string{"add", "a.txt"}},
		{"smudge", []string{"checkout-index", "-f", "a.txt"}},
		{"textconv", []string{"diff"}},
		{"fsmonitor", []string{"status"}},
		{"hook-post-index-change", []string{"add", "a.txt"}},
		{"hook-pre-commit", []string{"commit", "-q", "-m", "x"}},
		{"hook-reference-transaction", []string{"update-ref", "refs/x", "HEAD"}},
		{"nested clean", []string{"status"}},
		{"bare-fsmonitor", []string{"--git-dir=assets", "status"}},
		{"alias", []string{"st"}},
	}
	for _, tt := range tests {
		t.Run(tt.mark, func(t *testing.T) {
			t.Parallel()
			w := newTrapped(t)
			git(t, w.root, tt.args...)
			require.Contains(t, files(t, w.marks), tt.mark)
		})
	}
	for mark, args := range map[string][]string{"home-filter": {"add", "."}, "env-fsmonitor": {"status"}, "external-diff": {"diff", "--", "a.txt"}} {
		t.Run(mark, func(t *testing.T) {
			t.Parallel()
			w := newTrapped(t)
			require.NoError(t, os.Remove(filepath.Join(w.root, ".gitattributes")))
			require.NoError(t, os.RemoveAll(filepath.Join(w.root, "vendor")))
			cmd := exec.Command("git", args...) //nolint:gosec // a test's own words
			cmd.Dir, cmd.Env = w.root, w.environ()
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, string(out))
			require.Contains(t, files(t, w.marks), mark)
		})
	}
}
