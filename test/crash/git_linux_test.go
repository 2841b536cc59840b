package crash

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// git runs git in a folder, as its owner would.
func (s *stage) git(dir string, args ...string) {
	s.t.Helper()
	c := exec.CommandContext(s.t.Context(), "git", append([]string{"-c", "user.name=A", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"}, args...)...)
	c.Dir = filepath.Join(s.root, dir)
	out, err := c.CombinedOutput()
	require.NoError(s.t, err, string(out))
}

// repository makes the folder a repository with all that a user may have in one: two branches, a tag, a stash, a hook,
// another worktree, something staged, a nested repository and a submodule. Another process holds the lock of its
// index.
func (s *stage) repository() *stage {
	s.t.Helper()
	other := filepath.Join(s.base, "other")
	require.NoError(s.t, os.Mkdir(other, 0o755))
	s.git("../other", "init", "-q")
	s.git("../other", "commit", "-q", "--allow-empty", "-m", "first")
	s.git("", "init", "-q", "-b", "main")
	s.git("", "config", "user.name", "a user")
	s.git("", "submodule", "--quiet", "add", other, "part")
	s.git("", "add", ".")
	s.git("", "commit", "-q", "-m", "first")
	s.git("", "tag", "v1")
	s.git("", "branch", "topic")
	s.git("", "worktree", "add", "-q", "../elsewhere", "topic")
	s.put(map[string]string{"notes.txt": "stashed\r\n"})
	s.git("", "stash", "-q")
	s.put(map[string]string{"staged.txt": "staged\n", "nested/file.txt": "nested\n", ".git/hooks/pre-commit": "#!/bin/sh\nexit 1\n"})
	s.git("", "add", "staged.txt")
	s.git("nested", "init", "-q")
	s.git("nested", "add", ".")
	s.git("nested", "commit", "-q", "-m", "nested")
	s.put(map[string]string{".git/index.lock": ""})
	return s
}

// gits are all files of all repositories in and beside the folder, with their modes, times and contents.
func (s *stage) gits() map[string]string {
	s.t.Helper()
	found := map[string]string{}
	for _, dir := range []string{".git", "nested/.git", "part/.git", "../elsewhere/.git", "../other/.git"} {
		require.NoError(s.t, filepath.WalkDir(filepath.Join(s.root, dir), func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := entry.Info()
			if err != nil {
				return err
			}
			what := fmt.Sprintf("%v %v", info.Mode(), info.ModTime().UnixNano())
			if info.Mode().IsRegular() {
				data, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				what += fmt.Sprintf(" %x", sha256.Sum256(data))
			}
			rel, _ := filepath.Rel(s.root, path)
			found[rel] = what
			return nil
		}))
	}
	return found
}

// Runs are killed at one place after another, resumed and undone, in a repository with everything: no byte and no time
// of any repository of the user changes, although the index is locked all the while.
func TestUserRepository_StaysUnchanged(t *testing.T) {
	t.Parallel()
	s := newStage(t, t.TempDir()).quick().repository()
	was, files := s.gits(), s.files()
	require.Contains(t, was, ".git/refs/stash")
	require.Contains(t, was, ".git/modules/part/HEAD")
	chance := rand.New(rand.NewPCG(7, 7))
	var passed []string
	for _, place := range places() {
		if elsewhere[place] == "" && len(scenariosFor(place)) > 0 && scenariosFor(place)[0].name == aRun.name {
			passed = append(passed, place)
		}
	}
	killed := 0
	for n := range rounds(4, 25, 500) {
		place := passed[chance.IntN(len(passed))]
		about := fmt.Sprintf("run %d, killed at %s", n, place)
		s.model = newModel(t)
		s.environ = append(s.environ, "FORGE_BASE_URL="+s.model.url)
		cut := s.run(at(place))
		if cut.killed {
			killed++
		}
		require.Empty(t, cmp.Diff(was, s.gits()), about)
		next := s.live(never, "resume", "--yes")
		about += "\n" + cut.output + "\n--- resumed:\n" + next.output
		require.Empty(t, cmp.Diff(was, s.gits()), about)
		if !same(files, s.files()) {
			undo := s.live(never, "undo", "--yes")
			require.Zero(t, undo.code, about+"\n"+undo.output)
		}
		require.Empty(t, cmp.Diff(files, s.files()), about)
		require.Empty(t, cmp.Diff(was, s.gits()), about)
		require.Empty(t, s.left(), about)
	}
	t.Logf("%d runs, of which %d were killed", rounds(4, 25, 500), killed)
	require.Greater(t, killed, rounds(4, 25, 500)/2)
}

// The check can fail: git itself changes a repository when it only looks.
func TestUserRepository_CheckDetectsAChange(t *testing.T) {
	t.Parallel()
	s := newStage(t, t.TempDir()).repository()
	was := s.gits()
	require.NoError(t, os.Remove(filepath.Join(s.root, ".git", "index.lock")))
	s.put(map[string]string{"sum.go": before()["sum.go"]}) // the same text at another time
	s.git("", "status", "--short")
	require.Contains(t, cmp.Diff(was, s.gits()), ".git/index")
}
