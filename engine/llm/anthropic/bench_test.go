package anthropic_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	api "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"forge/engine/llm"
	"forge/engine/llm/anthropic"
	"forge/engine/llm/wire"
)

// The benchmarks ask the same loopback server through this adapter (forge) and through the bare library (sdk), so that
// the difference is what the adapter costs.

const size = 64 * 13 * 5

// streamed is an answer of some 4 kB in 64 pieces.
func streamed() string {
	var pieces []string
	for range 64 {
		pieces = append(pieces, strings.Repeat("word ", 13))
	}
	return said("end_turn", pieces...)
}

// sdk is the library as one would use it.
func sdk(base string) api.Client {
	transport, _ := http.DefaultTransport.(*http.Transport)
	return api.NewClient(option.WithoutEnvironmentDefaults(), option.WithBaseURL(base), option.WithAPIKey(key),
		option.WithHTTPClient(&http.Client{Transport: transport.Clone()}))
}

var sdkRequest = api.MessageNewParams{
	Model: old, MaxTokens: 4096, Temperature: api.Float(0), Messages: []api.MessageParam{api.NewUserMessage(api.NewTextBlock("Hello?"))},
}

// receive reads a stream of the library to its end.
func receive(ctx context.Context, library api.Client, onDelta func(string)) (string, error) {
	stream := library.Messages.NewStreaming(ctx, sdkRequest)
	defer stream.Close()
	var text strings.Builder
	for stream.Next() {
		if event := stream.Current(); event.Delta.Type == "text_delta" {
			text.WriteString(event.Delta.Text)
			onDelta(event.Delta.Text)
		}
	}
	return text.String(), stream.Err()
}

// entire reads an answer of the library in one piece.
func entire(ctx context.Context, library api.Client) (string, error) {
	message, err := library.Messages.New(ctx, sdkRequest)
	if err != nil {
		return "", err
	}
	return message.Content[0].Text, nil
}

func each(b *testing.B, name string, ask func() (string, error)) {
	b.Helper()
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			text, err := ask()
			if err != nil || len(text) != size {
				b.Fatal(len(text), err)
			}
		}
	})
}

func benchmarked(b *testing.B, base string) *anthropic.Client {
	b.Helper()
	c := anthropic.New(wire.Options{BaseURL: base, Key: key, Model: old})
	b.Cleanup(c.Close)
	return c
}

func BenchmarkBench_Complete(b *testing.B) {
	base := handled(b, sent(streamed()))
	forge, library := benchmarked(b, base), sdk(base)
	each(b, "forge", func() (string, error) {
		response, err := forge.Complete(b.Context(), ask("n"), func(string) {})
		return response.Text, err
	})
	each(b, "sdk", func() (string, error) { return receive(b.Context(), library, func(string) {}) })
}

func BenchmarkBench_Whole(b *testing.B) {
	base := handled(b, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		answers(200, message("end_turn", `{"type":"text","text":"`+strings.Repeat("word ", size/5)+`"}`))(w, r)
	})
	forge, library := benchmarked(b, base), sdk(base)
	each(b, "forge", func() (string, error) {
		r := ask("n")
		r.Whole = true
		response, err := forge.Complete(b.Context(), r, nil)
		return response.Text, err
	})
	each(b, "sdk", func() (string, error) { return entire(b.Context(), library) })
}

// BenchmarkBench_FirstDelta measures from the moment at which the server writes the first piece to the one at which the
// caller has it (ns/delta).
func BenchmarkBench_FirstDelta(b *testing.B) {
	written := make(chan time.Time, 1)
	head, rest, _ := strings.Cut(streamed(), ping)
	first, rest, _ := strings.Cut(rest, "\n\n")
	base := handled(b, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		control := http.NewResponseController(w)
		_, _ = io.WriteString(w, head+ping)
		_ = control.Flush() // the beginning is there before the piece
		written <- time.Now()
		_, _ = io.WriteString(w, first+"\n\n")
		_ = control.Flush()
		_, _ = io.WriteString(w, rest)
	})
	measure := func(name string, ask func(onDelta func(string)) error) {
		b.Run(name, func(b *testing.B) {
			var passed time.Duration
			for b.Loop() {
				seen := false
				err := ask(func(string) {
					if !seen {
						seen = true
						passed += time.Since(<-written)
					}
				})
				if err != nil || !seen {
					b.Fatal(seen, err)
				}
			}
			b.ReportMetric(float64(passed.Nanoseconds())/float64(b.N), "ns/delta")
		})
	}
	forge, library := benchmarked(b, base), sdk(base)
	measure("forge", func(onDelta func(string)) error {
		_, err := forge.Complete(b.Context(), ask("n"), onDelta)
		return err
	})
	measure("sdk", func(onDelta func(string)) error {
		_, err := receive(b.Context(), library, onDelta)
		return err
	})
}

// BenchmarkBench_Cancel measures from the moment at which the caller cancels to the end of the call, in the middle of an
// answer (ns/cancel).
func BenchmarkBench_Cancel(b *testing.B) {
	base := handled(b, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, begun+opened(0, `{"type":"text","text":""}`)+text(0, "o"))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	c := benchmarked(b, base)
	var passed time.Duration
	for b.Loop() {
		ctx, cancel := context.WithCancel(b.Context())
		var began time.Time
		_, err := c.Complete(ctx, ask("n"), func(string) {
			began = time.Now()
			cancel()
		})
		passed += time.Since(began)
		if err == nil {
			b.Fatal("it was not cancelled")
		}
	}
	b.ReportMetric(float64(passed.Nanoseconds())/float64(b.N), "ns/cancel")
}

var _ llm.Model = (*anthropic.Client)(nil)
