package openai_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	api "github.com/sashabaranov/go-openai"

	"forge/engine/llm"
	"forge/engine/llm/openai"
	"forge/engine/llm/wire"
)

// The benchmarks ask the same loopback server through this adapter (forge) and through the bare library (sdk), so that
// the difference is what the adapter costs.

// serving serves a handler until the benchmark ends, and returns the base URL.
func serving(b *testing.B, handler http.HandlerFunc) string {
	b.Helper()
	server := httptest.NewServer(handler)
	b.Cleanup(server.Close)
	return server.URL + "/v1"
}

// streamed is an answer of some 4 kB in 64 pieces.
func streamed() string {
	var events strings.Builder
	for range 64 {
		events.WriteString(`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"` +
			strings.Repeat("word ", 13) + `"},"finish_reason":null}]}` + "\n\n")
	}
	events.WriteString(`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n")
	return events.String()
}

// sdk is the library as one would use it.
func sdk(base string) *api.Client {
	config := api.DefaultConfig(key)
	config.BaseURL = base
	transport, _ := http.DefaultTransport.(*http.Transport)
	config.HTTPClient = &http.Client{Transport: transport.Clone()}
	return api.NewClientWithConfig(config)
}

var sdkRequest = api.ChatCompletionRequest{Model: "m", Messages: []api.ChatCompletionMessage{{Role: "user", Content: "Hello?"}}}

// receive reads a stream of the library to its end.
func receive(ctx context.Context, library *api.Client, onDelta func(string)) (string, error) {
	stream, err := library.CreateChatCompletionStream(ctx, sdkRequest)
	if err != nil {
		return "", err
	}
	defer stream.Close()
	var text strings.Builder
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return text.String(), nil
		}
		if err != nil {
			return "", err
		}
		for _, choice := range chunk.Choices {
			text.WriteString(choice.Delta.Content)
			onDelta(choice.Delta.Content)
		}
	}
}

func BenchmarkBench_Complete(b *testing.B) {
	const size = 64 * 13 * 5
	base := serving(b, sent(streamed()))
	b.Run("forge", func(b *testing.B) {
		c := openai.New(wire.Options{BaseURL: base, Key: key, Model: "m"})
		defer c.Close()
		b.ReportAllocs()
		for b.Loop() {
			response, err := c.Complete(b.Context(), ask("n"), func(string) {})
			if err != nil || len(response.Text) != size {
				b.Fatal(len(response.Text), err)
			}
		}
	})
	b.Run("sdk", func(b *testing.B) {
		library := sdk(base)
		b.ReportAllocs()
		for b.Loop() {
			text, err := receive(b.Context(), library, func(string) {})
			if err != nil || len(text) != size {
				b.Fatal(len(text), err)
			}
		}
	})
}

func BenchmarkBench_Whole(b *testing.B) {
	const size = 4160
	base := serving(b, answers(200, `{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"`+
		strings.Repeat("word ", size/5)+`"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":9,"total_tokens":18}}`))
	b.Run("forge", func(b *testing.B) {
		c := openai.New(wire.Options{BaseURL: base, Key: key, Model: "m"})
		defer c.Close()
		b.ReportAllocs()
		for b.Loop() {
			response, err := c.Complete(b.Context(), entire("n"), nil)
			if err != nil || len(response.Text) != size {
				b.Fatal(len(response.Text), err)
			}
		}
	})
	b.Run("sdk", func(b *testing.B) {
		library := sdk(base)
		b.ReportAllocs()
		for b.Loop() {
			response, err := library.CreateChatCompletion(b.Context(), sdkRequest)
			if err != nil || len(response.Choices[0].Message.Content) != size {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkBench_FirstDelta measures from the moment at which the server writes the first piece to the one at which the
// caller has it (ns/delta).
func BenchmarkBench_FirstDelta(b *testing.B) {
	written := make(chan time.Time, 1)
	first, rest, _ := strings.Cut(streamed(), "\n\n")
	base := serving(b, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		control := http.NewResponseController(w)
		_ = control.Flush() // the header is there before the piece
		written <- time.Now()
		_, _ = io.WriteString(w, first+"\n\n")
		_ = control.Flush()
		_, _ = io.WriteString(w, rest)
	})
	measure := func(b *testing.B, ask func(onDelta func(string)) error) {
		b.Helper()
		var passed time.Duration
		for b.Loop() {
			seen := false
			err := ask(func(string) {
				if !seen {
					seen = true
					passed += time.Since(<-written)
				}
			})
			if err != nil {
				b.Fatal(err)
			}
		}
		b.ReportAllocs()
		b.ReportMetric(float64(passed.Nanoseconds())/float64(b.N), "ns/delta")
	}
	b.Run("forge", func(b *testing.B) {
		c := openai.New(wire.Options{BaseURL: base, Key: key, Model: "m"})
		defer c.Close()
		measure(b, func(onDelta func(string)) error {
			_, err := c.Complete(b.Context(), ask("n"), onDelta)
			return err
		})
	})
	b.Run("sdk", func(b *testing.B) {
		library := sdk(base)
		measure(b, func(onDelta func(string)) error {
			_, err := receive(b.Context(), library, onDelta)
			return err
		})
	})
}

// BenchmarkBench_Cancel measures from the cancel in the middle of an answer to the moment at which the call has returned and
// the server has seen its connection close (ns/op less the time of a call).
func BenchmarkBench_Cancel(b *testing.B) {
	for name, r := range map[string]llm.Request{"stream": ask("n"), "whole": entire("n")} {
		b.Run(name, func(b *testing.B) {
			begun, gone := make(chan struct{}), make(chan struct{})
			base := serving(b, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				sent(`data: {"choices":[{"delta":{"content":"o"}}]}`+"\n\n")(w, r)
				_ = http.NewResponseController(w).Flush()
				begun <- struct{}{}
				<-r.Context().Done()
				gone <- struct{}{}
			})
			c := openai.New(wire.Options{BaseURL: base, Key: key, Model: "m"})
			defer c.Close()
			var took time.Duration
			for b.Loop() {
				ctx, cancel := context.WithCancel(b.Context())
				done := make(chan error)
				go func() {
					_, err := c.Complete(ctx, r, nil)
					done <- err
				}()
				<-begun
				began := time.Now()
				cancel()
				<-gone
				if err := <-done; !errors.Is(err, context.Canceled) {
					b.Fatal(err)
				}
				took += time.Since(began)
			}
			b.ReportMetric(float64(took.Nanoseconds())/float64(b.N), "ns/cancel")
		})
	}
}
