package llmtest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"

	"forge/engine/llm"
)

// maxRequest bounds a request's body, in bytes.
const maxRequest = 32 << 20

// chat answers one request, or lets it fail as the script says.
func (s *server) chat(w http.ResponseWriter, r *http.Request) {
	request, err := readRequest(w, r)
	if err != nil {
		s.log.printf("malformed request: %v", err)
		refuse(w, refusal{status: http.StatusBadRequest, message: err.Error(), typ: "invalid_request_error"})
		return
	}
	t, err := s.script.take(request)
	if err != nil {
		s.log.printf("UNEXPECTED %s", describe(request))
		refuse(w, refusal{status: http.StatusBadRequest, message: err.Error(), typ: "invalid_request_error", code: "unexpected_request"})
		return
	}
	fault := Fault{}
	if t.entry.Fault != nil {
		fault = *t.entry.Fault
	}
	if t.again {
		s.log.printf("%s → %s, given before: not asked again", describe(request), t.label)
	} else {
		s.log.printf("%s → %s", describe(request), strings.TrimSpace(t.label+" "+string(fault.kind())))
	}
	s.answer(r.Context(), w, t, fault)
}

func (s *server) answer(ctx context.Context, w http.ResponseWriter, t turn, fault Fault) {
	if refused, ok := fault.refusal(s.script.Now()); ok {
		refuse(w, refused)
		return
	}
	switch fault.kind() {
	case FaultReset:
		reset(w)
		return
	case FaultHTML:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, "<!DOCTYPE html>\n<title>Sign in</title>\n<p>Sign in to use this network.</p>\n")
		return
	}
	(&speaker{w: w, control: http.NewResponseController(w), fault: fault}).speak(ctx, s.script.frames(t), t)
}

// reset closes the connection so that the client sees a reset, without a byte of an answer.
func reset(w http.ResponseWriter) {
	connection, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := connection.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // without it the client sees an end instead: a loss either way
	}
	_ = connection.Close()
}

// readRequest reads a chat completion request as far as a script can match it.
func readRequest(w http.ResponseWriter, r *http.Request) (llm.Request, error) {
	var body struct {
		Messages []struct {
			Role    llm.Role `json:"role"`
			Content content  `json:"content"`
		} `json:"messages"`
		Stream              bool    `json:"stream"`
		Temperature         float64 `json:"temperature"`
		MaxTokens           int     `json:"max_tokens"`
		MaxCompletionTokens int     `json:"max_completion_tokens"`
		ResponseFormat      struct {
			JSONSchema struct {
				Name   string          `json:"name"`
				Schema json.RawMessage `json:"schema"`
			} `json:"json_schema"`
		} `json:"response_format"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxRequest)).Decode(&body); err != nil {
		return llm.Request{}, fmt.Errorf("the request is not a chat completion: %w", err)
	}
	if _, err := io.Copy(io.Discard, r.Body); err != nil { // only then the server notices a client that goes away
		return llm.Request{}, fmt.Errorf("the request is not a chat completion: %w", err)
	}
	if !body.Stream {
		return llm.Request{}, fmt.Errorf(`the scripted model only streams: send "stream": true`)
	}
	attempt, _ := strconv.Atoi(r.Header.Get("X-Forge-Attempt")) // a client that sends none is at no attempt
	request := llm.Request{
		Node: r.Header.Get("X-Forge-Node"), Attempt: attempt, Key: r.Header.Get("Idempotency-Key"),
		Temperature: body.Temperature, MaxTokens: max(body.MaxTokens, body.MaxCompletionTokens),
		Schema: body.ResponseFormat.JSONSchema.Schema, SchemaName: body.ResponseFormat.JSONSchema.Name,
	}
	for _, m := range body.Messages {
		request.Messages = append(request.Messages, llm.Message{Role: m.Role, Text: string(m.Content)})
	}
	return request, nil
}

// content is a message's text, which may come as a string or as a list of parts.
type content string

// UnmarshalJSON implements json.Unmarshaler.
func (c *content) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*c = content(text)
		return nil
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(data, &parts); err != nil {
		return fmt.Errorf("a message's content is neither a text nor a list of parts: %w", err)
	}
	var joined strings.Builder
	for _, part := range parts {
		joined.WriteString(part.Text)
	}
	*c = content(joined.String())
	return nil
}
