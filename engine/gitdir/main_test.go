package gitdir

import (
	"bytes"
	"context"
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
)

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

// open returns the git directory of root in a state folder of its own.
func open(t *testing.T, root string) *Dir {
	t.Helper()
	return openIn(t, t.TempDir(), root)
}

func openIn(t *testing.T, state, root string) *Dir {
	t.Helper()
	d, err := Open(t.Context(), direct{}, state, root)
	require.NoError(t, err)
	return d
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
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.invalid", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.invalid")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "git %v: %s", args, out)
	return string(out)
}

// fingerprint is everything about a folder that a user could notice: names, modes, contents, and the
// time of the last change, .git included.
func fingerprint(t *testing.T, root string) map[string]string {
	t.Helper()
	found := map[string]string{}
	require.NoError(t, filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		var content []byte
		switch {
		case info.Mode().IsRegular() && !strings.HasSuffix(name, "huge.txt"):
			content, err = os.ReadFile(name) //nolint:gosec // a test's own folder
		case info.Mode()&fs.ModeSymlink != 0:
			var link string
			link, err = os.Readlink(name)
			content = []byte(link)
		}
		found[name] = fmt.Sprintf("%v %v %s", info.Mode(), info.ModTime().UnixNano(), content)
		return err
	}))
	return found
}
