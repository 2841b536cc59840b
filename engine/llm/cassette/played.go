package cassette

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Played is a model whose answers are written by hand, or by another program: each request is a file, and so is its answer. It speaks OpenAI's
// chat completions (GET …/models, POST …/chat/completions), whole and as a stream.
type Played struct {
	// Dir is where request n is written as NNN.request.md, and where its answer is expected as NNN.answer.md. A file of that name that
	// is there already answers at once. A writer of an answer writes it under another name and renames it.
	Dir string
	// Look is how often it is looked for an answer, and Alive how often a stream that waits is kept alive by a comment.
	Look, Alive time.Duration

	mu    sync.Mutex
	calls int
}

// maxPlayed bounds a request, in bytes.
const maxPlayed = 64 << 20

// playedRequest is what is shown of a request.
type playedRequest struct {
	Stream    bool `json:"stream"`
	MaxTokens int  `json:"max_tokens"`
	Messages  []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
	Tools  json.RawMessage `json:"tools"`
	Format json.RawMessage `json:"response_format"`
}

// ServeHTTP answers a request once its answer is there, or not at all where the caller has left.
func (p *Played) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodGet && strings.HasSuffix(strings.TrimRight(r.URL.Path, "/"), "/models"):
		p.reply(w, map[string]any{"object": "list", "data": []map[string]string{{"id": "played", "object": "model", "owned_by": "local"}}})
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/chat/completions"):
		if err := p.complete(w, r); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	default:
		http.NotFound(w, r)
	}
}

// complete writes the request down and waits for its answer. The error is for a request that was not begun to be answered.
func (p *Played) complete(w http.ResponseWriter, r *http.Request) error {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxPlayed))
	if err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	var request playedRequest
	if err := json.Unmarshal(data, &request); err != nil {
		return fmt.Errorf("understand the request: %w", err)
	}
	p.mu.Lock()
	p.calls++
	name := filepath.Join(p.Dir, fmt.Sprintf("%03d", p.calls))
	p.mu.Unlock()
	if err := os.WriteFile(name+".request.md", []byte(request.String()), 0o600); err != nil {
		return fmt.Errorf("write the request down: %w", err)
	}
	keep := func() {}
	if request.Stream {
		w.Header().Set("Content-Type", "text/event-stream")
		keep = func() {
			_, _ = io.WriteString(w, ": an answer is awaited\n\n") // a caller that has left is noticed by its context
			_ = http.NewResponseController(w).Flush()
		}
		keep()
	}
	text, err := p.await(r.Context(), name+".answer.md", keep)
	if err != nil {
		return err
	}
	p.say(w, request, text, len(data))
	return nil
}

// await waits for a file, and keeps a caller alive meanwhile.
func (p *Played) await(ctx context.Context, file string, keep func()) (string, error) {
	look, alive := time.NewTicker(p.Look), time.NewTicker(p.Alive)
	defer look.Stop()
	defer alive.Stop()
	for {
		data, err := os.ReadFile(file)
		if !errors.Is(err, fs.ErrNotExist) {
			return string(data), err
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-alive.C:
			keep()
		case <-look.C:
		}
	}
}

// say sends an answer. Tokens are counted as four bytes each.
func (p *Played) say(w http.ResponseWriter, request playedRequest, text string, read int) {
	name, object := "message", "chat.completion"
	if request.Stream {
		name, object = "delta", "chat.completion.chunk"
	}
	choice := map[string]any{"index": 0, name: map[string]string{"role": "assistant", "content": text}, "finish_reason": "stop"}
	answer := map[string]any{
		"id": "played", "object": object, "created": 0, "model": "played", "choices": []any{choice},
		"usage": map[string]int{"prompt_tokens": read / 4, "completion_tokens": len(text) / 4, "total_tokens": read/4 + len(text)/4},
	}
	if !request.Stream {
		p.reply(w, answer)
		return
	}
	encoded, _ := json.Marshal(answer) // texts and numbers
	_, _ = fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n", encoded)
}

func (p *Played) reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the client may be gone
}

// String is the request, for the user who answers it.
func (r playedRequest) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "max_tokens %d, stream %v\n", r.MaxTokens, r.Stream)
	for _, m := range r.Messages {
		var text string
		if json.Unmarshal(m.Content, &text) != nil {
			text = string(m.Content)
		}
		fmt.Fprintf(&b, "\n===== %s\n%s\n", m.Role, text)
	}
	if len(r.Tools) > 0 {
		fmt.Fprintf(&b, "\n===== tools\n%s\n", r.Tools)
	}
	if len(r.Format) > 0 {
		fmt.Fprintf(&b, "\n===== response_format\n%s\n", r.Format)
	}
	return b.String()
}
