package anthropic_test

import (
	"context"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
	"forge/engine/llm/anthropic"
	"forge/engine/llm/wire"
)

// The socket is closed, and TestMain sees to it that no goroutine is left.
func TestCancel_EndsTheCallAndTheConnection(t *testing.T) {
	t.Parallel()
	half := message("end_turn", `{"type":"text","text":"ok"}`)[:100]
	tests := map[string]struct {
		before string
		whole  bool
	}{
		"before the header":            {"", false},
		"in the middle":                {begun + opened(0, `{"type":"text","text":""}`) + text(0, "o"), false},
		"behind the reason to stop":    {begun + opened(0, `{"type":"text","text":""}`) + text(0, "o") + closed(0) + ended("end_turn"), false},
		"before the header, whole":     {"", true},
		"in the middle, whole":         {half, true},
		"before the end of the stream": {said("end_turn", "o"), false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked, gone := make(chan struct{}), make(chan struct{})
			base := handled(t, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				if test.before != "" {
					_, _ = io.WriteString(w, test.before)
					_ = http.NewResponseController(w).Flush()
				}
				close(asked)
				<-r.Context().Done() // the client closed its end
				close(gone)
			})
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-asked
				cancel()
			}()
			r := ask("n")
			r.Whole = test.whole
			_, err := client(t, base, old).Complete(ctx, r, nil)
			require.ErrorIs(t, err, context.Canceled)
			require.NotContains(t, err.Error(), key)
			var failed *llm.Error
			require.NotErrorAs(t, err, &failed, "a cancelled call is no failure of the model")
			<-gone
		})
	}
}

// slowly is a client whose server sends its header after a while and then a piece per pause, all on the test's own clock.
func slowly(header, pause time.Duration, pieces ...string) *anthropic.Client {
	trip := transport(func(r *http.Request) (*http.Response, error) {
		if err := wait(r.Context(), header); err != nil {
			return nil, err
		}
		reader, writer := io.Pipe()
		go func() {
			for _, piece := range pieces {
				if err := wait(r.Context(), pause); err != nil {
					_ = writer.CloseWithError(err)
					return
				}
				_, _ = io.WriteString(writer, piece)
			}
			<-r.Context().Done() // the server keeps the connection open
			_ = writer.CloseWithError(r.Context().Err())
		}()
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: reader}, nil
	})
	return anthropic.New(wire.Options{
		Model: "slow", HTTP: &http.Client{Transport: trip}, HeaderTimeout: 30 * time.Second, IdleTimeout: 10 * time.Second,
	})
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func TestCancel_Silence(t *testing.T) {
	t.Parallel()
	head := begun + opened(0, `{"type":"text","text":""}`)
	tests := map[string]struct {
		client *anthropic.Client
		whole  bool
		after  time.Duration
		kind   llm.Kind // empty: an answer
		says   string
	}{
		"no header":            {slowly(time.Hour, 0), false, 30 * time.Second, llm.KindTransient, "no answer began in time (30s)"},
		"no header, whole":     {slowly(time.Hour, 0), true, 45 * time.Second, llm.KindTruncated, "no answer began in time (45s)"},
		"no first piece":       {slowly(29*time.Second, time.Hour, head), false, 39 * time.Second, llm.KindTruncated, "fell silent (10s)"},
		"no next piece":        {slowly(0, 9*time.Second, head, text(0, "a")), false, 28 * time.Second, llm.KindTruncated, "fell silent (10s)"},
		"no next piece, whole": {slowly(0, 9*time.Second, `{"id":`, `"a"`), true, 33 * time.Second, llm.KindTruncated, "fell silent (15s)"},
		"one piece in a while": {slowly(0, 9*time.Second, head, text(0, "a"), ping, closed(0)+ended("end_turn")+stopped), false, 41 * time.Second, "", ""},
		"no end of the stream": {slowly(0, time.Second, head, closed(0), ended("end_turn")), false, 8 * time.Second, "", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				r := ask("n")
				r.Whole, r.MaxTokens = test.whole, 1500
				response, err := test.client.Complete(t.Context(), r, nil)
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

func TestCancel_TheCallersDeadlineIsTheCallers(t *testing.T) {
	t.Parallel()
	for _, whole := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			began := time.Now()
			r := ask("n")
			r.Whole = whole
			_, err := slowly(0, time.Minute, begun).Complete(ctx, r, nil)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.Equal(t, 5*time.Second, time.Since(began))
		})
	}
}

// The library would refuse answers of this length in one piece, because of a time-out of its own.
func TestCancel_LongAnswersInOnePiece(t *testing.T) {
	t.Parallel()
	r := ask("n")
	r.Whole, r.MaxTokens = true, 128_000
	got := capture(t, wire.Options{Model: "claude-opus-4-8"}, r)
	require.Equal(t, "128000", string(got.body["max_tokens"]))
}
