package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// thinker is a server whose model thinks before each answer, and has none if its thoughts use up the limit of the request.
type thinker struct {
	*httptest.Server
	mu     sync.Mutex
	limits []int // of the requests; guarded by mu
}

func newThinker(t *testing.T) *thinker {
	t.Helper()
	s := &thinker{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Limit int `json:"max_tokens"`
		}
		_ = json.NewDecoder(r.Body).Decode(&body)
		s.mu.Lock()
		s.limits = append(s.limits, body.Limit)
		s.mu.Unlock()
		const thoughts = 9000
		text, finish := "It divides.", "stop"
		if body.Limit <= thoughts {
			text, finish = "", "length"
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"choices":[{"message":{"content":%q},"finish_reason":%q}],"usage":{"prompt_tokens":9,"completion_tokens":%d}}`,
			text, finish, min(body.Limit, thoughts))
	}))
	t.Cleanup(s.Close)
	return s
}

// A model that thinks unasked has room for its answer: at once if its name says that it thinks, otherwise at the second call.
func TestAskCommand_ThoughtsLeaveRoomForTheAnswer(t *testing.T) {
	t.Parallel()
	for model, calls := range map[string]int{"qwen3-8b": 1, "a-new-model": 2} {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			w, server := scripted(t, findNothing, payments()), newThinker(t)
			w.environ = append(w.environ, "FORGE_BASE_URL="+server.URL+"/v1", "FORGE_MODEL="+model)
			code, out, said := w.run("ask", "--trust", "what does this do?")
			require.Equal(t, 0, code, said)
			require.Equal(t, "It divides.\n", out)
			server.mu.Lock()
			defer server.mu.Unlock()
			require.Len(t, server.limits, calls)
		})
	}
}
