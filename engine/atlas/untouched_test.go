package atlas_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/codeintel/search"
)

// fingerprint is everything about a folder that a user could notice, .git included.
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
		content := []byte{}
		if info.Mode().IsRegular() {
			content, err = os.ReadFile(name) //nolint:gosec // a test's own folder
		}
		found[name] = fmt.Sprintf("%v %v %x", info.Mode(), info.ModTime().UnixNano(), content)
		return err
	}))
	return found
}

// trap makes a repository whose configuration starts a program in many ways. It leaves a file in marks.
func trap(t *testing.T) (root, marks string) {
	t.Helper()
	root, marks = repository(t, shop), t.TempDir()
	program := "touch " + filepath.Join(marks, "ran")
	for key, value := range map[string]string{
		"core.fsmonitor": program + "; false", "core.pager": program, "core.sshCommand": program, "diff.external": program,
		"diff.trap.textconv": program + "; cat", "filter.trap.clean": program + "; cat", "filter.trap.smudge": program + "; cat",
		"gpg.program": program, "log.showSignature": "true",
	} {
		git(t, root, "config", key, value)
	}
	put(t, root, ".gitattributes", "* filter=trap diff=trap\n")
	put(t, root, "main.go", shop["main.go"]+"// more\n")
	require.NoError(t, os.RemoveAll(filepath.Join(marks, "ran")), "setting a trap may set it off")
	return root, marks
}

func TestAtlas_ReadsAFolderAndNothingElse(t *testing.T) {
	t.Parallel()
	root, marks := trap(t)
	before := fingerprint(t, root)
	a := open(t, root)
	a.Cover("money/money.go", "package zebra\n")
	a.Changed("README.md", "nowhere/at/all.go", ".git/HEAD")
	a.Changed()
	settled(t, a)
	q := search.Query{Text: "zebra checkout begin", Open: []string{"main.go"}}
	_, err := a.Search(t.Context(), q)
	require.NoError(t, err)
	_, err = a.Context(t.Context(), q, 2000)
	require.NoError(t, err)
	require.NoError(t, a.Close())
	require.Empty(t, cmp.Diff(before, fingerprint(t, root)))
	require.NoFileExists(t, filepath.Join(marks, "ran"))
}

// The twin: the user's own git falls into the trap.
func TestTrap_UsersOwnGitFallsIn(t *testing.T) {
	t.Parallel()
	root, marks := trap(t)
	git(t, root, "status")
	require.FileExists(t, filepath.Join(marks, "ran"))
}
