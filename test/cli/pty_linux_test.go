package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// person sits at a terminal of their own in which the program runs: they read what it says and type.
type person struct {
	t      *testing.T
	cmd    *exec.Cmd
	pty    *os.File
	reader sync.WaitGroup

	mu   sync.Mutex // guards seen and gone
	more *sync.Cond
	seen bytes.Buffer
	read int // how much of seen was waited for
	gone bool
}

// sit starts the program in a new terminal.
func (w *world) sit(args ...string) *person {
	w.t.Helper()
	return w.open(func(c *exec.Cmd, tty *os.File) { c.Stdin = tty }, args...)
}

// open starts the program in a new terminal, which it writes to.
func (w *world) open(input func(c *exec.Cmd, tty *os.File), args ...string) *person {
	w.t.Helper()
	pty, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(w.t, err)
	var number, unlocked int32
	control(w.t, pty, syscall.TIOCSPTLCK, &unlocked)
	control(w.t, pty, syscall.TIOCGPTN, &number)
	tty, err := os.OpenFile("/dev/pts/"+strconv.Itoa(int(number)), os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(w.t, err)
	ctx, cancel := context.WithTimeout(w.t.Context(), watchdog)
	p := &person{t: w.t, cmd: w.command(ctx, args...), pty: pty}
	p.more = sync.NewCond(&p.mu)
	p.cmd.Stdout, p.cmd.Stderr = tty, tty
	input(p.cmd, tty)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 2}
	require.NoError(w.t, p.cmd.Start())
	require.NoError(w.t, tty.Close())
	p.reader.Go(p.follow)
	w.t.Cleanup(func() { cancel(); _ = p.cmd.Wait(); _ = pty.Close(); p.reader.Wait() })
	return p
}

func control(t *testing.T, f *os.File, request uintptr, value *int32) {
	t.Helper()
	raw, err := f.SyscallConn()
	require.NoError(t, err)
	require.NoError(t, raw.Control(func(fd uintptr) {
		_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, fd, request, uintptr(unsafe.Pointer(value)))
		if errno != 0 {
			err = errno
		}
	}))
	require.NoError(t, err)
}

// follow reads the screen until the terminal is closed by the program's end.
func (p *person) follow() {
	part := make([]byte, 4096)
	for {
		n, err := p.pty.Read(part)
		p.mu.Lock()
		p.seen.Write(part[:n])
		p.gone = err != nil
		p.more.Broadcast()
		p.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// sees waits until a text comes on the screen, after the last one that was waited for.
func (p *person) sees(text string) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		if at := strings.Index(p.seen.String()[p.read:], text); at >= 0 {
			p.read += at + len(text)
			return
		}
		require.False(p.t, p.gone, "%q never came:\n%s", text, p.seen.String())
		p.more.Wait()
	}
}

// seesMatch is sees for a regular expression.
func (p *person) seesMatch(pattern string) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for text := regexp.MustCompile(pattern); ; {
		if at := text.FindStringIndex(p.seen.String()[p.read:]); at != nil {
			p.read += at[1]
			return
		}
		require.False(p.t, p.gone, "%s was never seen:\n%s", pattern, p.seen.String())
		p.more.Wait()
	}
}

// types types a line.
func (p *person) types(line string) {
	p.t.Helper()
	_, err := p.pty.WriteString(line + "\n")
	require.NoError(p.t, err)
}

// leaves waits for the end of the program and returns its exit code and all that was on the screen.
func (p *person) leaves() (code int, screen string) {
	p.t.Helper()
	_ = p.cmd.Wait() // the exit code says it
	p.reader.Wait()
	return p.cmd.ProcessState.ExitCode(), strings.ReplaceAll(p.seen.String(), "\r\n", "\n")
}

// interrupts does what Ctrl-C does. The character itself would also have the kernel drop what is on its way to the
// screen, in a race with what the program says of the interrupt.
func (p *person) interrupts() {
	p.t.Helper()
	require.NoError(p.t, p.cmd.Process.Signal(os.Interrupt))
}

// The user trusts the folder, approves the specification, takes one of two files, and undoes it.
func TestRunTerminal_TrustApproveChooseAndUndo(t *testing.T) {
	t.Parallel()
	question := `
- {match: {node: spec}, reply: {json: {title: "", spec: "", questions: [{question: "Of which numbers?", choices: [integers, floats]}]}}}`
	answered := strings.Replace(writeSpec, "node: spec", `node: spec, contains: ["Of which numbers? whole ones"]`, 1)
	w := scripted(t, decideSpec+question+answered+writeTests+writeRight+reviewPass, sumModule())
	before := fingerprint(t, w.root)
	p := w.sit("run", "add Add")
	p.sees("Do you trust the code in " + w.root + "?")
	p.sees("2) Don't run (default)\r\n> ")
	p.types("1")
	p.sees("Of which numbers?")
	p.sees("or type an answer of your own\r\n> ")
	p.types("whole ones")
	p.sees("Implement this specification? Add adds")
	p.sees("Add returns the sum.")
	p.sees("> ")
	require.Equal(t, before, fingerprint(t, w.root))
	p.types("implement")
	p.sees("+func Add(a, b int) int { return a + b }")
	p.sees("Apply this change to 2 files?")
	p.sees("> ")
	require.Equal(t, before, fingerprint(t, w.root), "nothing is written before the yes")
	p.types("2")
	p.sees("Apply add.go?")
	p.sees("> ")
	p.types("y")
	p.sees("Apply add_test.go?")
	p.sees("> ")
	p.types("") // the careful default
	code, screen := p.leaves()
	t.Log(screen)
	require.Zero(t, code, screen)
	require.Contains(t, screen, "[forge] applied add.go")
	require.NotContains(t, screen, "> [forge]", "nothing is printed into an open question")
	w.played()
	require.Equal(t, []string{"add.go", "go.mod", "sum.go"}, names(texts(t, w.root)))

	p = w.sit("undo")
	p.sees("deleted file")
	p.sees("Apply this change to add.go?")
	p.types("y")
	code, screen = p.leaves()
	t.Log(screen)
	require.Zero(t, code, screen)
	require.Equal(t, []string{"go.mod", "sum.go"}, names(texts(t, w.root)))
}

// Whatever question is open, an interrupt ends the program, quietly, and is no consent.
func TestRunTerminal_InterruptIsNoConsent(t *testing.T) {
	t.Parallel()
	trust := func(p *person) { p.sees("Do you trust"); p.sees("> ") }
	spec := func(p *person) { trust(p); p.types("1"); p.sees("Implement this specification?"); p.sees("> ") }
	apply := func(p *person) { spec(p); p.types("1"); p.sees("Apply this change"); p.sees("> ") }
	file := func(p *person) {
		apply(p)
		p.types("2")
		p.sees("Apply add.go?")
		p.types("1")
		p.sees("Apply add_test.go?")
		p.sees("> ")
	}
	for name, reach := range testkit.SampleMap(1, map[string]func(p *person){"trust": trust, "specification": spec, "apply": apply, "the second file": file}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := scripted(t, decideSpec+writeSpec+writeTests+writeRight+reviewPass, sumModule())
			before := fingerprint(t, w.root)
			p := w.sit("run", "add Add")
			reach(p)
			p.interrupts()
			code, screen := p.leaves()
			t.Log(screen)
			require.Equal(t, 4, code, screen)
			require.Contains(t, screen, "cancelled")
			readsWell(t, strings.ReplaceAll(screen, "*testing.T", ""))
			require.Equal(t, before, fingerprint(t, w.root))
			require.Empty(t, w.trees())
		})
	}
}

// The ways in which the user declines.
func TestRunTerminal_Declines(t *testing.T) {
	t.Parallel()
	for name, c := range testkit.SampleMap(1, map[string]struct {
		script string
		act    func(p *person)
		code   int
		says   string
	}{
		"no trust":                      {"", func(p *person) { p.sees("> "); p.types("no") }, 4, "the folder is not trusted, so nothing in it was run"},
		"no trust by the way of a typo": {"", func(p *person) { p.sees("> "); p.types("yes, why not") }, 4, "the folder is not trusted"},
		"the end of the input":          {"", func(p *person) { p.sees("> "); _, _ = p.pty.WriteString("\x04") }, 3, "the folder is not trusted and no answer was given"},
		"the specification is rejected": {decideSpec + writeSpec, func(p *person) {
			p.sees("> ")
			p.types("1")
			p.sees("Implement this")
			p.sees("> ")
			p.types("2")
		}, 4, "the specification was not approved, so nothing was generated"},
		"the specification is sent back": {decideSpec + writeSpec + "\n- {match: {node: spec, contains: [of any two integers]}, reply: {json: {title: Add adds integers, spec: Better., questions: []}}}", func(p *person) {
			p.sees("> ")
			p.types("1")
			p.sees("Implement this")
			p.sees("> ")
			p.types("say that it is of any two integers")
			p.sees("Add adds integers")
			p.sees("> ")
			p.types("2")
		}, 4, "the specification was not approved"},
		"nothing is applied": {decideSpec + writeSpec + writeTests + writeRight + reviewPass, func(p *person) {
			p.sees("> ")
			p.types("1")
			p.sees("Implement this")
			p.sees("> ")
			p.types("1")
			p.sees("Apply this")
			p.sees("> ")
			p.types("3")
		}, 3, "nothing was applied; your files are unchanged. To apply it later: forge apply --run r-"},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := c.script
			if script == "" {
				script = decideExecutor
			}
			w := scripted(t, script, sumModule())
			before := fingerprint(t, w.root)
			p := w.sit("run", "add Add")
			c.act(p)
			code, screen := p.leaves()
			t.Log(screen)
			require.Equal(t, c.code, code, screen)
			require.Contains(t, screen, c.says)
			if c.script != "" {
				w.played()
			}
			require.Equal(t, before, fingerprint(t, w.root))
		})
	}
}

// A terminal to write to is no person to ask: with nothing to read from, the program says what to give
// instead of an answer.
func TestRunTerminal_WithoutInputNamesTheFlags(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor, sumModule())
	p := w.open(func(c *exec.Cmd, _ *os.File) { c.Stdin = nil }, "run", "--yes", "add Add")
	code, screen := p.leaves()
	require.Equal(t, 3, code, screen)
	require.Contains(t, screen, "No terminal for questions: if you trust it, use --trust")
	require.NotContains(t, screen, "> ")
}

// A run whose result goes into a pipe asks at the terminal all the same.
func TestRunTerminal_APipedResultLeavesTheQuestions(t *testing.T) {
	t.Parallel()
	w := scripted(t, whole, sumModule())
	from, to, err := os.Pipe()
	require.NoError(t, err)
	p := w.open(func(c *exec.Cmd, tty *os.File) { c.Stdin, c.Stdout = tty, to }, "run", "add Add")
	require.NoError(t, to.Close())
	p.sees("Do you trust the code in")
	p.sees("> ")
	p.types("1")
	p.sees("Apply this change to 2 files?")
	p.sees("> ")
	p.types("1")
	code, screen := p.leaves()
	require.Zero(t, code, screen)
	piped, err := io.ReadAll(from)
	require.NoError(t, err)
	require.Contains(t, string(piped), "+func Add(a, b int) int { return a + b }")
	require.Equal(t, fineAdd, w.read("add.go"))
	w.played()
}
