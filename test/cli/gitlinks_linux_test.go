package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// intoGit are folders and files that are links, and a path that leads into .git through them.
var intoGit = map[string]struct {
	links map[string]string
	path  string
}{
	"a folder that is .git":      {map[string]string{"cfg": ".git"}, "cfg/info/attributes"},
	"a folder that is its hooks": {map[string]string{"tools": ".git/hooks"}, "tools/pre-commit"},
	"a link through a link":      {map[string]string{"a": "b", "b": ".git"}, "a/hooks/pre-commit"},
	"a link below a folder":      {map[string]string{"sub/cfg": "../.git"}, "sub/cfg/hooks/pre-commit"},
	"a file":                     {map[string]string{"hook": ".git/hooks/pre-commit"}, "hook"},
}

// linked makes the links in a repository.
func (w *world) linked(links map[string]string) {
	w.t.Helper()
	w.git("init", "-q")
	w.put(map[string]string{"sub/file.txt": "x\n"})
	for name, to := range links {
		require.NoError(w.t, os.Symlink(to, filepath.Join(w.root, name)))
	}
}

func (w *world) gitFolder() string { return fingerprint(w.t, filepath.Join(w.root, ".git")) }

// noTemporary demands that nothing of a write that was refused is left.
func (w *world) noTemporary() {
	w.t.Helper()
	require.NoError(w.t, filepath.WalkDir(w.root, func(name string, _ os.DirEntry, err error) error {
		require.NotContains(w.t, name, ".forge-")
		return err
	}))
}

func newFile(path string) string {
	return "*** Begin Patch\n*** Add File: " + path + "\n+touch CANARY\n*** End Patch\n"
}

func (w *world) applies(text string, args ...string) (code int, stdout, stderr string) {
	c := w.command(w.t.Context(), append([]string{"apply", "-", "--trust", "--yes"}, args...)...)
	c.Stdin = strings.NewReader(text)
	return execute(w.t, c)
}

func TestApply_RefusesLinksIntoGit(t *testing.T) {
	t.Parallel()
	for name, tt := range intoGit {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := scripted(t, reviewPass, nil)
			w.linked(tt.links)
			before := w.gitFolder()
			code, _, stderr := w.applies(newFile(tt.path))
			require.Equal(t, 1, code, stderr)
			require.Contains(t, stderr, "leads into a git directory")
			require.Equal(t, before, w.gitFolder())
			w.noTemporary()
		})
	}
}

// A link that git ignores is in no scratch copy: the run does not know of it, and the last step has to.
func TestRun_RefusesAnIgnoredLinkIntoGit(t *testing.T) {
	t.Parallel()
	for name, tt := range testkit.SampleMap(1, intoGit) {
		for _, ignored := range testkit.Sample(1, []bool{true, false}) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				w := scripted(t, reviewPass, sumModule())
				w.put(map[string]string{"sum_test.go": passingTest})
				w.linked(tt.links)
				if ignored {
					var names string
					for link := range tt.links {
						names += "/" + link + "\n"
					}
					w.put(map[string]string{".gitignore": names})
				}
				before := w.gitFolder()
				code, _, stderr := w.run(writing(tt.path, "touch CANARY\n")...)
				require.NotZero(t, code, stderr)
				require.Contains(t, stderr, "leads into a git directory")
				require.Equal(t, before, w.gitFolder())
				w.noTemporary()
			})
		}
	}
}

// A git directory with a name of its own is refused like .git: an executable file of it, moved, would be a hook.
func TestApply_RefusesGitDirectoriesOfOtherNames(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"beside":     {"init", "-q", "--separate-git-dir", ".bare"},
		"bare":       {"init", "-q", "--bare", ".bare"},
		"of another": {"init", "-q", "--separate-git-dir", ".bare", "sub"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := scripted(t, reviewPass, nil)
			w.git(args...)
			w.put(map[string]string{".bare/hooks/sample": "#!/bin/sh\n"})
			for _, text := range []string{
				newFile(".bare/hooks/pre-commit"), newFile(".bare/config.worktree"),
				"*** Begin Patch\n*** Update File: .bare/hooks/sample\n*** Move to: .bare/hooks/post-commit\n@@\n-#!/bin/sh\n+#!/bin/bash\n*** End Patch\n",
			} {
				code, _, stderr := w.applies(text)
				require.Equal(t, 1, code, stderr)
				require.Contains(t, stderr, "leads into a git directory")
			}
			require.NoFileExists(t, filepath.Join(w.root, ".bare/hooks/post-commit"))
			w.noTemporary()
		})
	}
}

func TestUndo_RefusesAFolderThatBecameALinkIntoGit(t *testing.T) {
	t.Parallel()
	w := scripted(t, reviewPass, nil)
	w.put(map[string]string{"tools/config": "[core]\n"})
	w.git("init", "-q")
	code, _, stderr := w.applies("*** Begin Patch\n*** Update File: tools/config\n@@\n-[core]\n+[user]\n*** End Patch\n", "--allow-control", "tools/config")
	require.Zero(t, code, stderr)
	require.NoError(t, os.Rename(filepath.Join(w.root, "tools"), filepath.Join(w.root, "aside")))
	require.NoError(t, os.Symlink(".git", filepath.Join(w.root, "tools")))
	w.put(map[string]string{".git/config": "[user]\n"}) // the very text that is to be taken back
	before := w.gitFolder()
	code, _, stderr = w.run("undo", "--yes")
	require.NotZero(t, code, stderr)
	require.Contains(t, stderr, "git directory")
	require.Equal(t, before, w.gitFolder())
	w.noTemporary()
}

// While patches are applied, the folder that they write in is swapped for a link into .git and back, without end.
func TestApply_LosesNoRaceForAFolder(t *testing.T) {
	t.Parallel()
	w := scripted(t, reviewPass, nil)
	w.git("init", "-q")
	require.NoError(t, os.Mkdir(filepath.Join(w.root, "tools"), 0o755))
	before := w.gitFolder()
	ctx, stop := context.WithCancel(t.Context())
	var swapper sync.WaitGroup
	at := func(name string) string { return filepath.Join(w.root, name) }
	swapper.Go(func() {
		for ctx.Err() == nil {
			_ = os.Rename(at("tools"), at("aside"))
			_ = os.Symlink(".git/hooks", at("tools"))
			_ = os.Remove(at("tools"))
			_ = os.Rename(at("aside"), at("tools"))
		}
	})
	for range 15 {
		_, _, _ = w.applies(newFile("tools/pre-commit"))
	}
	stop()
	swapper.Wait()
	require.Equal(t, before, w.gitFolder())
	w.noTemporary()
}

// A folder whose .git names or is another repository of the user shows models nothing of that one. A linked worktree, which it names too, does.
func TestExplore_ReadsNoOtherRepository(t *testing.T) {
	t.Parallel()
	other := scripted(t, decideExecutor, sumModule())
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-q", "-m", "private plans"}} {
		other.git(args...)
	}
	reads := func(w *world, tool string) string {
		w.t.Helper()
		_, stdout, stderr := w.run("explore", tool)
		return stdout + stderr
	}
	theirs := filepath.Join(other.root, ".git")
	for name, point := range map[string]func(string) error{
		"names": func(at string) error { return os.WriteFile(at, []byte("gitdir: "+theirs+"\n"), 0o600) },
		"is":    func(at string) error { return os.Symlink(theirs, at) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := scripted(t, decideExecutor, map[string]string{"a.go": "package a\n"})
			require.NoError(t, point(filepath.Join(w.root, ".git")))
			code, _, stderr := w.run("trust")
			require.Zero(t, code, stderr)
			require.NotContains(t, reads(w, "git_log"), "private plans")
			require.NotContains(t, reads(w, "git_diff"), "sum.go")
		})
	}
	t.Run("a linked worktree", func(t *testing.T) {
		t.Parallel()
		w := scripted(t, decideExecutor, nil)
		other.git("worktree", "add", "-q", "-b", "side", filepath.Join(w.root, "side"))
		w.root = filepath.Join(w.root, "side")
		code, _, stderr := w.run("trust")
		require.Zero(t, code, stderr)
		require.Contains(t, reads(w, "git_log"), "private plans")
	})
}
