package ollama

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"unicode"

	"forge/engine/llm/wire"
)

// Model is a model that an Ollama has.
type Model struct {
	Name     string
	Size     int64    // bytes on the disk; 0 for a remote one
	Family   string   // "qwen3"
	Families []string // Family, and those of further parts
	// Parameters and Quantization are as the server words them: "8.2B", "Q4_K_M".
	Parameters, Quantization string
	// Remote says that the server only passes requests on to another host: what it is asked leaves this one.
	Remote bool
}

// Details are what Show tells of one model.
type Details struct {
	Window       int // tokens that the model takes, prompt and answer together; 0 where the server does not say
	Family       string
	Parameters   string
	Capabilities []string // "completion", "tools", "thinking", "vision"; nil where the server is too old to say
	Remote       bool     // see Model
}

// details is how the server words a model.
type details struct {
	Family            string   `json:"family"`
	Families          []string `json:"families"`
	ParameterSize     string   `json:"parameter_size"`
	QuantizationLevel string   `json:"quantization_level"`
}

// Tags lists the models that the server has, in its order, except names that would not print. A server without a
// model is no error. Options.Model is not looked at.
func Tags(ctx context.Context, o wire.Options) ([]Model, error) {
	server := serve(named(o))
	defer server.Close()
	return tags(ctx, server)
}

// Show tells what is known of a model.
func Show(ctx context.Context, o wire.Options, model string) (Details, error) {
	o.Model = model
	c := New(Options{Options: o})
	defer c.Close()
	found, err := show(ctx, c.server, model)
	return found, c.explain(err, noRequest)
}

// Version tells which Ollama this is: "0.12.6".
func Version(ctx context.Context, o wire.Options) (string, error) {
	server := serve(named(o))
	defer server.Close()
	return version(ctx, server)
}

// named gives the model a name for messages where none is meant.
func named(o wire.Options) wire.Options {
	o.Model = "any model"
	return o
}

func tags(ctx context.Context, s *wire.Server) ([]Model, error) {
	var list struct {
		Models *[]struct {
			Name       string  `json:"name"`
			Size       int64   `json:"size"`
			RemoteHost string  `json:"remote_host"`
			Details    details `json:"details"`
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
		if m.Name == "" || strings.ContainsFunc(m.Name, unprintable) {
			continue
		}
		all = append(all, Model{
			Name: m.Name, Size: m.Size, Family: m.Details.Family, Families: m.Details.Families,
			Parameters: m.Details.ParameterSize, Quantization: m.Details.QuantizationLevel,
			Remote: m.RemoteHost != "" || isCloud(m.Name),
		})
	}
	return all, nil
}

// isCloud tells the names that Ollama gives models of its own cloud, also where nobody said so: "gpt-oss:120b-cloud".
func isCloud(name string) bool {
	return strings.HasSuffix(name, "-cloud") || strings.HasSuffix(name, ":cloud")
}

func show(ctx context.Context, s *wire.Server, model string) (Details, error) {
	var told struct {
		Details      details                    `json:"details"`
		Info         map[string]json.RawMessage `json:"model_info"`
		Capabilities []string                   `json:"capabilities"`
		RemoteHost   string                     `json:"remote_host"`
	}
	if err := read(ctx, s, http.MethodPost, "/api/show", map[string]string{"model": model}, &told); err != nil {
		return Details{}, err
	}
	return Details{
		Window: contextLength(told.Info), Family: told.Details.Family, Parameters: told.Details.ParameterSize,
		Capabilities: told.Capabilities, Remote: told.RemoteHost != "" || isCloud(model),
	}, nil
}

// contextLength finds "qwen3.context_length" where the architecture is "qwen3".
func contextLength(info map[string]json.RawMessage) int {
	var architecture string
	var length float64
	if json.Unmarshal(info["general.architecture"], &architecture) != nil ||
		json.Unmarshal(info[architecture+".context_length"], &length) != nil || length < 1 || length > 1<<30 {
		return 0
	}
	return int(length)
}

func version(ctx context.Context, s *wire.Server) (string, error) {
	var told struct {
		Version string `json:"version"`
	}
	if err := read(ctx, s, http.MethodGet, "/api/version", nil, &told); err != nil {
		return "", err
	}
	if told.Version == "" || strings.ContainsFunc(told.Version, unprintable) {
		return "", wire.Malformed("%s answers, but it is no Ollama", s.Host())
	}
	return told.Version, nil
}

// read makes a call whose answer is one document.
func read(ctx context.Context, s *wire.Server, method, path string, question, into any) error {
	x, ctx := s.Exchange(ctx, wire.Document)
	defer x.End()
	response, err := call(ctx, x, s, method, path, question)
	if err != nil {
		return x.Failure(err)
	}
	defer response.Body.Close() //nolint:errcheck // nothing more is wanted of it
	return x.Failure(json.NewDecoder(response.Body).Decode(into))
}

func call(ctx context.Context, x *wire.Exchange, s *wire.Server, method, path string, question any) (*http.Response, error) {
	if question == nil {
		return send(ctx, x, s, method, path, http.NoBody)
	}
	return post(ctx, x, s, path, question)
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }
