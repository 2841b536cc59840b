package wire

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
)

func TestBound_FollowsFromTheRequest(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		framing Framing
		request llm.Request
		most    int
	}{
		{Document, llm.Request{MaxTokens: 1}, 1<<20 + 16},
		{Document, llm.Request{MaxTokens: 16384}, 1<<20 + 16*16384},
		{Document, llm.Request{MaxTokens: 1 << 40}, 16 << 20},
		{Document, llm.Request{}, 16 << 20},
		{Events, llm.Request{MaxTokens: 16384}, 1<<20 + 512*16384},
		{Events, llm.Request{MaxTokens: 1000, Thinking: 1000}, 1<<20 + 512*2000},
		{Lines, llm.Request{MaxTokens: 1 << 40}, 64 << 20},
		{NamedEvents, llm.Request{}, 64 << 20},
	} {
		require.Equal(t, tt.most, bound(tt.framing, tt.request).most, "%v %v", tt.framing, tt.request)
	}
}

// A server that ignores max_tokens is left in the middle, and not asked again.
func TestExchange_EndsAnAnswerWithoutEnd(t *testing.T) {
	t.Parallel()
	for name, form := range map[string]struct {
		framing Framing
		begin   string
		part    string
	}{
		"one document": {Document, `{"a":"`, strings.Repeat("x", 1<<16)},
		"events":       {Events, "", `data: {"a":"` + strings.Repeat("x", 100) + "\"}\n\n"},
		"lines":        {Lines, "", `{"a":"` + strings.Repeat("x", 100) + "\"}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sent := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if form.framing == Events {
					w.Header().Set("Content-Type", "text/event-stream")
				}
				_, _ = io.WriteString(w, form.begin)
				for r.Context().Err() == nil && sent < 64<<20 {
					n, err := io.WriteString(w, form.part)
					if sent += n; err != nil {
						return
					}
				}
			}))
			defer server.Close()
			s := New(Options{BaseURL: server.URL, Model: "m"}, Dialect{})
			x, ctx := s.Exchange(t.Context(), form.framing)
			defer x.End()
			x.Tag(llm.Request{MaxTokens: 100})
			request, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL, http.NoBody)
			require.NoError(t, err)
			response, err := x.Do(request)
			if err == nil {
				_, err = io.Copy(io.Discard, response.Body)
				require.NoError(t, response.Body.Close())
			}
			var failed *llm.Error
			require.ErrorAs(t, x.Failure(err), &failed)
			require.Equal(t, llm.KindInvalid, failed.Kind)
			require.ErrorContains(t, failed, "100 tokens at most were asked for")
			require.NotErrorIs(t, failed, context.Canceled)
		})
	}
}
