package lsp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"

	"forge/lsp"
	"forge/lsp/lsptest"
)

// session starts a server with a task and a request that both end on command, and both are running
// when session returns.
func session(t *testing.T, o lsp.Options) (e *lsptest.Editor, ended *atomic.Int32) {
	t.Helper()
	ended = new(atomic.Int32)
	started := make(chan struct{}, 2)
	work := func(ctx context.Context) {
		started <- struct{}{}
		<-ctx.Done()
		ended.Add(1)
	}
	e = startWith(t, o, func(s *lsp.Server) {
		lsp.OnRequest(s, "test/work", func(ctx context.Context, _ *number) (*number, error) {
			work(ctx)
			return nil, ctx.Err()
		})
		lsp.OnNotification(s, "test/task", func(context.Context, *number) { s.Go("task", work) })
	})
	e.Post("test/work", &number{})
	e.Notify("test/task", &number{})
	<-started
	<-started
	return e, ended
}

func TestServe_EndsWithTheSession(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		end  func(e *lsptest.Editor)
		code int
	}{
		{"exit", func(e *lsptest.Editor) { e.Notify(protocol.MethodExit, nil) }, 1},
		{"the input ends", (*lsptest.Editor).CloseInput, 1},
		{"the input ends inside a frame", func(e *lsptest.Editor) {
			e.Bytes([]byte("Content-Length: 10\r\n\r\n{"))
			e.CloseInput()
		}, 1},
		{"the input ends after shutdown", func(e *lsptest.Editor) {
			_ = e.Request(protocol.MethodShutdown, nil, nil)
			e.CloseInput()
		}, 0},
		{"shutdown and exit at once", func(e *lsptest.Editor) {
			id := e.Post(protocol.MethodShutdown, nil)
			e.Notify(protocol.MethodExit, nil)
			_ = e.Await(id, nil)
		}, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e, ended := session(t, lsp.Options{})
				begin := time.Now()
				test.end(e)
				require.Equal(t, test.code, e.ExitCode())
				require.Zero(t, time.Since(begin), "nothing waits for a clock")
				require.EqualValues(t, 2, ended.Load(), "the server waits for its work")
			})
		})
	}
}

// Shutdown ends the work, but not the requests that are being answered.
func TestServer_ShutdownEndsTasks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e, ended := session(t, lsp.Options{})
		require.NoError(t, e.Request(protocol.MethodShutdown, nil, nil))
		synctest.Wait()
		require.EqualValues(t, 1, ended.Load())
		e.Notify(protocol.MethodExit, nil)
		require.Zero(t, e.ExitCode())
	})
}

// Work that does not end is not waited for longer than the grace.
func TestServer_ServeDoesNotWaitForEver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		e := startWith(t, lsp.Options{}, func(s *lsp.Server) {
			lsp.OnNotification(s, "test/task", func(context.Context, *number) {
				s.Go("stubborn", func(context.Context) { <-release })
			})
		})
		e.Notify("test/task", &number{})
		requireAlive(t, e)
		begin := time.Now()
		e.Notify(protocol.MethodExit, nil)
		e.ExitCode()
		require.Equal(t, lsp.Grace, time.Since(begin))
		close(release)
	})
}

func TestServer_ContextEndsTheSession(t *testing.T) {
	t.Parallel()
	in, toServer := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	code := make(chan int)
	go func() { code <- lsp.Serve(ctx, in, io.Discard, lsp.Options{}) }()
	cancel()
	require.Equal(t, 1, <-code)
	_, err := toServer.Write([]byte("x"))
	require.ErrorIs(t, err, io.ErrClosedPipe, "Serve closes what it reads from")
}

func framed(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

// brokenWriter is a client that does not take output any more.
type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestServer_BrokenOutputEndsTheSession(t *testing.T) {
	t.Parallel()
	in, toServer := io.Pipe()
	code := make(chan int)
	go func() { code <- lsp.Serve(context.Background(), in, brokenWriter{}, lsp.Options{Log: quiet()}) }()
	_, err := io.WriteString(toServer, framed(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`))
	require.NoError(t, err)
	require.Equal(t, 1, <-code)
}

func TestServer_ProcessOfTheEditorDies(t *testing.T) {
	t.Parallel()
	pid := int32(4711)
	tests := []struct {
		name  string
		alive int // how often the process is found
		limit time.Duration
	}{
		{"before initialize", 0, 0},
		{"later", 5, 5 * 500 * time.Millisecond},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var asked atomic.Int32
				e := lsptest.Start(t, lsp.Options{Log: quiet(), ProcessAlive: func(asks int) bool {
					require.EqualValues(t, pid, asks)
					return int(asked.Add(1)) <= test.alive
				}})
				begin := time.Now()
				e.Post(protocol.MethodInitialize, &protocol.InitializeParams{ProcessID: &pid})
				require.Equal(t, 1, e.ExitCode())
				require.LessOrEqual(t, time.Since(begin), test.limit)
			})
		})
	}
}

func TestServer_NoProcessToWatch(t *testing.T) {
	t.Parallel()
	for name, pid := range map[string]*int32{"none": nil, "zero": new(int32)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e := lsptest.Start(t, lsp.Options{ProcessAlive: func(int) bool { return false }})
				e.Initialize(func(p *protocol.InitializeParams) { p.ProcessID = pid })
				time.Sleep(time.Minute) //nolint:forbidigo // of the bubble's clock
				requireAlive(t, e)
			})
		})
	}
}

// A client that reads nothing does not keep the server from reading: notifications are handled, and
// what ends the session ends it.
func TestServer_ClientThatDoesNotRead(t *testing.T) {
	t.Parallel()
	in, toServer := io.Pipe()
	_, out := io.Pipe() // no reader
	code := make(chan int)
	go func() {
		code <- lsp.ServeWith(context.Background(), in, out, lsp.Options{Log: quiet()}, func(s *lsp.Server) {
			lsp.OnRequest(s, "test/echo", func(_ context.Context, p *number) (*number, error) { return p, nil })
		})
	}()
	messages := strings.Repeat(framed("{")+framed(`{"jsonrpc":"2.0","id":1,"method":"m"}`), 100)
	_, err := io.WriteString(toServer, messages)
	require.NoError(t, err, "the server reads on")
	require.NoError(t, toServer.Close())
	require.Equal(t, 1, <-code)
	require.NoError(t, out.Close())
}
