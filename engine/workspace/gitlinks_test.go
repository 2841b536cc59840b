package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/patch"
)

// gitLinks are the ways in which a path that does not name .git leads into it: links to make, and the path.
var gitLinks = []struct {
	name  string
	links map[string]string
	path  string
}{
	{"a folder", map[string]string{"cfg": ".git"}, "cfg/config"},
	{"a folder in it", map[string]string{"hooks": ".git/hooks"}, "hooks/pre-commit"},
	{"a new folder in it", map[string]string{"cfg": ".git"}, "cfg/new/deep/file"},
	{"below a folder", map[string]string{"sub/cfg": "../.git"}, "sub/cfg/config"},
	{"two links", map[string]string{"a": "b", "b": ".git"}, "a/config"},
	{"a link on the way of a link", map[string]string{"up": "sub", "sub/b": "../.git"}, "up/b/config"},
	{"a detour", map[string]string{"cfg": "sub/../.git/./hooks"}, "cfg/pre-commit"},
	{"a file", map[string]string{"settings": ".git/config"}, "settings"},
	{"a file that is not there yet", map[string]string{"hook": ".git/hooks/pre-commit"}, "hook"},
	{"another case", map[string]string{"cfg": ".GIT"}, "cfg/config"},
	{"a nested repository", map[string]string{"cfg": "nested/.git"}, "cfg/config"},
	{"the top folder", map[string]string{"self": "."}, "self/sub/linked/config"},
	{"a .git that is a link", map[string]string{"away/.git": "../meta"}, "away/.git/config"},
	{"a bare repository", nil, "bare/hooks/post-commit"},
	{"a link into a bare repository", map[string]string{"tools": "bare/hooks"}, "tools/post-commit"},
	{"what a linked worktree has for a git directory", nil, "worktree/config.worktree"},
}

func gitFolder(t *testing.T, links map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"bare/HEAD": "ref: refs/heads/main", "bare/objects/x": "", "bare/refs/x": "", "bare/hooks/sample": "", "worktree/HEAD": "", "worktree/commondir": "../bare",
		".git/config": "[core]", ".git/hooks/sample": "", "nested/.git/config": "[core]", "sub/file": "", "meta/config": "[core]", "away/file": "",
	} {
		put(t, root, name, text)
	}
	require.NoError(t, os.Symlink("../.git", filepath.Join(root, "sub/linked")))
	for link, to := range links {
		require.NoError(t, os.Symlink(to, filepath.Join(root, link)))
	}
	return root
}

func TestWrite_RefusesEveryLinkIntoGit(t *testing.T) {
	t.Parallel()
	for _, tt := range gitLinks {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := gitFolder(t, tt.links)
			before := tree(t, root)
			var refused *patch.PathError
			for _, there := range []string{"", base("[core]")} {
				err := writeOnce(t, root, []FileWrite{{Path: "good", Content: []byte("x")}, {Path: tt.path, Content: []byte("x"), Base: there}})
				require.ErrorAs(t, err, &refused)
				require.Contains(t, refused.Cause, "git directory")
			}
			require.ErrorAs(t, CheckTarget(root, tt.path), &refused)
			_, err := Snapshot{Root: root}.ReadFile(tt.path)
			require.ErrorAs(t, err, &refused)
			require.Empty(t, cmp.Diff(before, tree(t, root)))
		})
	}
}

// Names that lead to .git in another spelling: on file systems that fold case in ways that no list knows, and if .git
// is a link to a folder of an innocent name.
func TestResolve_KnowsGitByItsIdentity(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put(t, root, "meta/hooks/sample", "")
	require.NoError(t, os.Symlink("meta", filepath.Join(root, ".git")))
	err := writeOnce(t, root, []FileWrite{{Path: "meta/hooks/pre-commit", Content: []byte("x")}})
	require.ErrorContains(t, err, "git directory")
	_, err = os.Lstat(filepath.Join(root, "meta/hooks/pre-commit"))
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestRealPath_FollowsEveryPart(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put(t, root, "a/b/file", "text")
	for link, to := range map[string]string{"x": "a", "a/y": "b", "a/b/z": "file", "far": "x/y/z", "up": "a/../x"} {
		require.NoError(t, os.Symlink(to, filepath.Join(root, link)))
	}
	opened, err := os.OpenRoot(root)
	require.NoError(t, err)
	defer opened.Close() //nolint:errcheck // a test's
	for name, want := range map[string]string{
		"a/b/file": "a/b/file", "x/y/z": "a/b/file", "far": "a/b/file", "up/y/new/file": "a/b/new/file", "none": "none", "x/none": "a/none",
	} {
		got, err := RealPath(opened, name)
		require.NoError(t, err, name)
		require.Equal(t, want, got, name)
	}
	for _, name := range []string{"far", "x/y/z", "up/b/file"} {
		text, err := Snapshot{Root: root}.ReadFile(name)
		require.NoError(t, err, name)
		require.Equal(t, "text", string(text))
	}
}

// A folder is swapped for a link into .git before each operation of a write in turn: nothing is ever written in .git, and
// nothing temporary stays anywhere.
func TestWrite_LosesNoRaceForAFolder(t *testing.T) {
	t.Parallel()
	for _, swapBack := range []bool{false, true} {
		for at := 0; ; at++ {
			count := 0
			var mu sync.Mutex // files are written side by side
			root := gitFolder(t, nil)
			put(t, root, "tools/there", "old")
			git := tree(t, filepath.Join(root, ".git"))
			swap := func() {
				require.NoError(t, os.Rename(filepath.Join(root, "tools"), filepath.Join(root, "aside")))
				require.NoError(t, os.Symlink(".git/hooks", filepath.Join(root, "tools")))
			}
			back := func() {
				require.NoError(t, os.Remove(filepath.Join(root, "tools")))
				require.NoError(t, os.Rename(filepath.Join(root, "aside"), filepath.Join(root, "tools")))
			}
			before := func(string, string) {
				mu.Lock()
				defer mu.Unlock()
				switch count {
				case at:
					swap()
				case at + 1:
					if swapBack {
						back()
					}
				}
				count++
			}
			err := writeRaced(t, root, before)
			require.Empty(t, cmp.Diff(git, tree(t, filepath.Join(root, ".git"))), "swapped before operation %d: %v", at, err)
			for name := range tree(t, root) {
				require.NotContains(t, name, tempPrefix, "swapped before operation %d: %v", at, err)
			}
			if err != nil && !swapBack {
				require.NotContains(t, err.Error(), "not everything could be put back", "swapped before operation %d", at)
			}
			if count <= at {
				require.NoError(t, err)
				require.Greater(t, at, 10)
				break
			}
		}
	}
}

// writeRaced writes two files below tools, and calls before ahead of each operation.
func writeRaced(t *testing.T, root string, before func(operation, name string)) error {
	t.Helper()
	opened, err := os.OpenRoot(root)
	require.NoError(t, err)
	defer opened.Close() //nolint:errcheck // a test's
	in := newInside(opened)
	defer in.close()
	j := Journal{Dir: t.TempDir()}
	notes, err := os.OpenRoot(j.Dir)
	require.NoError(t, err)
	defer notes.Close() //nolint:errcheck // a test's
	left := -1
	p, err := j.write(t.Context(), faulty{folder: in, left: &left, before: before}, osFolder{notes}, root, []FileWrite{
		{Path: "tools/pre-commit", Content: []byte("x")}, {Path: "tools/there", Content: []byte("new"), Base: base("old")},
	}, nil)
	if err != nil {
		return err
	}
	return p.Finish(nil)
}
