package openai_test

import (
	"context"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
	"forge/engine/llm/openai"
	"forge/engine/llm/wire"
)

// slowly is a client whose server sends its header after a while and then a piece per pause, all on the
// test's own clock.
func slowly(header, pause time.Duration, events ...string) *openai.Client {
	return slow(wire.Options{HeaderTimeout: 30 * time.Second, IdleTimeout: 10 * time.Second}, header, pause, events...)
}

// slow is a client with these time-outs.
func slow(o wire.Options, header, pause time.Duration, events ...string) *openai.Client {
	trip := transport(func(r *http.Request) (*http.Response, error) {
		if err := wait(r.Context(), header); err != nil {
			return nil, err
		}
		reader, writer := io.Pipe()
		go func() {
			for _, event := range events {
				if err := wait(r.Context(), pause); err != nil {
					_ = writer.CloseWithError(err)
					return
				}
				_, _ = io.WriteString(writer, "data: "+event+"\n\n")
			}
			<-r.Context().Done() // the server keeps the connection open
			_ = writer.CloseWithError(r.Context().Err())
		}()
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: reader}, nil
	})
	o.Model, o.HTTP = "slow", &http.Client{Transport: trip}
	return openai.New(o)
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

const (
	piece = `{"choices":[{"delta":{"content":"a"}}]}`
	end   = `{"choices":[{"delta":{},"finish_reason":"stop"}]}`
)

func TestTimeout_Silence(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		client *openai.Client
		after  time.Duration
		kind   llm.Kind // empty: an answer
		says   string
	}{
		"no header":                    {slowly(time.Hour, 0), 30 * time.Second, llm.KindTransient, "no answer began in time (30s)"},
		"no first piece":               {slowly(29*time.Second, time.Hour, piece), 39 * time.Second, llm.KindTruncated, "fell silent (10s)"},
		"no next piece":                {slowly(0, 9*time.Second, piece, piece), 28 * time.Second, llm.KindTruncated, "fell silent (10s)"},
		"one piece in a while is fine": {slowly(0, 9*time.Second, piece, piece, piece, end, "[DONE]"), 41 * time.Second, "", ""},
		"no usage behind the end":      {slowly(0, time.Second, piece, end), 7 * time.Second, "", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				response, err := test.client.Complete(t.Context(), ask("n"), nil)
				require.Equal(t, test.after, time.Since(began))
				if test.kind == "" {
					require.NoError(t, err)
					require.Equal(t, test.after, response.Latency)
					return
				}
				require.Equal(t, test.kind, failure(t, err).Kind)
				require.ErrorContains(t, err, test.says)
			})
		})
	}
}

func TestTimeout_TheCallersDeadlineIsTheCallers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		began := time.Now()
		_, err := slowly(0, time.Minute, piece).Complete(ctx, ask("n"), nil)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 5*time.Second, time.Since(began))
	})
}

// Without other settings, a model that reads a long prompt on the user's own machine has minutes for it, and minutes for each piece.
func TestTimeout_ALocalModelHasMinutes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		_, err := slow(wire.Options{}, 4*time.Minute, 4*time.Minute, piece, piece, end, "[DONE]").Complete(t.Context(), ask("n"), nil)
		require.NoError(t, err)
		require.Greater(t, time.Since(began), 16*time.Minute)
	})
}
