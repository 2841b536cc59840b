package ollama

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"forge/engine/llm/wire"
)

// serve returns the server that options name.
func serve(o wire.Options) *wire.Server {
	o.BaseURL = root(o.BaseURL)
	return wire.New(o, wire.Dialect{
		BaseURL: BaseURL, Endpoint: "Ollama", BaseHint: "it is the server's root, as in " + BaseURL,
	})
}

// root is a base URL without what people add from habit: other adapters want /v1, and the paths here begin with /api.
func root(base string) string {
	base = strings.TrimRight(strings.TrimSpace(base), "/")
	for _, habit := range []string{"/v1", "/api"} {
		base = strings.TrimRight(strings.TrimSuffix(base, habit), "/")
	}
	return base
}

// post sends a document.
func post(ctx context.Context, x *wire.Exchange, s *wire.Server, path string, document any) (*http.Response, error) {
	body, err := json.Marshal(document)
	if err != nil {
		return nil, wire.Malformed("the request cannot be written as JSON: %v", err)
	}
	return send(ctx, x, s, http.MethodPost, path, bytes.NewReader(body))
}

// send makes one call of the server.
func send(ctx context.Context, x *wire.Exchange, s *wire.Server, method, path string, body io.Reader) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, s.BaseURL+path, body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if s.Key != "" {
		request.Header.Set("Authorization", "Bearer "+s.Key)
	}
	return x.Do(request)
}

// document reads a body that is one JSON document. A document that breaks off is ErrUnfinished, and what is none is
// what the server says is wrong, or a web page.
func document(body io.Reader, s *wire.Server, into any) error {
	raw, err := io.ReadAll(body)
	if err != nil && !json.Valid(raw) { // behind its last brace a document is whole
		return err
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		return wire.ErrUnfinished
	}
	var said struct {
		Error json.RawMessage `json:"error"`
	}
	err = json.NewDecoder(bytes.NewReader(raw)).Decode(&said)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return wire.ErrUnfinished
	case bytes.TrimSpace(raw)[0] != '{', len(said.Error) > 0 && string(said.Error) != "null":
		return objection(s, raw)
	case err != nil:
		return err
	}
	return json.Unmarshal(raw, into)
}

// objection is what the server means by a document that is no answer.
func objection(s *wire.Server, raw []byte) error {
	if err := s.Objection(raw, false); err != nil {
		return err
	}
	return wire.ErrUnfinished
}
