package tool

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/sandbox"
)

type dir string

func (d dir) Dir() string { return string(d) }

// tight is the real sandbox, with less room on the disk than gates have.
type tight struct {
	sandbox.Runner
	room int64
}

func (r tight) Run(ctx context.Context, c sandbox.Command) (sandbox.Result, error) {
	c.MaxWrite = r.room
	return r.Runner.Run(ctx, c)
}

// lifeline is a named pipe that every process of a script holds: its reader is at its end when all of them are dead.
func lifeline(t *testing.T, in dir) *os.File {
	t.Helper()
	name := filepath.Join(in.Dir(), "alive")
	require.NoError(t, syscall.Mkfifo(name, 0o600))
	file, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = file.Close() })
	return file
}

// allDead says whether every process that held the pipe is dead. It waits for none: the deadline decides how long a failure takes.
func allDead(t *testing.T, file *os.File) bool {
	t.Helper()
	require.NoError(t, file.SetReadDeadline(time.Now().Add(2*time.Minute)))
	_, err := io.Copy(io.Discard, bufio.NewReader(file))
	require.True(t, err == nil || errors.Is(err, os.ErrDeadlineExceeded), "%v", err)
	return err == nil
}

// A suite that harms the machine gets a clear verdict, soon, and leaves nothing behind.
func TestRun_StopsHostileTests(t *testing.T) {
	t.Parallel()
	const hold = "exec 3>alive; "
	for name, tt := range map[string]struct {
		script  string
		limit   time.Duration
		summary string
	}{
		"it hangs":                          {"sleep 1000", time.Second, "did not end within 1s and was stopped"},
		"it hangs, and ignores signals":     {"trap '' TERM INT HUP; while :; do sleep 1; done", time.Second, "did not end within 1s"},
		"children in sessions of their own": {"setsid sleep 1000 & (setsid sh -c 'sleep 1000 & sleep 1000' &); echo forked; sleep 1000", time.Second, "did not end within 1s"},
		"it leaves children and is done":    {"setsid sleep 1000 & (setsid sleep 1000 &) ; exit 3", time.Minute, "ended with code 3"},
		"a flood of output":                 {"while :; do cat /dev/zero; done", 3 * time.Second, "did not end within 3s"},
		"a flood of output, and done":       {"head -c 200000000 /dev/zero; exit 0", time.Minute, "printed more than can be read (64 MiB)"},
		"a flood of lines on stderr":        {"yes 'error: no' | head -c 100000000 >&2; exit 1", time.Minute, "ended with code 1"},
		"one large file":                    {"while :; do head -c 4000000 /dev/zero >> big; done", time.Minute, "filled the disk and was stopped"},
		"many files":                        {"mkdir d; i=0; while :; do i=$((i+1)); head -c 2000000 /dev/zero > d/$i; done", time.Minute, "filled the disk and was stopped"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree := dir(t.TempDir())
			alive := lifeline(t, tree)
			tools := Tools{Runner: tight{sandbox.New(sandbox.Options{Environ: os.Environ()}), 32 << 20}}
			report := gate.Report{Gate: "tests"}
			result, done := tools.Run(t.Context(), tree, &report, tt.limit, "sh", "-c", hold+tt.script)
			if !done {
				Conclude(&report, result, Words{Passed: "passed", Failed: "failed", Nothing: "nothing"})
			}
			require.Equal(t, gate.Error.String(), report.Verdict.String(), report.Summary)
			require.Contains(t, report.Summary, tt.summary)
			require.LessOrEqual(t, len(report.Output), maxKept+100)
			require.LessOrEqual(t, len(result.Stdout), MaxOutput)
			require.True(t, allDead(t, alive), "a process was left behind")
			require.Less(t, bytesIn(t, tree), int64(2<<30), "it was stopped long before 10 GB")
		})
	}
}

func bytesIn(t *testing.T, in dir) (sum int64) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(in.Dir(), func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			info, err := entry.Info()
			require.NoError(t, err)
			sum += info.Size()
		}
		return err
	}))
	return sum
}

// The twins: what writes less, or a file that is large and takes no room, is let go.
func TestRun_AllowsSmallWriters(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"less than the limit": "head -c 8000000 /dev/zero > big; sleep 0.5; echo done",
		"a file with holes":   "truncate -s 8G big; sleep 0.5; echo done",
		"what was there":      "sleep 0.5; echo done",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree := dir(t.TempDir())
			require.NoError(t, os.WriteFile(filepath.Join(tree.Dir(), "old"), []byte(strings.Repeat("x", 40<<20)), 0o600))
			tools := Tools{Runner: tight{sandbox.New(sandbox.Options{Environ: os.Environ()}), 32 << 20}}
			result, done := tools.Run(t.Context(), tree, &gate.Report{Gate: "tests"}, time.Minute, "sh", "-c", script)
			require.False(t, done)
			require.Equal(t, "done\n", string(result.Stdout))
		})
	}
}

// The user's own limit is the one that counts.
func TestWithin_IsTheTimeThatCounts(t *testing.T) {
	t.Parallel()
	tools := Tools{Runner: sandbox.New(sandbox.Options{Environ: os.Environ()})}
	report := gate.Report{Gate: "tests"}
	_, done := tools.Run(Within(t.Context(), 100*time.Millisecond), dir(t.TempDir()), &report, time.Hour, "sleep", "1000")
	require.True(t, done)
	require.Contains(t, report.Summary, "did not end within 100ms")
}
