package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// watchdog ends a test that would hang for ever. Nothing is measured by it.
const watchdog = 10 * time.Minute

// live is a run in progress, whose events are read one by one.
type live struct {
	t      *testing.T
	cmd    *exec.Cmd
	lines  *bufio.Reader
	stderr bytes.Buffer
}

// start starts forge run --json in the trusted folder.
func (w *world) start(task string) *live {
	w.t.Helper()
	return w.launch("run", "--trust", "--yes", "--json", task)
}

// launch starts the program, which prints events.
func (w *world) launch(args ...string) *live {
	w.t.Helper()
	l := &live{t: w.t, cmd: w.command(w.t.Context(), args...)}
	l.cmd.Stderr = &l.stderr
	out, err := l.cmd.StdoutPipe()
	require.NoError(w.t, err)
	l.lines = bufio.NewReader(out)
	require.NoError(w.t, l.cmd.Start())
	guard := time.AfterFunc(watchdog, func() { _ = l.cmd.Process.Kill() })
	w.t.Cleanup(func() { guard.Stop() })
	return l
}

// until reads events up to one of a type.
func (l *live) until(kind string) event {
	l.t.Helper()
	for {
		line, err := l.lines.ReadBytes('\n')
		require.NoError(l.t, err, "the run ended before %s: %s", kind, &l.stderr)
		var e event
		require.NoError(l.t, json.Unmarshal(line, &e), string(line))
		if e.Type == kind {
			return e
		}
	}
}

// signal sends a signal to the program alone.
func (l *live) signal(s os.Signal) { require.NoError(l.t, l.cmd.Process.Signal(s)) }

// end reads what is left and returns it with the exit code, which is -1 for a killed program.
func (l *live) end() (code int, rest string) {
	l.t.Helper()
	left, err := io.ReadAll(l.lines)
	require.NoError(l.t, err)
	_ = l.cmd.Wait() // the exit code says it
	return l.cmd.ProcessState.ExitCode(), string(left)
}

// breath proves that a hanging test, or a child that it leaves, is alive: a named pipe that all of
// them hold open. It ends when the last of them is dead.
type breath struct {
	t    *testing.T
	path string
}

func newBreath(t *testing.T) breath {
	t.Helper()
	b := breath{t: t, path: filepath.Join(t.TempDir(), "breath")}
	require.NoError(t, syscall.Mkfifo(b.path, 0o600))
	return b
}

// module is a module whose tests start a child in a session of its own, and hang with it.
func (b breath) module() map[string]string {
	files := sumModule()
	files["hang_test.go"] = `package sum

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
)

func TestHang(t *testing.T) {
	breath, err := os.OpenFile("` + b.path + `", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command("sleep", "1000")
	child.Stdout = breath
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := breath.WriteString("!"); err != nil {
		t.Fatal(err)
	}
	select {}
}
`
	return files
}

// begun blocks until the test hangs. What it returns is read until all of its processes are dead.
func (b breath) begun() *os.File {
	b.t.Helper()
	pipe, err := os.Open(b.path)
	require.NoError(b.t, err)
	b.t.Cleanup(func() { _ = pipe.Close() })
	require.NoError(b.t, pipe.SetReadDeadline(time.Now().Add(watchdog)))
	_, err = io.ReadFull(pipe, make([]byte, 1))
	require.NoError(b.t, err)
	return pipe
}

// gone blocks until no process holds the pipe.
func (b breath) gone(pipe *os.File) {
	b.t.Helper()
	_, err := io.Copy(io.Discard, pipe)
	require.NoError(b.t, err, "a process outlives the program")
}
