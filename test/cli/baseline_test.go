package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// The second run in the same state takes what the first one measured, and says so; not where a file, the environment or the user's wish is
// another one.
func TestBaseline_IsMeasuredOnceInTheSameState(t *testing.T) {
	t.Parallel()
	for name, c := range testkit.SampleMap(0, map[string]struct {
		between func(w *world)
		kept    bool
	}{
		"nothing has changed":     {func(*world) {}, true},
		"a file has changed":      {func(w *world) { w.put(map[string]string{"sum.go": "// Package sum adds up numbers.\npackage sum\n"}) }, false},
		"the environment has":     {func(w *world) { w.environ = append(w.environ, "GOFLAGS=-count=1") }, false},
		"the user wants it again": {func(w *world) { w.settings("remeasure: true\n") }, false},
		"what was kept is broken": {func(w *world) { spoil(t, filepath.Join(w.home, "baselines")) }, false},
	}, "nothing has changed") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := sumModule()
			files["old_test.go"] = "package sum\n\nimport \"testing\"\n\nfunc TestOld(*testing.T) {}\n"
			once := decideExecutor + writeTests + writeRight + reviewPass
			w := scripted(t, once+once, files)
			first := baselineOf(t, w)
			require.Equal(t, "pass: 1 test passed in 1 package", first)
			for _, file := range []string{"add.go", "add_test.go"} {
				require.NoError(t, os.RemoveAll(filepath.Join(w.root, file)))
			}
			c.between(w)
			second := baselineOf(t, w)
			if c.kept {
				require.Regexp(t, `^pass: 1 test passed in 1 package; as checked at \d\d:\d\d`, second)
			} else {
				require.Equal(t, first, second)
			}
			w.played()
		})
	}
}

// baselineOf makes a run, and gives what the tests said of the folder as it was.
func baselineOf(t *testing.T, w *world) string {
	t.Helper()
	code, stdout, stderr := w.run("run", "--yes", "--trust", "--json", "add Add")
	require.Zero(t, code, stdout[max(0, len(stdout)-600):]+stderr)
	all, _ := events(t, stdout)
	return reports(t, all, "go test")[0]
}

// spoil cuts all files of a folder short.
func spoil(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.NotEmpty(t, entries)
	for _, e := range entries {
		require.NoError(t, os.Truncate(filepath.Join(dir, e.Name()), 20))
	}
}

// A test that fails by now for something outside of the folder is charged to no change, although an earlier run saw it pass.
func TestBaseline_OfAnotherWorldChargesNothing(t *testing.T) {
	t.Parallel()
	flag := filepath.Join(t.TempDir(), "service")
	require.NoError(t, os.WriteFile(flag, nil, 0o600))
	files := sumModule()
	files["old_test.go"] = "package sum\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestOld(t *testing.T) {\n\tif _, err := os.Stat(\"" + flag + "\"); err != nil {\n\t\tt.Fatal(err)\n\t}\n}\n"
	w := scripted(t, decideExecutor+writeTests+writeRight+reviewPass+decideExecutor+writeTests+writeRight+reviewPass, files)
	w.environ = append(w.environ, "PATH="+os.Getenv("PATH")+string(os.PathListSeparator)+filepath.Dir(flag)) // so that gates see it
	require.Contains(t, baselineOf(t, w), "1 test passed")
	for _, file := range []string{"add.go", "add_test.go"} {
		require.NoError(t, os.RemoveAll(filepath.Join(w.root, file)))
	}
	require.NoError(t, os.Remove(flag))
	require.Contains(t, baselineOf(t, w), "as checked at", "nothing in the folder has changed")
	w.played()
}
