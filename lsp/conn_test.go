package lsp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"forge/internal/testkit"
	"forge/lsp"
	"forge/lsp/lsptest"
)

// number is what the methods of these tests take and return.
type number struct {
	N int `json:"n"`
}

// startWith starts a server that has more methods, and shakes hands.
func startWith(t *testing.T, o lsp.Options, register func(s *lsp.Server)) *lsptest.Editor {
	t.Helper()
	e := connectWith(t, o, register)
	e.Initialize(nil)
	return e
}

func connectWith(t *testing.T, o lsp.Options, register func(s *lsp.Server)) *lsptest.Editor {
	t.Helper()
	fromEditor, toServer := io.Pipe()
	fromServer, toEditor := io.Pipe()
	if o.Log == nil {
		o.Log = quiet()
	}
	return lsptest.Connect(t, fromServer, toServer, func() int {
		defer func() { _ = toEditor.Close() }()
		return lsp.ServeWith(context.Background(), fromEditor, toEditor, o, register)
	})
}

func TestDispatcher_FaultsCostOneMessage(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
	tests := []struct {
		name string
		raw  string
		code jsonrpc2.Code // of the answer to id 77, or with null; 0 is none at all
		null bool
	}{
		{"broken JSON", `{"jsonrpc":"2.0","id":77,`, jsonrpc2.ParseError, true},
		{"no JSON", `hello`, jsonrpc2.ParseError, true},
		{"a batch", `[{"jsonrpc":"2.0","id":77,"method":"m"}]`, jsonrpc2.InvalidRequest, true},
		{"an empty batch", ` []`, jsonrpc2.InvalidRequest, true},
		{"another version", `{"jsonrpc":"1.0","id":77,"method":"m"}`, jsonrpc2.InvalidRequest, true},
		{"an id that is a list", `{"jsonrpc":"2.0","id":[77],"method":"m"}`, jsonrpc2.InvalidRequest, true},
		{"an unknown method", `{"jsonrpc":"2.0","id":77,"method":"m","params":{}}`, jsonrpc2.MethodNotFound, false},
		{"no params", `{"jsonrpc":"2.0","id":77,"method":"textDocument/documentSymbol"}`, jsonrpc2.InvalidParams, false},
		{"params of the wrong type", `{"jsonrpc":"2.0","id":77,"method":"textDocument/documentSymbol","params":{"textDocument":{"uri":5}}}`, jsonrpc2.InvalidParams, false},
		{"params without what matters", `{"jsonrpc":"2.0","id":77,"method":"textDocument/documentSymbol","params":{}}`, jsonrpc2.InvalidParams, false},
		{"params that are text", `{"jsonrpc":"2.0","id":77,"method":"textDocument/documentSymbol","params":"text"}`, jsonrpc2.InvalidParams, false},
		{"params nested deeply", `{"jsonrpc":"2.0","id":77,"method":"textDocument/documentSymbol","params":` + deep + `}`, jsonrpc2.InvalidParams, false},
		{"an unknown notification", `{"jsonrpc":"2.0","method":"$/m","params":{}}`, 0, false},
		{"a notification with bad params", `{"jsonrpc":"2.0","method":"textDocument/didOpen","params":[1]}`, 0, false},
		{"a notification without params", `{"jsonrpc":"2.0","method":"textDocument/didChange"}`, 0, false},
		{"a cancellation of nothing", `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{}}`, 0, false},
		{"a cancellation with null", `{"jsonrpc":"2.0","method":"$/cancelRequest","params":null}`, 0, false},
		{"a cancellation with a list", `{"jsonrpc":"2.0","method":"$/cancelRequest","params":[]}`, 0, false},
		{"a cancellation of what is unknown", `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"none"}}`, 0, false},
		{"an unexpected answer", `{"jsonrpc":"2.0","id":5,"result":null}`, 0, false},
		{"an unexpected error", `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}`, 0, false},
		{"a notification for a request", `{"jsonrpc":"2.0","method":"textDocument/documentSymbol","params":{}}`, 0, false},
		{"bytes that are not UTF-8", "{\"jsonrpc\":\"2.0\",\"method\":\"\xff\xfe\"}", 0, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e := lsptest.Start(t, lsp.Options{Log: quiet()})
			e.Initialize(nil)
			e.Raw(test.raw)
			switch {
			case test.null:
				require.Equal(t, test.code, e.Refusal(0).Code)
			case test.code != 0:
				requireCode(t, test.code, e.Await(jsonrpc2.NewNumberID(77), nil))
			}
			requireAlive(t, e)
			if !test.null {
				require.Zero(t, e.Refusals())
			}
		})
	}
}

func TestDispatcher_IDsComeBackAsSent(t *testing.T) {
	t.Parallel()
	e := lsptest.Start(t, lsp.Options{})
	e.Initialize(nil)
	for _, id := range []jsonrpc2.ID{
		jsonrpc2.NewStringID("s"), jsonrpc2.NewStringID("9007199254740993"), jsonrpc2.NewStringID(`"ü\`),
		jsonrpc2.NewNumberID(1<<53 + 1), jsonrpc2.NewNumberID(-1),
	} {
		e.PostAs(id, protocol.MethodTextDocumentDocumentSymbol, symbolsOf(mainURI))
		require.NoError(t, e.Await(id, nil))
	}
	twice := jsonrpc2.NewNumberID(7777)
	e.PostAs(twice, protocol.MethodTextDocumentDocumentSymbol, symbolsOf(mainURI))
	e.PostAs(twice, protocol.MethodTextDocumentDocumentSymbol, symbolsOf(mainURI))
	require.Len(t, e.Answers(twice, 2), 2)
}

// Requests overlap, each is answered exactly once, cancelled or not, also while others panic.
func TestDispatcher_SurvivesAStormOfCancels(t *testing.T) {
	t.Parallel()
	requests := testkit.Cases(2_000, 20_000)
	var mu sync.Mutex
	reports := 0
	o := lsp.Options{Report: func(string, ...any) { mu.Lock(); reports++; mu.Unlock() }}
	e := startWith(t, o, func(s *lsp.Server) {
		lsp.OnRequest(s, "test/wait", func(ctx context.Context, p *number) (*number, error) {
			<-ctx.Done()
			return nil, fmt.Errorf("wait: %w", ctx.Err())
		})
		lsp.OnRequest(s, "test/echo", func(_ context.Context, p *number) (*number, error) { return p, nil })
		lsp.OnRequest(s, "test/panic", func(context.Context, *number) (*number, error) { panic("boom") })
	})
	methods := []string{"test/wait", "test/echo", "test/panic", "test/unknown"}
	codes := []jsonrpc2.Code{protocol.CodeRequestCancelled, 0, jsonrpc2.InternalError, jsonrpc2.MethodNotFound}
	ids := make([]jsonrpc2.ID, requests)
	for i := range ids {
		ids[i] = e.Post(methods[i%4], &number{N: i})
		e.Cancel(ids[i])
	}
	panics := 0
	for i, id := range ids {
		var got number
		err := e.Await(id, &got)
		var wire *jsonrpc2.Error
		if errors.As(err, &wire) && wire.Code == protocol.CodeRequestCancelled {
			continue // the cancellation came first, whatever it was
		}
		requireCode(t, codes[i%4], err)
		if err == nil {
			require.Equal(t, i, got.N)
		} else if i%4 == 2 {
			panics++
		}
	}
	requireAlive(t, e)
	for _, id := range ids {
		require.Len(t, e.Answers(id, 1), 1)
	}
	require.Equal(t, panics, reports, "each panic is reported")
}

// A request that is running is cancelled, and one that has no need of the answer is not disturbed.
func TestDispatcher_CancelsRequests(t *testing.T) {
	t.Parallel()
	started := make(chan struct{}, 2)
	e := startWith(t, lsp.Options{}, func(s *lsp.Server) {
		lsp.OnRequest(s, "test/wait", func(ctx context.Context, _ *number) (*number, error) {
			started <- struct{}{}
			<-ctx.Done()
			return nil, ctx.Err()
		})
		lsp.OnRequest(s, "test/late", func(ctx context.Context, p *number) (*number, error) {
			started <- struct{}{}
			<-ctx.Done()
			return p, nil // the work was done anyway
		})
	})
	waiting, late := e.Post("test/wait", &number{}), e.Post("test/late", &number{N: 5})
	<-started
	<-started
	e.Cancel(waiting)
	requireCode(t, protocol.CodeRequestCancelled, e.Await(waiting, nil))
	e.PostAs(jsonrpc2.NewStringID("text"), "test/wait", &number{})
	<-started
	e.Notify(protocol.MethodCancelRequest, jsonrpc2.RawMessage(`{"id":"text"}`))
	requireCode(t, protocol.CodeRequestCancelled, e.Await(jsonrpc2.NewStringID("text"), nil))
	e.Cancel(late)
	var got number
	require.NoError(t, e.Await(late, &got))
	require.Equal(t, 5, got.N)
}

func TestDispatcher_ReportsErrorsOfHandlers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		err  error
		code jsonrpc2.Code
		text string
	}{
		{"a text for people", errors.New("the folder is gone"), -32803, "the folder is gone"},
		{"a code of its own", jsonrpc2.NewError(jsonrpc2.InvalidParams, "task"), jsonrpc2.InvalidParams, "task"},
		{"a code inside", fmt.Errorf("forge.run: %w", jsonrpc2.NewError(jsonrpc2.InvalidParams, "task")), jsonrpc2.InvalidParams, "forge.run: task"},
		{"cancelled, but not by the client", fmt.Errorf("model: %w", context.Canceled), -32803, "model: context canceled"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e := startWith(t, lsp.Options{}, func(s *lsp.Server) {
				lsp.OnRequest(s, "test/fail", func(context.Context, *number) (*number, error) { return nil, test.err })
			})
			err := e.Request("test/fail", &number{}, nil)
			requireCode(t, test.code, err)
			require.EqualError(t, err, test.text)
		})
	}
}

func TestDispatcher_PanicInANotificationIsReported(t *testing.T) {
	t.Parallel()
	reports := make(chan string, 1)
	o := lsp.Options{Report: func(format string, args ...any) { reports <- fmt.Sprintf(format, args...) }}
	e := startWith(t, o, func(s *lsp.Server) {
		lsp.OnNotification(s, "test/panic", func(context.Context, *number) { panic("boom") })
	})
	e.Notify("test/panic", &number{})
	require.Contains(t, <-reports, "panic in test/panic: boom")
	requireAlive(t, e)
}

func TestTasks_ReportAPanic(t *testing.T) {
	t.Parallel()
	reports := make(chan string, 1)
	o := lsp.Options{Report: func(format string, args ...any) { reports <- fmt.Sprintf(format, args...) }}
	e := startWith(t, o, func(s *lsp.Server) {
		lsp.OnNotification(s, "test/task", func(context.Context, *number) {
			s.Go("the task", func(context.Context) { panic("boom") })
		})
	})
	e.Notify("test/task", &number{})
	require.Contains(t, <-reports, "panic in the task: boom")
	requireAlive(t, e)
}

// Notifications are handled in the order of the wire, and before requests that follow them.
func TestDispatcher_NotificationsAreHandledInOrder(t *testing.T) {
	t.Parallel()
	var seen []int // written on the read loop, read by a request that follows
	e := startWith(t, lsp.Options{}, func(s *lsp.Server) {
		lsp.OnNotification(s, "test/note", func(_ context.Context, p *number) { seen = append(seen, p.N) })
		lsp.OnRequest(s, "test/seen", func(context.Context, *number) (*number, error) { return &number{N: len(seen)}, nil })
	})
	for i := range 1000 {
		e.Notify("test/note", &number{N: i})
		if i%100 == 0 {
			var got number
			require.NoError(t, e.Request("test/seen", &number{}, &got))
			require.Equal(t, i+1, got.N)
		}
	}
	requireAlive(t, e)
	for i, n := range seen {
		require.Equal(t, i, n)
	}
}

// On the read loop the client is refused: a call there would wait for ever.
func TestDispatcher_ClientIsRefusedOnTheReadLoop(t *testing.T) {
	t.Parallel()
	errs := make(chan error, 3)
	e := startWith(t, lsp.Options{}, func(s *lsp.Server) {
		lsp.OnNotification(s, "test/note", func(ctx context.Context, _ *number) {
			errs <- s.Client().Call(ctx, "test/ask", &number{}, nil)
			errs <- s.Client().Notify(ctx, "test/tell", &number{})
			s.Go("ask", func(ctx context.Context) { errs <- s.Client().Call(ctx, "test/ask", &number{}, nil) })
		})
	})
	e.Notify("test/note", &number{})
	require.ErrorContains(t, <-errs, "read loop")
	require.ErrorContains(t, <-errs, "read loop")
	require.NoError(t, <-errs)
}

func TestDispatcher_CallsTheClient(t *testing.T) {
	t.Parallel()
	e := startWith(t, lsp.Options{}, func(s *lsp.Server) {
		lsp.OnRequest(s, "test/go", func(ctx context.Context, _ *number) (*protocol.MessageActionItem, error) {
			c := s.Client()
			if err := c.WorkDoneProgressCreate(ctx, "token"); err != nil {
				return nil, err
			}
			if err := c.Progress(ctx, "token", &protocol.WorkDoneProgressBegin{Title: "title"}); err != nil {
				return nil, err
			}
			return c.ShowMessageRequest(ctx, &protocol.ShowMessageRequestParams{
				Type: protocol.MessageTypeInfo, Message: "sure?", Actions: []protocol.MessageActionItem{{Title: "Yes"}},
			})
		})
	})
	require.NoError(t, e.Request("test/go", &number{}, nil), "the editor dismisses the question")
	require.JSONEq(t, `{"token":"token"}`, string(e.Expect(protocol.MethodWindowWorkDoneProgressCreate, nil)))
	require.JSONEq(t, `{"token":"token","value":{"kind":"begin","title":"title"}}`, string(e.Expect(protocol.MethodProgress, nil)))

	e.Handle(protocol.MethodWindowShowMessageRequest, func([]byte) (any, error) {
		return &protocol.MessageActionItem{Title: "Yes"}, nil
	})
	var chosen protocol.MessageActionItem
	require.NoError(t, e.Request("test/go", &number{}, &chosen))
	require.Equal(t, "Yes", chosen.Title)

	e.Handle(protocol.MethodWindowWorkDoneProgressCreate, func([]byte) (any, error) { return nil, errors.New("no") })
	require.ErrorContains(t, e.Request("test/go", &number{}, nil), "window/workDoneProgress/create: no")
}

// When a request is cancelled, so is what it asked of the client.
func TestDispatcher_CancelReachesTheClient(t *testing.T) {
	t.Parallel()
	e := startWith(t, lsp.Options{}, func(s *lsp.Server) {
		lsp.OnRequest(s, "test/go", func(ctx context.Context, _ *number) (*number, error) {
			return nil, s.Client().Call(ctx, "test/never", &number{}, nil)
		})
	})
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	e.Handle("test/never", func([]byte) (any, error) { <-release; return nil, nil })
	id := e.Post("test/go", &number{})
	e.Expect("test/never", nil)
	e.Cancel(id)
	requireCode(t, protocol.CodeRequestCancelled, e.Await(id, nil))
	e.Expect(protocol.MethodCancelRequest, nil)
}

// Of two requests with one id the older's end must not make the newer unreachable.
func TestDispatcher_CancelOfAnIDUsedTwice(t *testing.T) {
	t.Parallel()
	started, release := make(chan struct{}, 2), make(chan struct{})
	e := startWith(t, lsp.Options{}, func(s *lsp.Server) {
		lsp.OnRequest(s, "test/wait", func(ctx context.Context, _ *number) (*number, error) {
			started <- struct{}{}
			<-ctx.Done()
			return nil, ctx.Err()
		})
		lsp.OnRequest(s, "test/release", func(_ context.Context, p *number) (*number, error) {
			started <- struct{}{}
			<-release
			return p, nil
		})
	})
	id := jsonrpc2.NewNumberID(9000)
	e.PostAs(id, "test/release", &number{})
	<-started
	e.PostAs(id, "test/wait", &number{})
	<-started
	close(release)
	require.NoError(t, e.Answers(id, 1)[0].Err())
	e.Cancel(id)
	requireCode(t, protocol.CodeRequestCancelled, e.Answers(id, 2)[1].Err())
}

// Invalid UTF-8 becomes U+FFFD everywhere, so that no answer carries it back.
func TestDispatcher_OutputIsUTF8(t *testing.T) {
	t.Parallel()
	e := lsptest.Start(t, lsp.Options{Log: quiet()})
	e.Initialize(nil)
	e.Raw("{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"m\"}")
	requireCode(t, jsonrpc2.MethodNotFound, e.Await(jsonrpc2.NewStringID("\uFFFD"), nil))
}
