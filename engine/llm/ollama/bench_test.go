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

var ways = map[string]func(*testing.B, string) completer{"forge": ours, "bare": bare}

// BenchmarkComplete is a whole call: a prompt of 32 kB, an answer of 4 kB in 100 lines.
func BenchmarkComplete(b *testing.B) {
	piece := strings.Repeat("word", 10)
	all := make([]string, 0, 101)
	for range 100 {
		all = append(all, said(piece))
	}
	base := serve(b, lines(append(all, uncounted)...))
	prompt := strings.Repeat("word", 8<<10)
	for name, way := range ways {
		b.Run(name, func(b *testing.B) {
			complete := way(b, base)
			b.ReportAllocs()
			for b.Loop() {
				text, err := complete(b.Context(), prompt, func(string) {})
				require.NoError(b, err)
				require.Len(b, text, 4000)
			}
		})
	}
}

// BenchmarkFirstDelta is the time from the moment at which a server sends its first line to the one at which the piece
// is shown.
func BenchmarkFirstDelta(b *testing.B) {
	sentAt := make(chan time.Time, 1)
	base := serve(b, func(w http.ResponseWriter, _ *http.Request) {
		sentAt <- time.Now()
		_, _ = io.WriteString(w, said("a")+"\n")
		_ = http.NewResponseController(w).Flush()
		_, _ = io.WriteString(w, uncounted)
	})
	for name, way := range ways {
		b.Run(name, func(b *testing.B) {
			complete := way(b, base)
			var waited time.Duration
			for b.Loop() {
				_, err := complete(b.Context(), "Hello?", func(string) { waited += time.Since(<-sentAt) })
				require.NoError(b, err)
			}
			b.ReportMetric(float64(waited.Microseconds())/float64(b.N), "µs/delta")
		})
	}
}
