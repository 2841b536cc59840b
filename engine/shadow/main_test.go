package shadow

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/sandbox"
	"forge/engine/workspace"
	"forge/internal/testkit"
)

func TestMain(m *testing.M) {
	if what := os.Getenv(helper); what != "" {
		os.Exit(playForge(what))
	}
	if err := testkit.RapidChecks(6); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func runner() sandbox.Runner { return sandbox.New(sandbox.Options{Environ: os.Environ()}) }

// direct starts git by itself. The launcher of engine/sandbox takes ten times as long as git does; tests of hostile repositories, of
// processes that die and of a git that is missing use it all the same.
type direct struct{}

func (direct) Run(ctx context.Context, c sandbox.Command) (sandbox.Result, error) {
	var out, messages bytes.Buffer
	cmd := exec.CommandContext(ctx, c.Argv[0], c.Argv[1:]...) //nolint:gosec // git
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Dir, c.Stdin, &out, &messages
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}, c.Env...)
	err := cmd.Run()
	if ended := (*exec.ExitError)(nil); err != nil && !errors.As(err, &ended) {
		return sandbox.Result{}, err
	}
	return sandbox.Result{ExitCode: cmd.ProcessState.ExitCode(), Stdout: out.Bytes(), Stderr: messages.Bytes()}, ctx.Err()
}

// open returns the shadow of root in a state folder of its own.
func open(t *testing.T, root string) *Repo {
	t.Helper()
	return openIn(t, t.TempDir(), root)
}

func openIn(t *testing.T, state, root string) *Repo {
	t.Helper()
	r, err := Open(t.Context(), direct{}, state, root)
	require.NoError(t, err)
	return r
}

func snap(t *testing.T, r *Repo, unsaved map[string]string) Snapshot {
	t.Helper()
	s, err := r.Snapshots.Take(t.Context(), seen(r.dir.Root, unsaved))
	require.NoError(t, err)
	return s
}

// seen is the workspace with unsaved buffers.
func seen(root string, unsaved map[string]string) workspace.Snapshot {
	documents := map[string]workspace.Document{}
	for path, text := range unsaved {
		documents[path] = workspace.Document{Path: path, Text: text, Version: 1}
	}
	return workspace.Snapshot{Root: root, Unsaved: documents}
}

func checkout(t *testing.T, r *Repo, s Snapshot) *Tree {
	t.Helper()
	tree, err := r.Trees.Checkout(t.Context(), s)
	require.NoError(t, err)
	t.Cleanup(func() { _ = tree.Close() })
	return tree
}

func put(t *testing.T, root, path, content string) {
	t.Helper()
	name := filepath.Join(root, filepath.FromSlash(path))
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o750))
	require.NoError(t, os.WriteFile(name, []byte(content), 0o600))
}

// git is the user's own git, run in the user's repository.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...) //nolint:gosec // a test's own words
	cmd.Dir = dir
	cmd.Env = append(cleanEnv(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.invalid", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.invalid")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "git %v: %s", args, out)
	return string(out)
}

func cleanEnv() []string {
	var env []string
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "GIT_") {
			env = append(env, entry)
		}
	}
	return env
}

// files reads the content of every file below root; links and programs say so. Folders count only
// through their files.
func files(t *testing.T, root string) map[string]string {
	t.Helper()
	found := map[string]string{}
	walk(t, root, func(path string, info fs.FileInfo, content string) {
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			content = "-> " + content
		case info.Mode()&0o100 != 0:
			content = "x " + content
		}
		if !info.IsDir() {
			found[path] = content
		}
	})
	return found
}

// fingerprint is everything about a folder that the user could notice: names, modes, contents, and the
// time of the last change, .git included.
func fingerprint(t *testing.T, root string) map[string]string {
	t.Helper()
	found := map[string]string{}
	walk(t, root, func(path string, info fs.FileInfo, content string) {
		found[path] = fmt.Sprintf("%v %v %x", info.Mode(), info.ModTime().UnixNano(), sha256.Sum256([]byte(content)))
	})
	return found
}

func walk(t *testing.T, root string, visit func(path string, info fs.FileInfo, content string)) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		path, _ := filepath.Rel(root, name)
		switch {
		case info.Mode().IsRegular():
			content, err := os.ReadFile(name) //nolint:gosec // a test's own folder
			visit(filepath.ToSlash(path), info, string(content))
			return err
		case info.Mode()&fs.ModeSymlink != 0:
			link, err := os.Readlink(name)
			visit(filepath.ToSlash(path), info, link)
			return err
		default:
			visit(filepath.ToSlash(path), info, "")
			return nil
		}
	}))
}
