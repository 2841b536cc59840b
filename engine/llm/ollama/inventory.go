package ollama

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"forge/engine/llm/wire"
)

// Model is a model of an Ollama server.
type Model struct {
	Name string
	// Remote means that the server passes requests on to another host: prompts leave this machine.
	Remote bool
}

// Tags lists the server's models, in its order, except unprintable names. A server without models is no error.
// Options.Model is ignored.
func Tags(ctx context.Context, o wire.Options) ([]Model, error) {
	o.Model = "any model" // a name for messages
	server := serve(o)
	defer server.Close()
	return tags(ctx, server)
}

func tags(ctx context.Context, s *wire.Server) ([]Model, error) {
	var list struct {
		Models *[]struct {
			Name       string `json:"name"`
			RemoteHost string `json:"remote_host"`
		} `json:"models"`
	}
	if err := read(ctx, s, http.MethodGet, "/api/tags", nil, &list); err != nil {
		return nil, err
	}
	all := []Model{}
	if list.Models == nil {
		return all, nil
	}
	for _, m := range *list.Models {
		if m.Name == "" || strings.ContainsFunc(m.Name, wire.Unprintable) {
			continue
		}
		all = append(all, Model{Name: m.Name, Remote: m.RemoteHost != "" || isCloud(m.Name)})
	}
	return all, nil
}

// isCloud reports whether a name is that of a model in Ollama's cloud, even if the server does not report it: "gpt-oss:120b-cloud".
func isCloud(name string) bool {
	return strings.HasSuffix(name, "-cloud") || strings.HasSuffix(name, ":cloud")
}

// show returns how many tokens a model accepts, prompt and answer together; 0 if the server does not report it.
func show(ctx context.Context, s *wire.Server, model string) (window int, err error) {
	var told struct {
		Info map[string]json.RawMessage `json:"model_info"`
	}
	if err := read(ctx, s, http.MethodPost, "/api/show", map[string]string{"model": model}, &told); err != nil {
		return 0, err
	}
	return contextLength(told.Info), nil
}

// contextLength finds "qwen3.context_length" if the architecture is "qwen3".
func contextLength(info map[string]json.RawMessage) int {
	var architecture string
	var length float64
	if json.Unmarshal(info["general.architecture"], &architecture) != nil ||
		json.Unmarshal(info[architecture+".context_length"], &length) != nil || length < 1 || length > 1<<30 {
		return 0
	}
	return int(length)
}

// read makes a call whose answer is one document.
func read(ctx context.Context, s *wire.Server, method, path string, question, into any) error {
	x, ctx := s.Exchange(ctx, wire.Document)
	defer x.End()
	response, err := call(ctx, x, s, method, path, question)
	if err != nil {
		return x.Failure(err)
	}
	defer response.Body.Close() //nolint:errcheck // the rest is not needed
	return x.Failure(json.NewDecoder(response.Body).Decode(into))
}

func call(ctx context.Context, x *wire.Exchange, s *wire.Server, method, path string, question any) (*http.Response, error) {
	if question == nil {
		return send(ctx, x, s, method, path, http.NoBody)
	}
	return post(ctx, x, s, path, question)
}
