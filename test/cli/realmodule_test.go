package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// fetchModule copies a module out of the module cache, into which it is downloaded if need be.
func fetchModule(t *testing.T, version, into string) {
	t.Helper()
	download := exec.Command("go", "mod", "download", "-json", version)
	download.Dir, download.Stderr = t.TempDir(), os.Stderr
	download.Env = append(os.Environ(), "GOFLAGS=-mod=mod")
	out, err := download.Output()
	require.NoError(t, err)
	var module struct{ Dir string }
	require.NoError(t, json.Unmarshal(out, &module))
	require.NoError(t, os.CopyFS(into, os.DirFS(module.Dir)))
	entries, err := filepath.Glob(filepath.Join(into, "*")) // the cache is read-only, and so are copies
	require.NoError(t, err)
	for _, entry := range append(entries, into) {
		info, err := os.Stat(entry)
		require.NoError(t, err)
		require.NoError(t, os.Chmod(entry, info.Mode()|0o200))
	}
}

// The whole job on a module that nobody wrote for it: a new function with tests, an existing test
// broken on the first try, blocked with that failure, repaired, applied, undone.
func TestARealModule(t *testing.T) {
	t.Parallel()
	w := newWorld(t, filepath.Join("testdata", "uuid.yaml"))
	fetchModule(t, "github.com/google/uuid@v1.6.0", w.root)
	before := texts(t, w.root)

	code, stdout, stderr := w.run("run", "--yes", "--trust", "--json", "add a method IsNil to UUID that tells whether it is Nil")
	require.Zero(t, code, stdout+stderr)
	w.played()
	list, last := events(t, stdout)
	require.Contains(t, blockedReason(t, list), "TestConstants", "the existing test that broke is the reason")

	var outcome struct {
		RunID string
		Files []struct{ Path, State string }
	}
	require.NoError(t, json.Unmarshal([]byte(last), &outcome))
	require.Len(t, outcome.Files, 2)
	for _, f := range outcome.Files {
		require.Equal(t, "applied", f.State, f.Path)
	}
	suite := exec.Command("go", "test", "./...")
	suite.Dir = w.root
	out, err := suite.CombinedOutput()
	require.NoError(t, err, "the module's own suite stays green: %s", out)
	changed := texts(t, w.root)
	require.Contains(t, changed, "isnil_test.go")
	require.Contains(t, changed["uuid.go"], "func (uuid UUID) IsNil() bool")
	require.Contains(t, changed["uuid.go"], `return "RFC4122"`)

	code, _, stderr = w.run("undo", "--yes", outcome.RunID)
	require.Zero(t, code, stderr)
	require.Equal(t, before, texts(t, w.root))
}

// blockedReason is why the review sent the change back.
func blockedReason(t *testing.T, list []event) string {
	t.Helper()
	for _, e := range list {
		var node struct{ ID, Status, Reason string }
		if e.Type != "node" {
			continue
		}
		require.NoError(t, json.Unmarshal(e.Data, &node))
		if node.ID == "review" && node.Status == "BLOCKED" {
			return node.Reason
		}
	}
	require.Fail(t, "the review never blocked")
	return ""
}

// texts are the files of a flat folder.
func texts(t *testing.T, root string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(root)
	require.NoError(t, err)
	found := map[string]string{}
	for _, entry := range entries {
		if entry.Type().IsRegular() {
			data, err := os.ReadFile(filepath.Join(root, entry.Name()))
			require.NoError(t, err)
			found[entry.Name()] = string(data)
		}
	}
	return found
}
