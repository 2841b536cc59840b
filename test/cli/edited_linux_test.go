package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

const addDoc = decideExecutor + `
- match: {node: executor, contains: [You write tests]}
  reply: {json: {explanation: x, files: [{path: two_test.go, action: create, content: "package sum\n\nimport \"testing\"\n\nfunc TestTwo(t *testing.T) {\n\tif Two() != 2 {\n\t\tt.Fatal(Two())\n\t}\n}\n"}], patch: "", blocked: ""}}
- match: {node: executor, contains: [You implement a change]}
  reply:
    json:
      explanation: x
      files: []
      patch: |
        *** Begin Patch
        *** Update File: two.go
        @@
        -func Two() int { return 3 }
        +func Two() int { return 2 }
        *** End Patch
      blocked: ""` + reviewPass

const twoGo = `package sum

// Two is two.
func Two() int { return 3 }

// One is one.
func One() int { return 1 }
`

// A file that the user saves while the result waits for an answer is never lost: it is merged, or left
// alone and named.
func TestProposal_KeepsAFileSavedBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	for name, c := range testkit.SampleMap(1, map[string]struct {
		saved, after, says string
		code               int
	}{
		"elsewhere in the file": {
			twoGo + "\n// Mine.\n", `package sum

// Two is two.
func Two() int { return 2 }

// One is one.
func One() int { return 1 }

// Mine.
`, "applied two.go", 0,
		},
		"in the same line": {
			"package sum\n\n// Two is two.\nfunc Two() int { return 22 }\n", "package sum\n\n// Two is two.\nfunc Two() int { return 22 }\n",
			"conflict two.go: you changed the same or adjacent lines since, so the file was not changed", 3,
		},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := sumModule()
			files["two.go"] = twoGo
			w := scripted(t, addDoc, files)
			p := w.sit("run", "--trust", "two must be 2")
			p.sees("Apply this change to 2 files?")
			p.sees("> ")
			w.put(map[string]string{"two.go": c.saved})
			p.types("1")
			code, screen := p.leaves()
			t.Log(screen)
			require.Equal(t, c.code, code, screen)
			require.Contains(t, screen, c.says)
			require.Equal(t, c.after, texts(t, w.root)["two.go"])

			p = w.sit("undo")
			p.sees("> ")
			p.types("1")
			code, screen = p.leaves()
			t.Log(screen)
			require.Zero(t, code, screen)
			require.Equal(t, c.saved, texts(t, w.root)["two.go"])
			require.NoFileExists(t, filepath.Join(w.root, "two_test.go"))
		})
	}
}

// An undo keeps what was typed since, and says where it cannot.
func TestUndo_KeepsLaterEdits(t *testing.T) {
	t.Parallel()
	w := scripted(t, whole, sumModule())
	code, _, stderr := w.run("run", "--trust", "--yes", "add Add")
	require.Zero(t, code, stderr)
	mine := texts(t, w.root)["add.go"] + "\n// Mine.\n"
	w.put(map[string]string{"add.go": mine})
	require.NoError(t, os.Remove(filepath.Join(w.root, "add_test.go")))
	code, stdout, stderr := w.run("undo", "--yes", "--json")
	t.Log(stdout, stderr)
	require.Equal(t, 3, code, stderr)
	require.Contains(t, stderr, "conflict add.go: you changed the same or adjacent lines since, so the file was not changed")
	require.Contains(t, stderr, "to undo the rest: change these lines by hand, or take your own edit of them back and repeat forge undo r-")
	require.Contains(t, stderr, "skipped add_test.go: nothing was left to do")
	isJSONLines(t, stdout)
	require.Equal(t, mine, texts(t, w.root)["add.go"], "the file is no longer the one the run made: it is not deleted")
	require.Contains(t, stdout, `{"path":"add.go","state":"conflict"}`)
	require.Equal(t, "conflict", endedWith(t, stdout).State)
}

// A line that the user has put directly behind one of the run's stays, and that one is taken back.
func TestUndo_KeepsALineBehindOneOfTheRun(t *testing.T) {
	t.Parallel()
	files := sumModule()
	files["two.go"] = twoGo
	w := scripted(t, addDoc, files)
	code, _, stderr := w.run("run", "--trust", "--yes", "two must be 2")
	require.Zero(t, code, stderr)
	const run, mine = "func Two() int { return 2 }\n", "// Mine.\n"
	w.put(map[string]string{"two.go": strings.Replace(texts(t, w.root)["two.go"], run, run+mine, 1)})
	for range 2 { // once more after a redo
		code, stdout, stderr := w.run("undo", "--yes")
		require.Zero(t, code, stdout+stderr)
		require.Equal(t, strings.Replace(twoGo, "return 3 }\n", "return 3 }\n"+mine, 1), texts(t, w.root)["two.go"])
		require.NoFileExists(t, filepath.Join(w.root, "two_test.go"))
		code, stdout, stderr = w.run("redo", "--yes")
		require.Zero(t, code, stdout+stderr)
		require.Contains(t, texts(t, w.root)["two.go"], run+mine)
	}
}
