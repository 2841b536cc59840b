package ollama_test

import (
	"context"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
	"forge/engine/llm/ollama"
	"forge/engine/llm/wire"
)

// transport is a round tripper in process.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// slowly is a client whose server sends its header after a while and then a line per pause, all on the test's own
// clock, and keeps the connection open behind them.
func slowly(header, pause time.Duration, documents ...string) *ollama.Client {
	trip := transport(func(r *http.Request) (*http.Response, error) {
		if err := llm.Pause(r.Context(), header); err != nil {
			return nil, err
		}
		reader, writer := io.Pipe()
		go func() {
			for _, document := range documents {
				if err := llm.Pause(r.Context(), pause); err != nil {
					_ = writer.CloseWithError(err)
					return
				}
				_, _ = io.WriteString(writer, document+"\n")
			}
			<-r.Context().Done()
			_ = writer.CloseWithError(r.Context().Err())
		}()
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: reader}, nil
	})
	return ollama.New(ollama.Options{Window: window, Options: wire.Options{
		Model: "qwen3:8b", HTTP: &http.Client{Transport: trip}, HeaderTimeout: 30 * time.Second, IdleTimeout: 10 * time.Second,
	}})
}

func TestTimeout_Silence(t *testing.T) {
	t.Parallel()
	piece := said("a")
	tests := map[string]struct {
		client *ollama.Client
		after  time.Duration
		kind   llm.Kind // empty: an answer
		says   string
	}{
		"no header":                     {slowly(time.Hour, 0), 30 * time.Second, llm.KindTransient, "no answer began in time (30s)"},
		"no first line":                 {slowly(29*time.Second, time.Hour, piece), 39 * time.Second, llm.KindTruncated, "fell silent (10s)"},
		"no next line":                  {slowly(0, 9*time.Second, piece, piece), 28 * time.Second, llm.KindTruncated, "fell silent (10s)"},
		"one token a while is fine":     {slowly(0, 9*time.Second, piece, piece, piece, end), 41 * time.Second, "", ""},
		"an end that stays open is one": {slowly(0, time.Second, piece, end), 7 * time.Second, "", ""},
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

func TestTimeout_BoundsTheQueryOfTheContextSize(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		trip := transport(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		c := ollama.New(ollama.Options{Options: wire.Options{Model: "qwen3:8b", HTTP: &http.Client{Transport: trip}, HeaderTimeout: time.Minute}})
		began := time.Now()
		_, err := c.Complete(t.Context(), ask("n"), nil)
		require.Equal(t, llm.KindTransient, failure(t, err).Kind)
		require.Equal(t, time.Minute+5*time.Second, time.Since(began))
	})
}

func TestTimeout_TheCallersDeadlineIsTheCallers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		began := time.Now()
		_, err := slowly(0, time.Minute, said("a")).Complete(ctx, ask("n"), nil)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 5*time.Second, time.Since(began))
	})
}

// TestTimeout_CancelClosesTheConnection cancels calls of each kind at each stage: the server sees its connection end, and the
// error is the caller's. That no goroutine stays is TestMain's to see.
func TestTimeout_CancelClosesTheConnection(t *testing.T) {
	t.Parallel()
	stream := func(ctx context.Context, c *ollama.Client) error {
		_, err := c.Complete(ctx, ask("n"), nil)
		return err
	}
	whole := func(ctx context.Context, c *ollama.Client) error {
		r := ask("n")
		r.Whole = true
		_, err := c.Complete(ctx, r, nil)
		return err
	}
	loaded := func(ctx context.Context, c *ollama.Client) error { _, err := c.Loaded(ctx, ask("n")); return err }
	tests := map[string]struct {
		call   func(context.Context, *ollama.Client) error
		before string // of the body
	}{
		"a stream before its header": {stream, ""},
		"a stream in the middle":     {stream, said("par") + "\n"},
		"a stream inside a line":     {stream, `{"message":`},
		"a stream behind its end":    {stream, end + "\n"},
		"a whole one before":         {whole, ""},
		"a whole one in the middle":  {whole, `{"message":`},
		"a whole one behind its end": {whole, end},
		"warming up":                 {func(ctx context.Context, c *ollama.Client) error { return c.Warm(ctx, ask("n")) }, ""},
		"what is loaded":             {loaded, `{"models":`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked, gone := make(chan time.Time, 1), make(chan time.Time, 1)
			base := site(t, map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				_, _ = io.WriteString(w, test.before)
				if test.before != "" {
					_ = http.NewResponseController(w).Flush()
				}
				asked <- time.Now()
				<-r.Context().Done()
				gone <- time.Now()
			}})
			c := ollama.New(ollama.Options{Options: wire.Options{BaseURL: base, Model: "qwen3:8b"}, Window: window})
			defer c.Close()
			ctx, cancel := context.WithCancel(t.Context())
			at := make(chan time.Time, 1)
			go func() {
				<-asked
				at <- time.Now()
				cancel()
			}()
			err := test.call(ctx, c)
			require.ErrorIs(t, err, context.Canceled)
			var failed *llm.Error
			require.NotErrorAs(t, err, &failed)
			t.Logf("the connection was gone after %s", (<-gone).Sub(<-at))
		})
	}
}
