package ollama

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"forge/engine/llm/wire"
)

// serve returns the server for options.
func serve(o wire.Options) *wire.Server {
	o.BaseURL = root(o.BaseURL)
	return wire.New(o, wire.Dialect{
		BaseURL: BaseURL, Endpoint: "Ollama", BaseHint: "it is the server's root, as in " + BaseURL,
	})
}

// root returns a base URL without the suffixes of other adapters: they end in /v1, and the paths here begin with /api.
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
