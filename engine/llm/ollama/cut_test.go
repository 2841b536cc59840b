package ollama_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
)

// cutting is a handler that sends the beginning of a body, and then ends in good order or loses the connection.
func cutting(body string, offset func() int, lose bool) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(body[:offset()]))
		if !lose {
			return
		}
		_ = http.NewResponseController(w).Flush()
		connection, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_ = connection.Close()
		}
	}
}

// TestCut_NoPartIsTakenForTheWhole cuts an answer at every byte, by loss and by a well-formed end, and knows to the byte from
// where on it is whole. TestOllama_Conformance of engine/llm/conform does the same with 4 kB.
func TestCut_NoPartIsTakenForTheWhole(t *testing.T) {
	t.Parallel()
	const piece = "“É à” → {\"files\":[]} e-a. "
	long := strings.Repeat(piece, 8)
	var streamed []string
	for range 8 {
		streamed = append(streamed, said(piece))
	}
	bodies := map[string]string{
		"stream": strings.Join(append(streamed, end), "\n") + "\n",
		"whole":  strings.Replace(end, `"content":""`, `"content":`+fmt.Sprintf("%q", strings.Repeat(piece, 20)), 1),
	}
	whole := map[string]string{"stream": long, "whole": strings.Repeat(piece, 20)}
	for name, body := range bodies {
		for _, lose := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/lost=%t", name, lose), func(t *testing.T) {
				t.Parallel()
				require.Greater(t, len(body), 800)
				offset := 0
				c := client(t, serve(t, cutting(body, func() int { return offset }, lose)))
				r := ask("n")
				r.Whole = name == "whole"
				complete := 0
				for ; offset <= len(body); offset++ {
					response, err := c.Complete(t.Context(), r, nil)
					if err == nil {
						require.Equal(t, whole[name], response.Text, "offset %d", offset)
						complete++
						continue
					}
					failed := failure(t, err)
					require.Equal(t, llm.KindTruncated, failed.Kind, "offset %d: %v", offset, err)
					require.True(t, strings.HasPrefix(whole[name], response.Text), "offset %d", offset)
				}
				// The answer is whole behind the last brace, with the newline and without it.
				require.Equal(t, len(body)-len(strings.TrimRight(body, "\n"))+1, complete)
			})
		}
	}
}
