package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// escaping is a module whose test tries to get at processes of a name, at the terminal and at all terminals, and fails for each one that is open.
func escaping(w *world, name string) {
	w.t.Helper()
	attempts, err := os.ReadFile("../../engine/sandbox/escape_linux_test.go")
	require.NoError(w.t, err)
	w.put(sumModule())
	w.put(map[string]string{
		"attempts_test.go": strings.Replace(string(attempts), "package sandbox", "package sum", 1),
		"escape_test.go": `package sum

import (
	"strings"
	"testing"
)

func TestEscape(t *testing.T) {
	for _, open := range escapes(` + strconv.Quote(name) + `) {
		if !strings.HasPrefix(open, "OPEN nothing") { // the processes of others are not even seen
			t.Error(open)
		}
	}
}
`,
	})
}

// open are the ways out that a test of a project must find where nothing confines it.
var open = []string{"reading environ", "reading memory", "writing memory", "seeing descriptors", "opening descriptors"}

// A test of a project that a gate executes gets at nothing of Forge: not at the memory of any of its threads, its environment and its descriptors.
// The same test, started by hand, gets at all of that of another process of the user.
func TestGateSandbox_CannotReachForgesProcess(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor, nil)
	program := filepath.Join(t.TempDir(), "forge-"+strconv.Itoa(os.Getpid()%100000))
	copied, err := exec.CommandContext(t.Context(), "cp", forge, program).CombinedOutput()
	require.NoError(t, err, string(copied))
	w.program = program
	escaping(w, filepath.Base(program))
	w.environ = append(w.environ, "OPENAI_API_KEY="+canary)
	_, stdout, stderr := w.run("validate", "--trust", "--dir", w.root, "--gate", "go test")
	for _, what := range open {
		require.NotContains(t, stdout+stderr, "OPEN "+what)
	}
	require.Contains(t, stdout+stderr, "test", "it was run: without other processes in its /proc, or with those and no way in")

	w.settings("unguarded: [go test]\n")
	code, stdout, stderr := w.run("validate", "--trust", "--dir", w.root, "--gate", "go test")
	require.Equal(t, 0, code, "a gate that may write wherever its user may reads Forge's memory no more than others: "+stdout+stderr)

	twin := filepath.Join(t.TempDir(), "forge-twin")
	sleep, err := exec.LookPath("sleep")
	require.NoError(t, err)
	copied, err = exec.CommandContext(t.Context(), "cp", sleep, twin).CombinedOutput()
	require.NoError(t, err, string(copied))
	victim := exec.CommandContext(t.Context(), twin, "1000")
	require.NoError(t, victim.Start())
	defer func() { _ = victim.Process.Kill(); _ = victim.Wait() }()
	escaping(w, "forge-twin")
	out := byHand(w)
	for _, what := range open {
		require.Contains(t, out, "OPEN "+what)
	}
}

// byHand runs the attempts without Forge, and gives what they got at.
func byHand(w *world) string {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), "go", "test", "-count=1", "-run", "TestEscape", ".")
	cmd.Dir = w.root
	_, stdout, stderr := execute(w.t, cmd)
	return stdout + stderr
}

// A test of a project that a gate executes has no terminal to type at, while its user sits at one. Started by hand in a terminal, it has, and
// types where the system lets programs do that.
func TestGateSandbox_HasNoTerminal(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor, nil)
	escaping(w, "")
	p := w.sit("validate", "--trust", "--dir", w.root, "--gate", "go test")
	code, screen := p.leaves()
	require.Equal(t, 0, code, screen)

	w.program = "/bin/sh" // the twin
	p = w.sit("-c", "exec go test -count=1 -run TestEscape .")
	_, screen = p.leaves()
	require.Contains(t, screen, "OPEN opening the terminal")
	if legacy, _ := os.ReadFile("/proc/sys/dev/tty/legacy_tiocsti"); os.Getuid() == 0 || strings.TrimSpace(string(legacy)) != "0" {
		require.Contains(t, screen, "OPEN typing at the terminal")
	}
}

// Input that was typed before a question is no answer to it: only input that follows the question
// counts.
func TestTerminal_DiscardsInputTypedBeforeAQuestion(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor, sumModule())
	before := fingerprint(t, w.root)
	release := filepath.Join(t.TempDir(), "release")
	require.NoError(t, syscall.Mkfifo(release, 0o600))
	w.program = "/bin/sh"
	p := w.sit("-c", `echo ready; read line <"$0"; exec "$1" run --no-explore "add Add"`, release, forge)
	p.sees("ready")
	p.types("1\ny\n1\ny")
	p.sees("y\r\n1\r\ny\r\n") // it is in the terminal now, unread
	require.NoError(t, os.WriteFile(release, []byte("go\n"), 0o600))
	p.sees("Do you trust the code in")
	p.sees("> ")
	p.types("2")
	code, screen := p.leaves()
	require.Equal(t, 4, code, screen)
	require.Contains(t, screen, "the folder is not trusted, so nothing in it was run")
	require.Equal(t, before, fingerprint(t, w.root))
}

// A test of a project that breeds processes, or takes all memory, is stopped, and the report names the setting that raises the bound.
func TestGateSandbox_EnforcesProcessAndMemoryLimits(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ settings, test, says string }{
		"processes": {"sandbox: {processes: 60}\n", `
	for range 200 {
		if err := exec.Command("sleep", "1000").Start(); err != nil {
			t.Fatal(err)
		}
	}
	select {}`, "processes at once and may have 60; sandbox.processes in your settings raises that"},
		"memory": {"sandbox: {memory: 900MiB}\n", `
	_ = exec.ErrDot
	memory := make([]byte, 1200<<20)
	for i := range memory {
		memory[i] = byte(i)
	}
	for {
		time.Sleep(time.Hour)
		memory[0]++
	}`, "it took more than 900 MiB of memory; sandbox.memory in your settings raises that"},
	}
	if testing.Short() {
		delete(cases, "memory") // TestRun_EndsAnEaterOfMemory is the same without a run
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := scripted(t, decideExecutor, sumModule())
			w.settings(c.settings)
			w.put(map[string]string{"hungry_test.go": "package sum\n\nimport (\n\t\"os/exec\"\n\t\"testing\"\n\t\"time\"\n)\n\nvar _ = time.Second\n\nfunc TestHungry(t *testing.T) {" + c.test + "\n}\n"})
			code, stdout, stderr := w.run("validate", "--trust", "--dir", w.root, "--gate", "go test")
			require.Equal(t, 3, code, stdout+stderr)
			require.Contains(t, stdout+stderr, c.says)
		})
	}
}
