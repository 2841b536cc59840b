//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// moveScript is a change that adds Add and moves a script, which it adapts to its new place.
const moveScript = `
- match: {node: executor, contains: [You implement a change]}
  reply:
    json:
      explanation: It adds.
      files: [{path: add.go, action: create, content: "package sum\n\n// Add adds.\nfunc Add(a, b int) int { return a + b }\n"}]
      patch: "*** Begin Patch\n*** Update File: deploy.sh\n*** Move to: scripts/deploy.sh\n@@\n set -e\n+cd ..\n echo deploy\n*** End Patch"
      blocked: ""`

func (w *world) mode(name string) os.FileMode {
	w.t.Helper()
	info, err := os.Lstat(filepath.Join(w.root, filepath.FromSlash(name)))
	require.NoError(w.t, err)
	return info.Mode()
}

func (w *world) chmod(name string, mode os.FileMode) {
	w.t.Helper()
	require.NoError(w.t, os.Chmod(filepath.Join(w.root, filepath.FromSlash(name)), mode))
}

// A script that a run moves can be executed at its new place, and at its old one after an undo.
func TestModes_OfAFileThatARunMoves(t *testing.T) {
	t.Parallel()
	files := sumModule()
	files["deploy.sh"] = "#!/bin/sh\nset -e\necho deploy\n"
	w := scripted(t, decideExecutor+writeTests+moveScript+reviewPass, files)
	w.chmod("deploy.sh", 0o750)
	w.said(0, "run", "--yes", "--trust", "add Add, and move deploy.sh to scripts/deploy.sh")
	require.Equal(t, "#!/bin/sh\nset -e\ncd ..\necho deploy\n", w.read("scripts/deploy.sh"))
	require.Equal(t, os.FileMode(0o750), w.mode("scripts/deploy.sh"))
	w.said(0, "undo", "--yes")
	require.Equal(t, files["deploy.sh"], w.read("deploy.sh"))
	require.Equal(t, os.FileMode(0o750), w.mode("deploy.sh"))
	w.said(0, "redo", "--yes")
	require.Equal(t, os.FileMode(0o750), w.mode("scripts/deploy.sh"))
	w.played()
}

// An undo restores a deleted file with its permissions.
func TestModes_OfADeletedFileThatAnUndoRestores(t *testing.T) {
	t.Parallel()
	w := quiet(t, map[string]string{"build.sh": "make\n", "private.txt": "mine\n", "plain.txt": "all\n"})
	modes := map[string]os.FileMode{"build.sh": 0o755, "private.txt": 0o600, "plain.txt": 0o644}
	for name, mode := range modes {
		w.chmod(name, mode)
	}
	w.said(0, "apply", "--yes", "--trust", w.patchFile(v4a("*** Delete File: build.sh", "*** Delete File: private.txt", "*** Delete File: plain.txt")))
	require.Empty(t, w.all())
	w.said(0, "undo", "--yes")
	for name, mode := range modes {
		require.Equal(t, mode, w.mode(name), name)
	}
}

// A folder takes the place of a file, and a file that of a folder, together with another change; an undo reverses both.
func TestApplyCommand_PutsAFolderInThePlaceOfAFileAndBack(t *testing.T) {
	t.Parallel()
	before := map[string]string{"conf": "old\n", "tools/a/run": "run\n", "other.txt": "other\n"}
	w := quiet(t, before)
	change := v4a("*** Add File: conf/main", "+new", "*** Delete File: conf", "*** Add File: tools", "+tool", "*** Delete File: tools/a/run",
		"*** Update File: other.txt", "@@", "-other", "+changed")
	w.said(0, "apply", "--yes", "--trust", w.patchFile(change))
	require.Equal(t, map[string]string{"conf/main": "new\n", "tools": "tool\n", "other.txt": "changed\n"}, w.all())
	w.said(0, "undo", "--yes")
	require.Equal(t, before, w.all())

	w.put(map[string]string{"tools/mine": "mine\n"})
	require.Contains(t, w.said(1, "apply", "--yes", "--trust", w.patchFile(change)), "such as tools/mine")
	before["tools/mine"] = "mine\n"
	require.Equal(t, before, w.all(), "the twin: a folder with other files stays, and nothing is written")
}
