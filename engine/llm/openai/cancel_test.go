package openai_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
	"forge/engine/llm/openai"
)

// TestCancel_EndsTheCallAndTheConnection cancels at each stage of each kind of call. The server must see its connection
// close, and TestMain that no goroutine is left; BenchmarkBench_Cancel says how long that takes.
func TestCancel_EndsTheCallAndTheConnection(t *testing.T) {
	t.Parallel()
	complete := func(r llm.Request) func(context.Context, *openai.Client) error {
		return func(ctx context.Context, c *openai.Client) error {
			_, err := c.Complete(ctx, r, nil)
			return err
		}
	}
	tests := map[string]struct {
		call   func(context.Context, *openai.Client) error
		before string // of the body
	}{
		"a stream before its header": {complete(ask("n")), ""},
		"a stream in the middle":     {complete(ask("n")), "data: {\"choices\":[{\"delta\":{\"content\":\"o\"}}]}\n\n"},
		"a stream behind its end":    {complete(ask("n")), "data: {\"choices\":[{\"delta\":{\"content\":\"o\"},\"finish_reason\":\"stop\"}]}\n\n"},
		"tools in the middle":        {complete(offering("")), "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\"}]}}]}\n\n"},
		"a whole one before":         {complete(entire("n")), ""},
		"a whole one in the middle":  {complete(entire("n")), `{"choices":[{"message":{"content":"o"},`},
		"a whole one behind its end": {complete(entire("n")), `{"choices":[{"message":{"content":"o"},"finish_reason":"stop"}]}`},
		"a batch that is submitted": {func(ctx context.Context, c *openai.Client) error {
			_, err := c.Submit(ctx, "l", items("a"))
			return err
		}, ""},
		"a batch that is asked after": {func(ctx context.Context, c *openai.Client) error { _, err := c.Poll(ctx, "batch_1"); return err }, `{"id":`},
		"models that are listed":      {func(ctx context.Context, c *openai.Client) error { _, err := c.Models(ctx); return err }, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked, closed := make(chan struct{}), make(chan struct{})
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				if test.before != "" {
					sent(test.before)(w, r)
					_ = http.NewResponseController(w).Flush()
				}
				close(asked)
				<-r.Context().Done() // the client closed its end
			}))
			server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
				if state == http.StateClosed {
					close(closed)
				}
			}
			server.Start()
			defer server.Close()
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-asked
				cancel()
			}()
			err := test.call(ctx, client(t, server.URL+"/v1"))
			require.ErrorIs(t, err, context.Canceled)
			require.NotContains(t, err.Error(), key)
			var failed *llm.Error
			require.NotErrorAs(t, err, &failed, "a cancelled call is no failure of the model")
			<-closed
		})
	}
}

// TestCancel_CancelledCallHasNoAnswer cancels when the answer is whole, and only its usage is still to come.
func TestCancel_CancelledCallHasNoAnswer(t *testing.T) {
	t.Parallel()
	base := handled(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		sent("data: {\"choices\":[{\"delta\":{\"content\":\"o\"},\"finish_reason\":\"stop\"}]}\n\n")(w, r)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(t.Context())
	_, err := client(t, base).Complete(ctx, ask("n"), func(string) { cancel() })
	require.ErrorIs(t, err, context.Canceled)
}
