package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// trespass is a module, with a package of npm installed, whose test writes over a file of the user by its absolute path, through what is
// lent of node_modules, and over Forge's settings, and makes a file next to it. It passes if all of that seems to succeed, or, when it is quiet,
// anyway.
func trespass(w *world, quiet bool) {
	w.t.Helper()
	w.settings("# mine\n")
	w.put(sumModule())
	w.put(map[string]string{
		"mine.txt": "mine\n", "package.json": `{"private": true}` + "\n", ".gitignore": "node_modules\n", "index.js": "module.exports = 2;\n",
		"node_modules/dep/index.js": "module.exports = 1;\n",
		"trespass_test.go": `package sum

import (
	"os"
	"testing"
)

func TestTrespass(t *testing.T) {
	for _, name := range []string{
		` + strconv.Quote(filepath.Join(w.root, "mine.txt")) + `,
		` + strconv.Quote(filepath.Join(w.root, "new.txt")) + `,
		"node_modules/dep/index.js",
		` + strconv.Quote(filepath.Join(w.home, "config.yaml")) + `,
	} {
		if err := os.WriteFile(name, []byte("spoilt\n"), 0o600); err != nil && !` + strconv.FormatBool(quiet) + ` {
			t.Error(err)
		}
	}
	if _, err := os.ReadFile(` + strconv.Quote(filepath.Join(w.root, "mine.txt")) + `); err != nil {
		t.Error(err)
	}
}
`,
	})
}

// spoil is the twin: the same test, started by hand, passes, because it writes all it wants to.
func (w *world) spoil() {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), "go", "test", "-run", "TestTrespass", ".")
	cmd.Dir = w.root
	out, err := cmd.CombinedOutput()
	require.NoError(w.t, err, string(out))
	for _, name := range []string{"mine.txt", "new.txt", "node_modules/dep/index.js"} {
		require.Equal(w.t, "spoilt\n", w.read(name))
	}
	require.Equal(w.t, "spoilt\n", w.setting())
}

// setting is the text of the user's own settings.
func (w *world) setting() string {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.home, "config.yaml"))
	require.NoError(w.t, err)
	return string(text)
}

// A test cannot write the user's files in any way, and the verdict is that of what really happened.
func TestWriteGuard_KeepsGatesFromUserFiles(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor, nil)
	trespass(w, false)
	before := fingerprint(t, w.root)
	code, stdout, stderr := w.run("validate", "--trust", "--dir", w.root, "--gate", "go test", "--json")
	require.Equal(t, 1, code, stdout+stderr)
	var said struct {
		Verdict string
		Gates   []struct {
			Findings []struct{ Message string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &said))
	require.Equal(t, "fail", said.Verdict)
	require.Len(t, said.Gates, 1)
	require.NotEmpty(t, said.Gates[0].Findings)
	require.Contains(t, stdout, "dep/index.js: read-only file system") // the others are private files of the same names
	require.Equal(t, before, fingerprint(t, w.root))
	require.Equal(t, "# mine\n", w.setting())
	w.spoil()
}

// A user whose tests need it lets their gate write; the other gates stay guarded.
func TestWriteGuard_SettingsExemptAGate(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor, nil)
	trespass(w, false)
	w.settings("unguarded: [go vet]\n")
	code, stdout, stderr := w.run("validate", "--trust", "--dir", w.root, "--gate", "go test")
	require.Equal(t, 1, code, stdout+stderr)
	require.Equal(t, "mine\n", w.read("mine.txt"))

	w.settings("unguarded: [go test]\n")
	code, stdout, stderr = w.run("validate", "--trust", "--dir", w.root, "--gate", "go test")
	require.Equal(t, 0, code, stdout+stderr)
	require.Equal(t, "spoilt\n", w.read("mine.txt"))
}

// A test that looks away when it is refused passes, and has written nothing either.
func TestWriteGuard_SwallowedErrorsLeaveNothing(t *testing.T) {
	t.Parallel()
	w := scripted(t, whole, nil)
	trespass(w, true)
	code, _, stderr := w.run("run", "--trust", "--yes", "add Add to package sum")
	require.Equal(t, 0, code, stderr)
	w.played()
	require.Contains(t, w.read("add.go"), "func Add")
	require.Equal(t, "mine\n", w.read("mine.txt"))
	require.Equal(t, "module.exports = 1;\n", w.read("node_modules/dep/index.js"))
	require.NoFileExists(t, filepath.Join(w.root, "new.txt"))
	require.Equal(t, "# mine\n", w.setting())
	w.spoil()
}

// A command that a model starts is guarded as well, whatever its arguments look like.
func TestWriteGuard_KeepsCommandsFromUserFiles(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+writeTests+`
- match: {node: executor, contains: [You implement a change]}
  reply: {json: {explanation: It is generated., actions: [{tool: run_command, args: {argv: [go, generate, ./...]}}]}}
- match: {node: executor, contains: ["Result of run_command go generate"]}
  reply: {json: {explanation: It adds., files: [`+uglyAdd+`], done: true}}`+reviewPass, nil)
	trespass(w, true)
	w.put(map[string]string{
		"add.txt": fineAdd, "sum.go": "// Package sum adds up.\npackage sum\n\n//go:generate cp add.txt " + filepath.Join(w.root, "mine.txt") + "\n",
	})
	w.settings("tools: {commands: [[go, generate]]}\n")
	code, _, stderr := w.run("run", "--yes", "--trust", "--mode", "heavy", "add Add to package sum")
	require.Equal(t, 0, code, stderr)
	w.played()
	require.Equal(t, "mine\n", w.read("mine.txt"))
	cmd := exec.CommandContext(t.Context(), "go", "generate") // the twin
	cmd.Dir = w.root
	require.NoError(t, cmd.Run())
	require.Equal(t, fineAdd, w.read("mine.txt"))
}

// The tools of a user whose HOME is empty make the caches that they need, and doctor reports what is guarded.
func TestWriteGuard_ToolsWorkInAnEmptyHome(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor, nil)
	home := t.TempDir()
	w.root = filepath.Join(home, "src", "project")
	require.NoError(t, os.MkdirAll(w.root, 0o700))
	w.put(sumModule())
	for i, entry := range w.environ {
		if name, _, _ := strings.Cut(entry, "="); name == "GOCACHE" || name == "GOPATH" || name == "GOMODCACHE" || name == "XDG_CACHE_HOME" {
			w.environ[i] = "FORGE_NOTHING="
		}
	}
	w.environ = append(w.environ, "HOME="+home, "FORGE_HOME="+filepath.Join(home, ".forge"), "TMPDIR="+home)
	code, stdout, stderr := w.run("validate", "--trust", "--dir", w.root, "--gate", "go build")
	require.Equal(t, 0, code, stdout+stderr)
	require.NoDirExists(t, filepath.Join(home, ".cache"), "what tools keep is in Forge's own folder")
	kept, err := filepath.Glob(filepath.Join(home, ".forge", "shadow", "*", "caches", "go-build", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, kept)
	left, err := filepath.Glob(filepath.Join(home, "forge-*"))
	require.NoError(t, err)
	require.Empty(t, left, "temporary files")

	_, stdout, _ = w.run("doctor")
	require.Regexp(t, `sandbox .*private (file system|network)|no network`, stdout)
}

// A test of Go runs where the user's folder is, so that build caches know its files; what it writes there is not the user's, and places in the report are
// those of the folder.
func TestGoGates_SeeTheTreeAtTheFoldersPath(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor, nil)
	w.put(sumModule())
	w.put(map[string]string{"mine.txt": "mine\n", "place_test.go": `package sum

import (
	"os"
	"testing"
)

func TestPlace(t *testing.T) {
	here, _ := os.Getwd()
	if err := os.WriteFile("mine.txt", []byte("spoilt"), 0o600); err != nil {
		t.Error(err)
	}
	t.Errorf("in place: %v", here == ` + strconv.Quote(w.root) + `)
}
`})
	before := fingerprint(t, w.root)
	code, stdout, stderr := w.run("validate", "--trust", "--dir", w.root, "--gate", "go test", "--json")
	require.Equal(t, 1, code, stdout+stderr)
	require.Equal(t, before, fingerprint(t, w.root))
	var said struct {
		Gates []struct {
			Findings []struct {
				Path    string
				Line    int
				Message string
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &said), stdout)
	require.Len(t, said.Gates, 1)
	require.Len(t, said.Gates[0].Findings, 1, stdout)
	finding := said.Gates[0].Findings[0]
	require.Equal(t, "place_test.go", finding.Path)
	require.Equal(t, 13, finding.Line)
	require.Contains(t, finding.Message, "in place: true")
}
