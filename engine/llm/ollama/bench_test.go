package ollama_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
	"forge/engine/llm/ollama"
	"forge/engine/llm/wire"
)

// completer asks once and gives the text back; each piece is shown as it arrives.
type completer func(ctx context.Context, prompt string, onDelta func(string)) (string, error)

// ours is the client of this package.
func ours(b *testing.B, base string) completer {
	c := ollama.New(ollama.Options{Options: wire.Options{BaseURL: base, Model: "qwen3:8b"}, Window: window})
	b.Cleanup(c.Close)
	return func(ctx context.Context, prompt string, onDelta func(string)) (string, error) {
		response, err := c.Complete(ctx, llm.Request{Messages: []llm.Message{{Role: llm.User, Text: prompt}}}, onDelta)
		return response.Text, err
	}
}

// bare is the least that reads such an answer: net/http and a decoder, and none of the care.
func bare(b *testing.B, base string) completer {
	client := &http.Client{Transport: &http.Transport{}}
	b.Cleanup(client.CloseIdleConnections)
	return func(ctx context.Context, prompt string, onDelta func(string)) (string, error) {
		body, err := json.Marshal(map[string]any{
			"model": "qwen3:8b", "stream": true, "messages": []map[string]string{{"role": "user", "content": prompt}},
		})
		if err != nil {
			return "", err
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/api/chat", bytes.NewReader(body))
		if err != nil {
			return "", err
		}
		response, err := client.Do(request)
		if err != nil {
			return "", err
		}
		defer response.Body.Close()
		var text strings.Builder
		for chunks := json.NewDecoder(response.Body); ; {
			var chunk struct {
				Message struct{ Content string } `json:"message"`
			}
			if err := chunks.Decode(&chunk); err != nil {
				if errors.Is(err, io.EOF) {
					return text.String(), nil
				}
				return "", err
			}
			text.WriteString(chunk.Message.Content)
			if chunk.Message.Content != "" {
				onDelta(chunk.Message.Content)
			}
		}
	}
}

var ways = []struct {
	name string
	new  func(*testing.B, string) completer
}{{"forge", ours}, {"bare", bare}}

// BenchmarkBench_Complete is a whole call: a prompt of 32 kB, an answer of 4 kB in 100 lines.
func BenchmarkBench_Complete(b *testing.B) {
	piece := strings.Repeat("word", 10)
	all := make([]string, 0, 101)
	for range 100 {
		all = append(all, said(piece))
	}
	base := serve(b, lines(append(all, uncounted)...))
	prompt := strings.Repeat("word", 8<<10)
	for _, way := range ways {
		b.Run(way.name, func(b *testing.B) {
			complete := way.new(b, base)
			b.ReportAllocs()
			for b.Loop() {
				text, err := complete(b.Context(), prompt, func(string) {})
				require.NoError(b, err)
				require.Len(b, text, 4000)
			}
		})
	}
}

// BenchmarkBench_FirstDelta is the time from the moment at which a server sends its first line to the one at which the piece
// is shown (ns/delta).
func BenchmarkBench_FirstDelta(b *testing.B) {
	sentAt := make(chan time.Time, 1)
	base := serve(b, func(w http.ResponseWriter, _ *http.Request) {
		sentAt <- time.Now()
		_, _ = io.WriteString(w, said("a")+"\n")
		_ = http.NewResponseController(w).Flush()
		_, _ = io.WriteString(w, uncounted)
	})
	for _, way := range ways {
		b.Run(way.name, func(b *testing.B) {
			complete := way.new(b, base)
			var waited time.Duration
			for b.Loop() {
				_, err := complete(b.Context(), "Hello?", func(string) { waited += time.Since(<-sentAt) })
				require.NoError(b, err)
			}
			b.ReportMetric(float64(waited.Nanoseconds())/float64(b.N), "ns/delta")
		})
	}
}

// BenchmarkBench_Cancel is the time from the cancel in the middle of an answer to the moment at which the server has seen its
// connection close (ns/cancel).
func BenchmarkBench_Cancel(b *testing.B) {
	gone := make(chan time.Time, 1)
	base := serve(b, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, said("a")+"\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		gone <- time.Now()
	})
	complete := ours(b, base)
	var took time.Duration
	for b.Loop() {
		ctx, cancel := context.WithCancel(b.Context())
		var cancelled time.Time
		_, err := complete(ctx, "Hello?", func(string) {
			cancelled = time.Now()
			cancel()
		})
		require.ErrorIs(b, err, context.Canceled)
		took += (<-gone).Sub(cancelled)
	}
	b.ReportMetric(float64(took.Nanoseconds())/float64(b.N), "ns/cancel")
}
