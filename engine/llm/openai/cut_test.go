package openai_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/engine/llm"
	"forge/engine/llm/llmtest"
	"forge/engine/llm/openai"
	"forge/engine/llm/wire"
	"forge/internal/testkit"
)

// fourK is an answer that takes some 4 kB on its way.
var fourK = strings.Repeat("“É à” → e-a {\"x\": [1]}\n", 110)

// TestCut_NoPartOf4KIsTakenForTheWhole ends an answer of 4 kB behind every byte, as if that were its end: text and tools, as
// a stream and whole. Where the call succeeds, all of the answer is there. (The suite of engine/llm/conform loses the
// connection instead.)
func TestCut_NoPartOf4KIsTakenForTheWhole(t *testing.T) {
	t.Parallel()
	replies := map[string]llmtest.Reply{
		"text": {Stream: []llmtest.Piece{{Delta: fourK[:700]}, {Delta: fourK[700:1401]}, {Delta: fourK[1401:]}}, Usage: llmtest.UsageLine{Input: 7, Output: 9}},
		"tools": {ToolCalls: []llmtest.ToolCall{
			{ID: "a", Name: "read_file", Arguments: map[string]any{"path": fourK[:40]}}, {ID: "b", Name: "list_files", Raw: `{"under":"` + strings.Repeat("x", 160) + `"}`},
		}, Wire: llmtest.Wire{Interleave: true}},
	}
	for name, reply := range replies {
		for _, whole := range []bool{false, true} {
			r := offering("")
			r.Whole = whole
			_, base := scripted(t, llmtest.Entry{Reply: &reply, Times: 2})
			body := sentFor(t, base, r)
			want, err := client(t, base).Complete(t.Context(), r, nil)
			require.NoError(t, err)
			t.Run(fmt.Sprintf("%s/whole %t", name, whole), func(t *testing.T) {
				t.Parallel()
				taken := cutEverywhere(t, r, want, body)
				t.Logf("%d bytes: at %d of the cuts the answer is all there, at the others it is an error", len(body), taken)
				require.Positive(t, taken, "behind the finish reason the answer is whole")
				require.Less(t, taken, len(body)/3)
			})
		}
	}
}

// cutEverywhere counts the cuts behind which the call succeeds.
func cutEverywhere(t *testing.T, r llm.Request, want llm.Response, body string) (taken int) {
	t.Helper()
	var part io.Reader
	c := openai.New(wire.Options{BaseURL: "http://h/v1", Model: "scripted", HTTP: &http.Client{Transport: transport(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(part)}, nil
	})}})
	for offset := 0; offset <= len(body); offset++ {
		if offset%testkit.Step(7) != 0 && offset < len(body)-64 { // the last bytes are those behind which it is whole
			continue
		}
		part = strings.NewReader(body[:offset])
		got, err := c.Complete(t.Context(), r, nil)
		if err != nil {
			require.Equal(t, llm.KindTruncated, failure(t, err).Kind, "offset %d: %v", offset, err)
			require.Empty(t, got.Calls)
			continue
		}
		require.Equal(t, want.Text, got.Text, "offset %d", offset)
		require.Empty(t, cmp.Diff(want.Calls, got.Calls), "offset %d", offset)
		taken++
	}
	return taken
}

// sentFor is the body with which a server answers.
func sentFor(t *testing.T, base string, r llm.Request) string {
	t.Helper()
	var body strings.Builder
	c := openai.New(wire.Options{BaseURL: base, Model: "scripted", HTTP: &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		response, err := http.DefaultTransport.RoundTrip(r)
		if err == nil {
			response.Body = struct {
				io.Reader
				io.Closer
			}{io.TeeReader(response.Body, &body), response.Body}
		}
		return response, err
	})}})
	defer http.DefaultClient.CloseIdleConnections()
	_, err := c.Complete(t.Context(), r, nil)
	require.NoError(t, err)
	return body.String()
}
