package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/api"
	"forge/internal/testkit"
)

// Tests outside of the scope of a change to the package sum, in a package that imports nothing of it.
const (
	guardPasses = "func TestPasses(*testing.T) {}\n"
	guardOld    = "func TestOld(t *testing.T) { t.Fatal(\"as ever\") }\n"
	guardNoAdd  = "func TestNoAdd(t *testing.T) {\n\tif _, err := os.Stat(\"../add.go\"); err == nil {\n\t\tt.Fatal(\"there is an add.go\")\n\t}\n}\n"
)

// largeModule is sumModule with so many files of tests that a change is judged by a part of them. Those of the package guard hold these tests.
func largeModule(tests ...string) map[string]string {
	files := sumModule()
	for i := range 101 {
		files[fmt.Sprintf("guard/g%d_test.go", i)] = "package guard\n"
	}
	files["guard/guard.go"] = "// Package guard keeps watch.\npackage guard\n"
	files["guard/guard_test.go"] = "package guard\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nvar _ = os.Stat\n\n" + strings.Join(tests, "\n")
	return files
}

// holds is a test that writes its process number into a pipe, keeps it open, and never ends.
func holds(pipe string) string {
	return "func TestZHolds(*testing.T) {\n\tif _, err := os.OpenFile(\"" + pipe + "\", os.O_WRONLY, 0); err == nil {\n\t\tselect {}\n\t}\n}\n"
}

// lifeline is a named pipe, and a function that fails unless all who hold it are dead.
func lifeline(t *testing.T) (pipe string, dead func()) {
	t.Helper()
	pipe = filepath.Join(t.TempDir(), "alive")
	require.NoError(t, syscall.Mkfifo(pipe, 0o666))
	file, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = file.Close() })
	return pipe, func() {
		require.NoError(t, file.SetReadDeadline(time.Now().Add(watchdog)))
		_, err := io.Copy(io.Discard, file)
		require.NoError(t, err, "a process was left")
	}
}

// lastRun is the id of the newest run.
func lastRun(w *world) string { return asked[api.RunsResult](w, "runs").Runs[0].RunID }

// If a run's checks execute a part of the tests, all of them run while the user decides, and the answer ends them.
func TestWholeSuite_RunsWhileTheUserDecides(t *testing.T) {
	t.Parallel()
	for name, c := range testkit.SampleMap(0, map[string]struct {
		tests []string
		shown string
	}{
		"all pass":              {[]string{guardPasses}, "whole suite: 2 of 2 passed"},
		"one fails with it":     {[]string{guardPasses, guardNoAdd}, "whole suite: 1 test outside of the scope fails with this change: example.com/sum/guard.TestNoAdd"},
		"one failed before too": {[]string{guardPasses, guardOld}, "whole suite: 2 of 3 passed; 1 failed before the change, too"},
	}, "one fails with it") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := scripted(t, whole, largeModule(c.tests...))
			w.environ = append(w.environ, "TERM=xterm")
			p := w.sit("run", "--trust", "add Add")
			p.sees("Apply this change to 2 files?")
			p.seesMatch(regexp.QuoteMeta(c.shown) + `(?:\x1b8|\r|:)`) // the line is whole: less has been counted before
			if strings.Contains(c.shown, "outside") {
				p.sees("there is an add.go")
				p.sees("Apply this change to 2 files?") // once more, below what is new
				p.sees("> ")
			} // else the question stands, and what is shown changes above it
			p.types("1")
			code, screen := p.leaves()
			t.Log(screen)
			require.Zero(t, code, screen)
			require.Contains(t, screen, "[forge] "+c.shown)
			require.Contains(t, screen, "[forge] applied add.go")
			w.played()
			_, log, _ := w.run("log", lastRun(w))
			require.Contains(t, log, c.shown, "it is kept with the run")
		})
	}
}

// However the question is closed, the tests end, and no process is left.
func TestWholeSuite_EndsWithTheAnswer(t *testing.T) {
	t.Parallel()
	for name, c := range testkit.SampleMap(0, map[string]struct {
		answer func(p *person)
		code   int
	}{
		"accepted":    {func(p *person) { p.types("1") }, 0},
		"rejected":    {func(p *person) { p.types("3") }, 3},
		"interrupted": {func(p *person) { p.interrupts() }, 4},
	}, "interrupted") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pipe, dead := lifeline(t)
			w := scripted(t, whole, largeModule(guardPasses, holds(pipe)))
			w.settings("unguarded: [go test]\n") // its pipe is outside of the tree
			w.environ = append(w.environ, "TERM=xterm")
			p := w.sit("run", "--trust", "add Add")
			p.sees("Apply this change to 2 files?")
			p.sees("whole suite: 2 of 2 passed so far")
			c.answer(p)
			code, screen := p.leaves()
			t.Log(screen)
			require.Equal(t, c.code, code, screen)
			require.Contains(t, screen, "[forge] whole suite: stopped; 2 of 2 passed so far")
			dead()
			w.played()
		})
	}
}

// The background suite is no part of the run: the program's death loses nothing, and leaves no process.
func TestWholeSuite_IsNoPartOfTheRun(t *testing.T) {
	t.Parallel()
	pipe, dead := lifeline(t)
	w := scripted(t, whole, largeModule(guardPasses, holds(pipe)))
	w.settings("unguarded: [go test]\n") // its pipe is outside of the tree
	w.environ = append(w.environ, "TERM=xterm")
	p := w.sit("run", "--trust", "add Add")
	p.sees("whole suite: 2 of 2 passed so far")
	require.NoError(t, p.cmd.Process.Kill())
	_, _ = p.leaves()
	dead()
	w.played()
	code, stdout, stderr := w.run("resume", "--yes")
	require.Zero(t, code, stdout+stderr)
	require.NotContains(t, stderr, "whole suite")
	require.FileExists(t, filepath.Join(w.root, "add.go"))
}

// If no user waits, or the user wants none, only the part runs.
func TestWholeSuite_SkippedWithoutAWaitingUser(t *testing.T) {
	t.Parallel()
	for name, never := range testkit.SampleMap(0, map[string]bool{"--yes": false, "never": true}, "--yes") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := scripted(t, whole, largeModule(guardNoAdd))
			if never {
				w.settings("wholeSuite: never\n")
				p := w.sit("run", "--trust", "add Add")
				p.sees("Apply this change to 2 files?")
				p.types("1")
				code, screen := p.leaves()
				require.Zero(t, code, screen)
				require.NotContains(t, screen, "whole suite")
			} else {
				code, stdout, stderr := w.run("run", "--yes", "--trust", "add Add")
				require.Zero(t, code, stdout+stderr)
				require.NotContains(t, stderr, "whole suite")
			}
			_, log, _ := w.run("log", lastRun(w))
			require.NotContains(t, log, "whole suite")
		})
	}
}

// The flag has all tests be a part of the run: what fails goes back to the model.
func TestWholeSuite_BeforeTheProposalSendsTheChangeBack(t *testing.T) {
	t.Parallel()
	elsewhere := strings.Replace(strings.Replace(writeRight, "add.go, action: create", "sum.go, action: write", 1), "package sum", "// Package sum adds up.\\npackage sum", 1)
	again := `
- {match: {node: debugger}, times: -1, reply: {json: {rootCause: a guard wants no add.go, hypotheses: [], fix: write it into sum.go, mustRead: [], strategy: s}}}
- {match: {node: overseer}, times: -1, reply: {json: {class: unclear, reason: it is not clear}}}`
	w := scripted(t, whole[:strings.Index(whole, reviewPass)]+elsewhere+again+reviewPass, largeModule(guardPasses, guardNoAdd))
	code, stdout, stderr := w.run("run", "--yes", "--trust", "--json", "--whole-suite", "add Add")
	require.Zero(t, code, stdout[max(0, len(stdout)-2000):]+stderr)
	all, _ := events(t, stdout)
	said := reports(t, all, "go test")
	require.Contains(t, strings.Join(said, "\n"), "fail: 1 of 3 tests failed")
	require.Contains(t, said[len(said)-1], "pass: 3 tests passed")
	require.NoFileExists(t, filepath.Join(w.root, "add.go"))
}

// A resumed run executes them again only on request, and --yes does not apply one whose tests fail.
func TestWholeSuite_OfAResumedRun(t *testing.T) {
	t.Parallel()
	w := scripted(t, whole, largeModule(guardPasses, guardNoAdd))
	code, stdout, stderr := w.run("run", "--trust", "--json", "add Add")
	require.Equal(t, 3, code, stdout+stderr)
	require.NotContains(t, stdout+stderr, "whole suite", "no user waits")
	w.played()
	id := lastRun(w)
	code, stdout, stderr = w.run("resume", id, "--yes", "--whole-suite")
	require.Equal(t, 3, code, stdout+stderr)
	require.Contains(t, stderr, "not verified: the run accepted this change with a part of the tests:")
	require.Contains(t, stderr, "whole suite: 1 test outside of the scope fails with this change: example.com/sum/guard.TestNoAdd")
	require.NoFileExists(t, filepath.Join(w.root, "add.go"))

	p := w.sit("resume", id)
	p.sees("whole suite: 1 test outside of the scope fails") // from before the run was resumed
	p.sees("Apply this change to 2 files?")
	p.sees("> ")
	p.types("1")
	code, screen := p.leaves()
	require.Zero(t, code, screen)
	require.NotContains(t, screen, "whole suite: running")
	require.FileExists(t, filepath.Join(w.root, "add.go"))
}
