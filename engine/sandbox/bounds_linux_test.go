package sandbox

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The test program as an eater of memory: so many bytes.
const eater = "SANDBOX_TEST_EAT"

// eat takes memory, and keeps it until this process is ended.
func eat(size int) {
	memory := make([]byte, size)
	for i := range memory {
		memory[i] = byte(i)
	}
	_, _ = os.Stdin.Read(make([]byte, 1)) // there is no end of this input
	_, _ = os.Stdout.Write(memory[:1])
}

// forkBomb doubles itself nine times: 512 processes in the end, each of which stays.
const forkBomb = `n=${1:-9}
while [ "$n" -gt 0 ]; do n=$((n-1)); sh "$BOMB" $n & done
exec 3<>"$FIFO"; read x <&3`

// A command that breeds is ended, all of it, and what is said names the bound and the setting; one within its bounds is left alone.
func TestRun_EndsAForkBomb(t *testing.T) {
	t.Parallel()
	for mode, runner := range runners() {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			life := newLifeline(t, folder)
			bomb := folder + "/bomb.sh"
			require.NoError(t, os.WriteFile(bomb, []byte(forkBomb), 0o600))
			c := Command{
				Argv: []string{"sh", bomb}, Dir: folder, MaxProcesses: 40, Timeout: 10 * time.Minute,
				Env: []string{"BOMB=" + bomb, "FIFO=" + life.path},
			}
			got, err := runner().Run(t.Context(), c)
			require.NoError(t, err)
			require.Regexp(t, `^it had \d+ processes at once and may have 40; sandbox.processes in your settings raises that$`, got.Exceeded)
			require.False(t, got.TimedOut)
			require.Equal(t, -1, got.ExitCode)
			require.True(t, life.over(t, time.Minute), "a process outlived Run")

			c.Argv = []string{"sh", "-c", `for i in 1 2 3; do sh -c 'exit 0' & done; wait`}
			got, err = runner().Run(t.Context(), c)
			require.NoError(t, err)
			require.Empty(t, got.Exceeded)
			require.Zero(t, got.ExitCode)
		})
	}
}

// A command that eats memory is ended, whichever of its processes eats.
func TestRun_EndsAnEaterOfMemory(t *testing.T) {
	t.Parallel()
	program := victim(t, "sandbox-eater")
	for mode, runner := range runners() {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			c := shell(t, `"$EATER" <"$FIFO" & "$EATER" <"$FIFO" & wait`)
			life := newLifeline(t, c.Dir)
			hold, err := os.OpenFile(life.path, os.O_RDWR, 0) // an input without an end
			require.NoError(t, err)
			defer hold.Close()
			c.Env = []string{"EATER=" + program, "FIFO=" + life.path, eater + "=" + strconv.Itoa(120<<20)}
			c.MaxMemory, c.Timeout = 200<<20, 10*time.Minute
			got, err := runner().Run(t.Context(), c)
			require.NoError(t, err)
			require.Equal(t, "it took more than 200 MiB of memory; sandbox.memory in your settings raises that", got.Exceeded)
			require.Equal(t, -1, got.ExitCode)
		})
	}
}

// Memory that processes share after a fork is counted once.
func TestMemory_SharedIsCountedOnce(t *testing.T) {
	t.Parallel()
	life := newLifeline(t, t.TempDir())
	cmd := exec.CommandContext(t.Context(), "sh", "-c", `x=$(head -c 20000000 /dev/zero | tr '\0' x)
exec 3>"$FIFO" 4<&0
for i in 1 2 3 4 5 6 7 8; do (echo up >&3; read line <&4) & done
echo up >&3; read line`)
	cmd.Env = append(os.Environ(), "FIFO="+life.path)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	r, w, err := os.Pipe()
	require.NoError(t, err)
	cmd.Stdin = r
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
		_ = w.Close()
		_ = r.Close()
	})
	for range 9 {
		require.Equal(t, "up", life.line(t))
	}
	lately.mu.Lock()
	lately.at = time.Time{} // the table of another test may be older than these processes
	lately.mu.Unlock()
	tree := &tree{process: cmd.Process}
	now := tree.usage()
	require.Equal(t, 9, now.processes)
	require.Greater(t, now.memory, int64(9*20000000), "the quick count adds what is shared again and again")
	require.Less(t, tree.memory(), int64(3*20000000))
	require.Greater(t, tree.memory(), int64(20000000))
}

// The defaults fit the machine.
func TestBounds_Defaults(t *testing.T) {
	t.Parallel()
	require.GreaterOrEqual(t, DefaultProcesses(), 512)
	text, err := os.ReadFile("/proc/meminfo")
	require.NoError(t, err)
	fields := strings.Fields(string(text))
	kilobytes, err := strconv.ParseInt(fields[1], 10, 64)
	require.NoError(t, err)
	require.Positive(t, DefaultMemory())
	require.LessOrEqual(t, DefaultMemory(), kilobytes<<10/4*3)
}

// Checks of concurrent commands read the table of processes once.
func TestRecent_IsReadOnceForAll(t *testing.T) {
	t.Parallel()
	r := &recent{}
	first := r.processes()
	require.NotEmpty(t, first)
	r.at = time.Now().Add(time.Hour) // just read, however long this test is stopped
	require.Same(t, &first[0], &r.processes()[0])
	r.at = time.Now().Add(-lookEvery)
	require.NotSame(t, &first[0], &r.processes()[0])
}
