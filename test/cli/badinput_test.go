package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// bad is a call that cannot work, and the message that it prints.
type bad struct {
	args []string
	env  []string // added to the environment; "NAME" alone takes it away
	code int
	says []string // each of them stands in what is printed
}

func badCalls() map[string]bad {
	return map[string]bad{
		"no task":             {args: []string{"run"}, code: 2, says: []string{"the task is missing", `forge run "add`}},
		"an empty task":       {args: []string{"run", "  "}, code: 2, says: []string{"the task is missing"}},
		"a task unquoted":     {args: []string{"run", "add", "it"}, code: 2, says: []string{"2 arguments", "quote it"}},
		"an unknown command":  {args: []string{"fly"}, code: 2, says: []string{`"fly"`}},
		"an unknown flag":     {args: []string{"run", "--fly", "x"}, code: 2, says: []string{"--fly"}},
		"a mistyped flag":     {args: []string{"run", "--recpie", "fix", "x"}, code: 2, says: []string{"unknown flag: --recpie; did you mean --recipe?"}},
		"a mistyped command":  {args: []string{"show", "r-1"}, code: 2, says: []string{`"show"`, "Did you mean this?", "runs"}},
		"no question":         {args: []string{"ask"}, code: 2, says: []string{"the task is missing", `forge ask "where are refunds rounded?"`}},
		"one name":            {args: []string{"rename", "a"}, code: 2, says: []string{"give two arguments, the name and the new one, as in\n  forge rename fetchUser loadUser"}},
		"three names":         {args: []string{"replace", "a", "b", "c"}, code: 2, says: []string{"quote what has spaces: there are 3"}},
		"an unknown recipe":   {args: []string{"run", "--recipe", "fly", "x"}, code: 2, says: []string{"fly", "choose implement, fix, tdd, refactor, test or document"}},
		"no tokens":           {args: []string{"run", "--tokens", "0", "x"}, code: 2, says: []string{"--tokens 0", "above 0"}},
		"a missing folder":    {args: []string{"run", "--dir", "gone", "x"}, code: 2, says: []string{"gone does not exist"}},
		"a file for a folder": {args: []string{"run", "--dir", "go.mod", "x"}, code: 2, says: []string{"go.mod is not a folder"}},
		"a missing file":      {args: []string{"run", "--file", "gone.go", "x"}, code: 2, says: []string{"--file gone.go does not exist"}},
		"a file outside":      {args: []string{"run", "--file", "../x.go", "x"}, code: 2, says: []string{"../x.go", "want a path in the folder"}},
		"no place for state":  {args: []string{"run", "x"}, env: []string{"HOME", "FORGE_HOME", "XDG_STATE_HOME", "USERPROFILE"}, code: 3, says: []string{"set FORGE_HOME"}},
		"a state folder that cannot be made": {
			args: []string{"run", "--trust", "x"}, env: []string{"FORGE_HOME=/dev/null/forge"}, code: 3,
			says: []string{"record trust in", "/dev/null/forge", "set FORGE_HOME to a folder that can be written"},
		},
		"a state folder that cannot be read": {
			args: []string{"run", "--yes", "x"}, env: []string{"FORGE_HOME=/dev/null/forge"}, code: 3,
			says: []string{"/dev/null/forge", "set FORGE_HOME to a folder that can be written"},
		},
		"two runs to undo":         {args: []string{"undo", "a", "b"}, code: 2, says: []string{"name one"}},
		"a server without a model": {args: []string{"run", "--trust", "x"}, env: []string{"FORGE_MODEL", "FORGE_BASE_URL=http://127.0.0.1:1/v1"}, code: 3, says: []string{"set it to the model"}},
		"no URL":                   {args: []string{"run", "--trust", "x"}, env: []string{"FORGE_BASE_URL=nonsense"}, code: 3, says: []string{"FORGE_BASE_URL is not a URL", "http://"}},
		"a key for nothing":        {args: []string{"run", "--trust", "x"}, env: []string{"FORGE_BASE_URL", "FORGE_API_KEY=" + canary}, code: 3, says: []string{"FORGE_API_KEY is set, but not FORGE_BASE_URL"}},
		"an untrusted folder":      {args: []string{"run", "--yes", "x"}, code: 3, says: []string{"trust the code in", "--trust"}},
		"nothing to undo":          {args: []string{"undo"}, code: 1, says: []string{"nothing to undo"}},
		"an unknown run to undo":   {args: []string{"undo", "r-none"}, code: 1, says: []string{"nothing to undo"}},
		"no git":                   {args: []string{"run", "--trust", "x"}, env: []string{"PATH=" + only("go")}, code: 3, says: []string{`"git"`, "PATH", "install it"}},
		"no go": {
			args: []string{"run", "--trust", "--yes", "x"}, env: []string{"PATH=" + only("git")}, code: 3,
			says: []string{"stopped before a model was called: go build, go test cannot run", "https://go.dev/doc/install"},
		},
	}
}

// canary is a key that must never be shown.
const canary = "sk-canary-2f6b1c90"

// only is a PATH on which one program is to be found and the other is not.
func only(program string) string { return filepath.Join(binaries, program) }

func TestCommands_ReportBadInput(t *testing.T) {
	t.Parallel()
	for name, c := range testkit.SampleMap(8, badCalls()) {
		for _, asJSON := range []bool{false, true} {
			t.Run(name+map[bool]string{true: ", as JSON"}[asJSON], func(t *testing.T) {
				t.Parallel()
				w := scripted(t, "\n- {match: {node: orchestrator}, reply: {json: {action: executor, reason: small}}}", sumModule())
				w.environ = changed(append(w.environ, "FORGE_API_KEY="+canary), c.env)
				args := c.args
				if asJSON {
					if args[0] == "fly" || args[0] == "show" {
						return
					}
					args = append([]string{args[0], "--json"}, args[1:]...)
				}
				before := fingerprint(t, w.root)
				code, stdout, stderr := w.run(args...)
				require.Equal(t, c.code, code, stdout+stderr)
				for _, part := range c.says {
					require.Contains(t, strings.ReplaceAll(stdout, `\"`, `"`)+stderr, part)
				}
				readsWell(t, stdout+stderr)
				if asJSON {
					isJSONLines(t, stdout)
				}
				require.Zero(t, w.journal.requests("executor"), "no code is requested that could not be checked")
				require.Equal(t, before, fingerprint(t, w.root))
			})
		}
	}
}

// binaries holds a folder for each of git and go with links to the real one.
var binaries string

func linkBinaries(dir string) error {
	for _, program := range []string{"git", "go"} {
		found, err := exec.LookPath(program)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Join(dir, program), 0o755); err != nil {
			return err
		}
		if err := os.Symlink(found, filepath.Join(dir, program, program)); err != nil {
			return err
		}
	}
	return nil
}

// changed is an environment with entries added, and those taken away that stand without a value.
func changed(environ, changes []string) []string {
	var result []string
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		replaced := false
		for _, change := range changes {
			other, _, _ := strings.Cut(change, "=")
			replaced = replaced || other == name
		}
		if !replaced {
			result = append(result, entry)
		}
	}
	for _, change := range changes {
		if strings.Contains(change, "=") {
			result = append(result, change)
		}
	}
	return result
}

// goTypes are the traces of a program that shows its inside.
var goTypes = regexp.MustCompile(`\*[a-z]+\.[A-Z]|panic:|goroutine \d|runtime error|%!|<nil>|context canceled|context deadline|forge/engine|exit status|invalid character`)

// readsWell demands that a message is one for users: no type of Go's, no key, no stack.
func readsWell(t *testing.T, text string) {
	t.Helper()
	require.NotRegexp(t, goTypes, text)
	require.NotContains(t, text, canary)
}

// isJSONLines demands that every line can be read by a program.
func isJSONLines(t *testing.T, stdout string) {
	t.Helper()
	for line := range strings.Lines(stdout) {
		var object map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &object), line)
	}
}

// Without any model the program says what to do, and does not pretend.
func TestRun_WithoutAModelExplainsSetup(t *testing.T) {
	t.Parallel()
	w := scripted(t, "\n- {match: {node: orchestrator}, reply: {text: unused}}", sumModule())
	w.environ = changed(w.environ, []string{"FORGE_BASE_URL", "FORGE_MODEL", "FORGE_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"})
	before := fingerprint(t, w.root)
	code, stdout, stderr := w.run("run", "--trust", "--yes", "add Add")
	require.Equal(t, 3, code)
	require.Empty(t, stdout)
	for _, way := range []string{"OPENAI_API_KEY", "Ollama", "FORGE_BASE_URL and FORGE_MODEL", "forge demo"} {
		require.Contains(t, stderr, way)
	}
	require.NotContains(t, stderr, "RUNNING")
	require.Equal(t, before, fingerprint(t, w.root))
}

// A folder that no gate knows is not checked: what is made for it is shown as not verified, and --yes does not take it.
func TestRun_WithoutGatesIsUnverified(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+writeRight+reviewPass, map[string]string{"notes.txt": "buy milk\n"})
	before := fingerprint(t, w.root)
	code, _, stderr := w.run("run", "--trust", "--yes", "add Add")
	require.Equal(t, 3, code, stderr)
	require.Contains(t, stderr, "nothing checks this change: Forge finds projects of go (go.mod), javascript, python, rust (Cargo.toml), shell (*.sh), and there is none here")
	require.Contains(t, stderr, "Your settings can add a command that does (gates)")
	require.Contains(t, stderr, "[forge] not verified: ")
	require.Contains(t, stderr, "--allow-unverified")
	w.played()
	require.Equal(t, before, fingerprint(t, w.root))
}

// A result that cannot be written is not half written, and the message names the folder. The gate is a command of the user's: without the
// capability that is given up here, Go's gates begin with an empty build cache and compile its library, which takes 40 CPU-seconds.
func TestRun_ReadOnlyFolderStaysUnchanged(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+writeRight+reviewPass, map[string]string{"notes.txt": "buy milk\n"})
	w.settings("gates: [{name: added, argv: [test, -e, add.go], checks: 1}]\n")
	require.NoError(t, os.Chmod(w.root, 0o555))
	t.Cleanup(func() { _ = os.Chmod(w.root, 0o755) })
	before := fingerprint(t, w.root)
	c := w.command(t.Context(), "run", "--trust", "--yes", "--json", "add Add")
	if os.Geteuid() == 0 { // whom permissions do not bind, until the capability is given up
		setpriv := testkit.Tool(t, "setpriv", "scripts/install.sh setpriv") // or run this test as a user other than root
		c.Path, c.Args = setpriv, append([]string{"setpriv", "--bounding-set=-dac_override", forge}, c.Args[1:]...)
	}
	code, stdout, stderr := execute(t, c)
	require.Equal(t, 1, code, stdout+stderr)
	isJSONLines(t, stdout)
	require.Contains(t, stderr, "permission denied")
	require.Contains(t, stderr, "your files are as they were")
	require.Contains(t, stdout, `"error":"write to `)
	readsWell(t, stderr)
	require.Equal(t, before, fingerprint(t, w.root))
}
