package anthropic_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
	"forge/engine/llm/anthropic"
	"forge/engine/llm/wire"
)

// cutAt gives the first bytes of a body, one more with each request, and then ends, or is lost.
func cutAt(body string, lost bool) transport {
	var offset atomic.Int64
	return func(r *http.Request) (*http.Response, error) {
		_, _ = io.Copy(io.Discard, r.Body)
		response := respond(http.StatusOK, "")
		rest := io.Reader(strings.NewReader(body[:offset.Add(1)-1]))
		if lost {
			rest = io.MultiReader(rest, broken{})
		}
		response.Body = io.NopCloser(rest)
		return response, nil
	}
}

// broken is what a lost connection reads as.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// pieces are an answer, 680 bytes each: six of them are 4 kB.
func pieces(count int, quote bool) (whole string, parts []string) {
	for i := range count {
		parts = append(parts, strings.Repeat(fmt.Sprintf("piece %02d of é世界🎉 \\ and so on, to have some length.\n", i), 12))
	}
	whole = strings.Join(parts, "")
	if !quote {
		return whole, parts
	}
	quoted, _ := json.Marshal(map[string]string{"at": whole})
	whole, parts = string(quoted), nil
	for rest := whole; rest != ""; {
		n := min(801, len(rest))
		for n < len(rest) && rest[n]&0xC0 == 0x80 {
			n++
		}
		parts, rest = append(parts, rest[:n]), rest[n:]
	}
	return whole, parts
}

// Wherever an answer is cut, by an end or by a loss: no part of it is taken for the whole.
func TestCut_AnAnswerCutAtEveryByte(t *testing.T) {
	t.Parallel()
	words, wordParts := pieces(6, false)
	arguments, argumentParts := pieces(6, true)
	short, shortParts := pieces(1, true)
	quoted, _ := json.Marshal(words)
	require.Greater(t, len(words), 4000)
	type answer struct {
		body          string
		whole, schema bool
		want          string
	}
	tool := func(name, input string) string {
		return message("tool_use", fmt.Sprintf(`{"type":"tool_use","id":"toolu_1","name":%q,"input":%s}`, name, input))
	}
	tests := map[string]answer{
		"text, stream":        {said("end_turn", wordParts...), false, false, words},
		"text, whole":         {message("end_turn", `{"type":"text","text":`+string(quoted)+`}`), true, false, words},
		"tool, stream":        {asked("weather", argumentParts...), false, false, arguments},
		"tool, whole":         {tool("weather", arguments), true, false, arguments},
		"short, stream":       {said("end_turn", wordParts[0]), false, false, wordParts[0]},
		"short tool, stream":  {asked("weather", shortParts...), false, false, short},
		"short tool, whole":   {tool("weather", short), true, false, short},
		"by a schema, stream": {asked("forge_answer", shortParts...), false, true, short},
		"by a schema, whole":  {tool("forge_answer", short), true, true, short},
	}
	for name, test := range tests {
		for way, lost := range map[string]bool{"ends": false, "is lost": true} {
			if (lost || testing.Short()) && len(test.want) > 1000 {
				continue // the suite of all adapters does that
			}
			t.Run(name+" "+way, func(t *testing.T) {
				t.Parallel()
				c := anthropic.New(wire.Options{Model: old, HTTP: &http.Client{Transport: cutAt(test.body, lost)}})
				r := ask("n")
				r.Whole, r.Tools = test.whole, []llm.ToolDef{weather}
				if test.schema {
					r.Schema = json.RawMessage(shape)
				}
				taken, first := 0, 0
				for offset := range len(test.body) + 1 {
					response, err := c.Complete(t.Context(), r, nil)
					got := response.Text
					for _, call := range response.Calls {
						got += string(call.Arguments)
					}
					if err == nil {
						require.Equal(t, test.want, got, "offset %d", offset) //nolint:testifylint // byte for byte
						taken++
						continue
					}
					require.Equal(t, llm.KindTruncated, failure(t, err).Kind, "offset %d: %v", offset, err)
					require.True(t, strings.HasPrefix(test.want, got), "offset %d", offset)
					first = offset
				}
				require.Positive(t, taken, "there is an offset behind which it is whole")
				require.Equal(t, len(test.body)-first, taken, "behind that, it always is")
			})
		}
	}
}

// The form of the stream changes nothing.
func TestCut_TheFormOfTheStreamChangesNothing(t *testing.T) {
	t.Parallel()
	words, parts := pieces(6, false)
	stream := said("end_turn", parts...)
	for name, body := range map[string]string{
		"CRLF":                 strings.ReplaceAll(stream, "\n", "\r\n"),
		"comments":             strings.ReplaceAll(stream, "event:", ": ping\n\nevent:"),
		"no names":             removeLines(stream, "event:"),
		"names after the data": strings.ReplaceAll(removeLines(stream, "event:"), "}\n\n", "}\nevent: x\n\n"),
		"no blank lines":       strings.ReplaceAll(stream, "\n\n", "\n"),
		"several data lines":   strings.ReplaceAll(stream, `{"type":"content_block_delta",`, "{\"type\":\ndata: \"content_block_delta\","),
		"byte order mark":      "\uFEFF" + stream,
		"a thousand pings":     strings.Repeat(ping, 1000) + stream,
		"twice the end":        stream + ended("max_tokens") + stopped,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := handled(t, func(w http.ResponseWriter, _ *http.Request) {
				for rest := []byte(body); len(rest) > 0; {
					n := min(501, len(rest)) // also in the middle of characters
					_, _ = w.Write(rest[:n])
					_ = http.NewResponseController(w).Flush()
					rest = rest[n:]
				}
			})
			var shown strings.Builder
			response, err := client(t, base, old).Complete(t.Context(), ask("n"), func(piece string) { shown.WriteString(piece) })
			require.NoError(t, err)
			require.Equal(t, words, response.Text)
			require.Equal(t, words, shown.String())
			require.Equal(t, billed.Input, response.Usage.Input)
		})
	}
}

func removeLines(stream, prefix string) string {
	var kept strings.Builder
	for line := range strings.Lines(stream) {
		if !strings.HasPrefix(line, prefix) {
			kept.WriteString(line)
		}
	}
	return kept.String()
}
