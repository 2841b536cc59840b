package sandbox

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

func shell(t *testing.T, script string) Command {
	t.Helper()
	return Command{Argv: []string{"sh", "-c", script}, Dir: t.TempDir()}
}

func here() Runner { return New(Options{Environ: os.Environ()}) }

// What the user lets programs of Go take holds for gates, too. Other variables do not reach them.
func TestRun_KeepsTheLimitsOfGo(t *testing.T) {
	t.Parallel()
	r := New(Options{Environ: []string{"PATH=" + os.Getenv("PATH"), "GOGC=400", "GOMEMLIMIT=1GiB", "GOMAXPROCS=1", "GOSECRET=x"}})
	result, err := r.Run(t.Context(), shell(t, `echo "$GOGC $GOMEMLIMIT $GOMAXPROCS $GOSECRET"`))
	require.NoError(t, err)
	require.Equal(t, "400 1GiB 1 \n", string(result.Stdout))
}

func TestRun_ReportsHowAProcessEnded(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, script, stdin string
		want                Result
	}{
		{"success", "echo out; echo err >&2", "", Result{Stdout: []byte("out\n"), Stderr: []byte("err\n")}},
		{"exit code", "exit 7", "", Result{ExitCode: 7}},
		{"input", "cat", "some text", Result{Stdout: []byte("some text")}},
		{"no input is an empty one", "cat", "", Result{}},
		{"unread input", "exec true", strings.Repeat("x", 1<<20), Result{}},
		{"ended by a signal", "sh -c 'kill -9 $$'; exit $?", "", Result{ExitCode: 137, Stderr: []byte("Killed\n")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := shell(t, tt.script)
			if tt.stdin != "" {
				c.Stdin = strings.NewReader(tt.stdin)
			}
			got, err := here().Run(t.Context(), c)
			require.NoError(t, err)
			require.Positive(t, got.Elapsed)
			got.Elapsed = 0
			require.Empty(t, cmp.Diff(text(tt.want), text(got)))
		})
	}
}

// text makes nil and empty output the same.
func text(r Result) map[string]any {
	return map[string]any{
		"exit": r.ExitCode, "out": string(r.Stdout), "err": string(r.Stderr), "cut": r.Truncated, "timed out": r.TimedOut,
	}
}

func TestRun_DrainsOutputPastTheCap(t *testing.T) {
	t.Parallel()
	// Four megabytes do not fit into a pipe: the shell only comes to its end if someone reads them.
	c := shell(t, "head -c 4000000 /dev/zero; echo done >&2")
	c.MaxOutput = 1000
	got, err := here().Run(t.Context(), c)
	require.NoError(t, err)
	require.Len(t, got.Stdout, 1000)
	require.Equal(t, "done\n", string(got.Stderr))
	require.True(t, got.Truncated)

	c.MaxOutput = 4000000
	got, err = here().Run(t.Context(), c)
	require.NoError(t, err)
	require.Len(t, got.Stdout, 4000000)
	require.False(t, got.Truncated)
}

func TestEnvironment_IsAnAllowList(t *testing.T) {
	t.Parallel()
	r := New(Options{Environ: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=/home/someone", "LC_TIME=C", "GOFLAGS=-mod=mod", "TZ=UTC",
		"OPENAI_API_KEY=secret", "GIT_DIR=/elsewhere", "LD_PRELOAD=/evil.so", "SSH_AUTH_SOCK=/agent", "AWS_SECRET_ACCESS_KEY=secret",
	}})
	c := shell(t, "env")
	c.Argv = []string{"env"}
	c.Env = []string{"TZ=Europe/Paris", "EXTRA=1"}
	got, err := r.Run(t.Context(), c)
	require.NoError(t, err)
	env := string(got.Stdout)
	for _, want := range []string{"HOME=/home/someone\n", "LC_TIME=C\n", "GOFLAGS=-mod=mod\n", "TZ=Europe/Paris\n", "EXTRA=1\n"} {
		require.Contains(t, env, want)
	}
	for _, secret := range []string{"secret", "GIT_DIR", "LD_PRELOAD", "SSH_AUTH_SOCK"} {
		require.NotContains(t, env, secret)
	}
	require.Equal(t, 1, strings.Count(env, "TZ="))
}

func TestRun_NotStarted(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "plain.txt")
	require.NoError(t, os.WriteFile(file, []byte("no program"), 0o600))
	tests := []struct {
		name    string
		command Command
		want    string
	}{
		{"missing program", Command{Argv: []string{"no-such-tool"}, Dir: folder},
			`could not start "no-such-tool": it is in no folder of PATH; install it, or add its folder to PATH`},
		{"missing path", Command{Argv: []string{"/no/such/tool"}, Dir: folder}, "there is no such file"},
		{"not executable", Command{Argv: []string{file}, Dir: folder}, "permission denied"},
		{"nothing named", Command{Dir: folder}, "no program was named"},
		{"no directory", Command{Argv: []string{"true"}}, "not an absolute path"},
		{"relative directory", Command{Argv: []string{"true"}, Dir: "somewhere"}, "not an absolute path"},
		{"directory gone", Command{Argv: []string{"true"}, Dir: filepath.Join(folder, "gone")}, "was it removed?"},
		{"directory is a file", Command{Argv: []string{"true"}, Dir: file}, "is not a folder"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := here().Run(t.Context(), tt.command)
			var refused *NotStartedError
			require.ErrorAs(t, err, &refused)
			require.ErrorContains(t, err, tt.want)
		})
	}
	_, err := here().Run(t.Context(), Command{Argv: []string{"no-such-tool"}, Dir: folder})
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// A program in the working directory must not be found by its bare name, even when PATH says so.
func TestFind_DoesNotSearchTheWorkingDirectory(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	echo, err := exec.LookPath("echo")
	require.NoError(t, err)
	require.NoError(t, os.Symlink(echo, filepath.Join(folder, "gofmt-trap")))
	r := New(Options{Environ: []string{"PATH=.::" + os.Getenv("PATH")}})
	_, err = r.Run(t.Context(), Command{Argv: []string{"gofmt-trap", "trapped"}, Dir: folder})
	require.Error(t, err)

	got, err := r.Run(t.Context(), Command{Argv: []string{"./gofmt-trap", "trapped"}, Dir: folder})
	require.NoError(t, err, "asked for by path it runs")
	require.Equal(t, "trapped\n", string(got.Stdout))
}

func TestRun_TimeoutIsAResult(t *testing.T) {
	t.Parallel()
	c := shell(t, "echo before; sleep 1000")
	c.Timeout = 50 * time.Millisecond
	got, err := here().Run(t.Context(), c)
	require.NoError(t, err)
	require.True(t, got.TimedOut)
	require.Equal(t, -1, got.ExitCode)
}

func TestRun_CancelIsTheCallersError(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got, err := here().Run(ctx, shell(t, "echo never"))
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, got.Stdout)
}

// A process's output to both streams is merged in its order; unmerged output has no order.
func TestRun_MergesOutput(t *testing.T) {
	t.Parallel()
	c := shell(t, "echo a; echo b >&2; echo c")
	result, err := here().Run(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, []string{"a\nc\n", "b\n"}, []string{string(result.Stdout), string(result.Stderr)})
	c.Merged = true
	result, err = here().Run(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, "a\nb\nc\n", string(result.Stdout))
	require.Empty(t, result.Stderr)
}
