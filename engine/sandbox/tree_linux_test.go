package sandbox

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// family is a script whose members all hold descriptor 3 and say so: a child, a grandchild, one in a
// session of its own, and one in a session of its own whose parent is gone.
const family = `exec 3>"$FIFO"
up='echo up >&3; exec sleep 100'
sh -c "$up" &
sh -c "sh -c '$up' & wait" &
setsid sh -c "$up" &
(setsid sh -c "$up" &)
`

const familySize = 4

// lifeline is a named pipe. Its reader sees the end when every process that held it is dead.
type lifeline struct {
	path   string
	file   *os.File
	reader *bufio.Reader
}

func newLifeline(t *testing.T, dir string) *lifeline {
	t.Helper()
	path := filepath.Join(dir, "fifo")
	require.NoError(t, syscall.Mkfifo(path, 0o666))
	require.NoError(t, os.Chmod(path, 0o666)) //nolint:gosec // another user's process writes to it
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = file.Close() })
	return &lifeline{path, file, nil}
}

// line waits for one line. Without a writer yet, a reader sees the end at once, hence the rounds.
func (l *lifeline) line(t *testing.T) string {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); {
		require.NoError(t, l.file.SetReadDeadline(end))
		if l.reader == nil {
			l.reader = bufio.NewReader(l.file)
		}
		text, err := l.reader.ReadString('\n')
		if err == nil {
			return strings.TrimSpace(text)
		}
		require.ErrorIs(t, err, io.EOF)
		time.Sleep(time.Millisecond) //nolint:forbidigo // between looks at a pipe that has no writer yet: nothing wakes a reader
	}
	t.Fatal("nothing arrived")
	return ""
}

// over says whether every holder is dead. Dead means dead now: the deadline only decides how long a
// failure takes.
func (l *lifeline) over(t *testing.T, wait time.Duration) bool {
	t.Helper()
	require.NoError(t, l.file.SetReadDeadline(time.Now().Add(wait)))
	_, err := io.Copy(io.Discard, l.file)
	require.True(t, err == nil || errors.Is(err, os.ErrDeadlineExceeded), "%v", err)
	return err == nil
}

func runners() map[string]func() *runner {
	return map[string]func() *runner{
		"as the kernel grants": func() *runner { return &runner{environ: os.Environ()} },
		"without a namespace": func() *runner {
			r := &runner{environ: os.Environ()}
			refusal := error(syscall.EPERM)
			r.plain.Store(&refusal)
			return r
		},
	}
}

func TestRun_EndsTheWholeTree(t *testing.T) {
	t.Parallel()
	endings := []struct {
		name, script string
		limit        time.Duration
		cancel       bool
		want         error
	}{
		{name: "when the caller gives up", script: family + "wait", cancel: true, want: context.Canceled},
		{name: "when the first process ends", script: family + "exec 4<>\"$GO\"; read line <&4"},
		{name: "when the time is over", script: family + "wait", limit: 30 * time.Second},
	}
	for mode, runner := range runners() {
		for _, tt := range endings {
			t.Run(tt.name+", "+mode, func(t *testing.T) {
				t.Parallel()
				folder := t.TempDir()
				life, start := newLifeline(t, folder), filepath.Join(folder, "go")
				require.NoError(t, syscall.Mkfifo(start, 0o600))
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				c := Command{
					Argv: []string{"sh", "-c", tt.script}, Dir: folder, Timeout: tt.limit,
					Env: []string{"FIFO=" + life.path, "GO=" + start},
				}
				done := make(chan error, 1)
				go func() {
					_, err := runner().Run(ctx, c)
					done <- err
				}()
				for range familySize {
					require.Equal(t, "up", life.line(t))
				}
				switch {
				case tt.cancel:
					cancel()
				case tt.limit == 0:
					require.NoError(t, os.WriteFile(start, []byte("go\n"), 0o600))
				}
				require.ErrorIs(t, <-done, tt.want)
				require.True(t, life.over(t, time.Minute), "a member outlived Run")
			})
		}
	}
}

// The twin: ending the process group, which is what most programs do, lets the two sessions live.
func TestRun_AProcessGroupIsNotTheTree(t *testing.T) {
	t.Parallel()
	life := newLifeline(t, t.TempDir())
	script := strings.ReplaceAll(family, "echo up", "echo $$")
	cmd := exec.Command("sh", "-c", script+"wait") //nolint:gosec // a constant
	cmd.Env = append(os.Environ(), "FIFO="+life.path)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, cmd.Start())
	var pids []int
	for range familySize {
		pid, err := strconv.Atoi(life.line(t))
		require.NoError(t, err)
		pids = append(pids, pid)
	}
	require.NoError(t, syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL))
	require.Error(t, cmd.Wait())
	require.False(t, life.over(t, 100*time.Millisecond), "the sessions died: the test above shows nothing")
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	require.True(t, life.over(t, time.Minute))
}

// Forge killed with -9 leaves no process behind where there is a namespace; its direct child dies anyway.
func TestRun_EndsTheTreeWithForge(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		as   *syscall.SysProcAttr
	}{
		{"as this user", nil},
		{"as nobody", &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.as != nil && os.Geteuid() != 0 {
				t.Skip("only root can become nobody; the case above was no root")
			}
			folder, err := os.MkdirTemp("", "sandbox") //nolint:usetesting // nobody cannot enter the folders of t.TempDir
			require.NoError(t, err)
			t.Cleanup(func() { _ = os.RemoveAll(folder) })
			require.NoError(t, os.Chmod(folder, 0o777)) //nolint:gosec // nobody works here
			require.True(t, grantsNamespaces(t, tt.as), "this machine grants no PID namespace: run the tests where it does")

			life := newLifeline(t, folder)
			forge := exec.Command("/proc/self/exe")
			forge.Env = append(os.Environ(), helper+"="+family+"wait", "FIFO="+life.path)
			forge.Dir, forge.SysProcAttr = folder, tt.as
			require.NoError(t, forge.Start())
			for range familySize {
				require.Equal(t, "up", life.line(t))
			}
			require.NoError(t, forge.Process.Kill())
			require.Error(t, forge.Wait())
			require.True(t, life.over(t, time.Minute), "a process outlived Forge")
		})
	}
}

func grantsNamespaces(t *testing.T, as *syscall.SysProcAttr) bool {
	t.Helper()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), helper+"=true")
	cmd.Dir, cmd.SysProcAttr = "/", as
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return strings.Contains(string(out), "namespace=true")
}

// A command that cannot be executed does not make the runner give up namespaces.
func TestRun_ABadProgramIsNotARefusal(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	script := filepath.Join(folder, "script")
	require.NoError(t, os.WriteFile(script, []byte("#!/no/such/interpreter\n"), 0o700)) //nolint:gosec // a program
	r := &runner{environ: os.Environ()}
	_, err := r.Run(t.Context(), Command{Argv: []string{script}, Dir: folder})
	var refused *NotStartedError
	require.ErrorAs(t, err, &refused)
	require.Nil(t, r.plain.Load())
}
