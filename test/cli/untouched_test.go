package cli

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// A folder is as it was, to the byte and the time of change, whatever becomes of a run. folders are the
// ways in which it may lie there; hit reports a program of the repository that was run.
var folders = map[string]func(w *world) (hit string){
	"no git": func(w *world) string { w.put(sumModule()); return "" },
	"a repository in the middle of work": func(w *world) string {
		w.put(sumModule())
		w.git("init", "--quiet")
		w.git("add", "--all")
		w.git("commit", "--quiet", "--message", "one")
		w.put(map[string]string{"staged.go": "package sum\n", "untracked.txt": "mine\n"})
		w.git("add", "staged.go")
		w.put(map[string]string{"sum.go": "// Package sum adds up, soon.\npackage sum\n"})
		w.put(map[string]string{".git/index.lock": ""}) // another git is at work
		return ""
	},
	"a repository that runs programs": func(w *world) string {
		hit := filepath.Join(w.t.TempDir(), "hit")
		script := filepath.Join(w.t.TempDir(), "evil")
		require.NoError(w.t, os.WriteFile(script, []byte("#!/bin/sh\ntouch "+hit+"\nexec cat\n"), 0o700))
		w.put(sumModule())
		w.git("init", "--quiet")
		w.git("add", "--all")
		w.git("commit", "--quiet", "--message", "one")
		for _, setting := range [][2]string{
			{"filter.evil.clean", script}, {"filter.evil.smudge", script}, {"filter.evil.required", "true"},
			{"diff.evil.textconv", script}, {"diff.external", script}, {"core.fsmonitor", script}, {"merge.evil.driver", script},
			{"core.hooksPath", filepath.Dir(script)}, {"core.pager", script}, {"core.sshCommand", script},
		} {
			w.git("config", setting[0], setting[1])
		}
		w.put(map[string]string{".gitattributes": "* filter=evil diff=evil merge=evil\n", "sum.go": "// Package sum adds.\npackage sum\n"})
		for _, hook := range []string{"pre-commit", "post-checkout", "post-index-change", "reference-transaction"} {
			w.put(map[string]string{".git/hooks/" + hook: "#!/bin/sh\ntouch " + hit + "\n"})
			require.NoError(w.t, os.Chmod(filepath.Join(w.root, ".git/hooks", hook), 0o755))
		}
		return hit
	},
}

// outcomes are the ways in which a run fails, and how the program ends.
var outcomes = map[string]struct {
	script string
	code   int
	reason string
}{
	"the same wrong attempt": {decideExecutor + writeTests + writeWrong, 3, "makes the change of attempt 1 again"},
	"an unreadable review": {
		decideExecutor + writeTests + writeRight + "\n- {match: {node: review}, reply: {text: Looks good to me!}, times: 2}",
		3, "the review ended in an error, which is not a pass",
	},
	"a patch that never fits": {
		decideExecutor + writeTests + `
- match: {node: executor, contains: [You implement a change]}
  times: 3
  reply: {json: {explanation: x, files: [], patch: "*** Begin Patch\n*** Update File: sum.go\n@@\n-not there\n+four\n*** End Patch", blocked: ""}}`,
		3, "not there",
	},
}

func TestRun_FailureLeavesTheFolderUnchanged(t *testing.T) {
	t.Parallel()
	for _, c := range testkit.Sample(2, []struct{ folder, outcome string }{
		{"no git", "an unreadable review"},
		{"no git", "a patch that never fits"},
		{"a repository in the middle of work", "the same wrong attempt"},
		{"a repository that runs programs", "an unreadable review"},
	}) {
		t.Run(c.outcome+" in "+c.folder, func(t *testing.T) {
			t.Parallel()
			want := outcomes[c.outcome]
			w := scripted(t, want.script, nil)
			hit := folders[c.folder](w)
			require.NoError(t, os.RemoveAll(hit)) // preparing the repository may have run it
			before := fingerprint(t, w.root)
			code, stdout, stderr := w.run("run", "--trust", "--yes", "--json", "add Add")
			require.Equal(t, want.code, code, stdout+stderr)
			_, last := events(t, stdout)
			require.Contains(t, last, want.reason)
			require.Contains(t, last, `"files":[]`)
			w.played()
			require.Equal(t, before, fingerprint(t, w.root))
			require.Empty(t, w.trees())
			if hit != "" {
				require.NoFileExists(t, hit)
				w.git("add", "--renormalize", ".") // the twin: git itself does run it
				require.FileExists(t, hit)
			}
		})
	}
}

// trees are the scratch trees that lie about.
func (w *world) trees() []string {
	w.t.Helper()
	found, err := filepath.Glob(filepath.Join(w.home, "shadow", "*", "trees", "*"))
	require.NoError(w.t, err)
	return found
}

// names are the sorted names of files.
func names(files map[string]string) []string { return slices.Sorted(maps.Keys(files)) }
