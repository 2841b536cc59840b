package config_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/engine/config"
)

const (
	ollama = "http://127.0.0.1:11434/v1"
	vllm   = "http://127.0.0.1:8000/v1"
	other  = "http://10.0.0.7:9000/v1"
	secret = "sk-canary-51c0ffee"
)

// servers is what answers at which base URL.
type servers map[string][]string

func (s servers) probe(_ context.Context, base string) ([]string, error) {
	models, up := s[base]
	if !up {
		return nil, errors.New("nothing listens there")
	}
	return models, nil
}

type vars map[string]string

func (v vars) env(name string) string { return v[name] }

func TestProviderChooses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		vars    vars
		servers servers
		want    config.Settings
	}{
		"Forge's own variables first": {
			vars: vars{"FORGE_BASE_URL": other, "FORGE_MODEL": "m", "FORGE_API_KEY": secret, "OPENAI_API_KEY": "sk-other"},
			want: config.Settings{BaseURL: other, Model: "m", Key: secret, Source: "FORGE_BASE_URL"},
		},
		"OpenAI's key goes to no other server": {
			vars: vars{"FORGE_BASE_URL": other, "FORGE_MODEL": "m", "OPENAI_API_KEY": secret},
			want: config.Settings{BaseURL: other, Model: "m", Source: "FORGE_BASE_URL"},
		},
		"the only model of the server": {
			vars: vars{"FORGE_BASE_URL": other}, servers: servers{other: {"only"}},
			want: config.Settings{BaseURL: other, Model: "only", Source: "FORGE_BASE_URL"},
		},
		"OpenAI": {
			vars: vars{"OPENAI_API_KEY": " " + secret + "\n"}, servers: servers{ollama: {"llama3"}},
			want: config.Settings{BaseURL: "https://api.openai.com/v1", Model: "gpt-4o-mini", Key: secret, Source: "OPENAI_API_KEY"},
		},
		"OpenAI elsewhere with another model": {
			vars: vars{"OPENAI_API_KEY": secret, "OPENAI_BASE_URL": other, "FORGE_MODEL": "gpt-5"},
			want: config.Settings{BaseURL: other, Model: "gpt-5", Key: secret, Source: "OPENAI_API_KEY"},
		},
		"the only local server with its only model": {
			servers: servers{ollama: {"llama3"}},
			want:    config.Settings{BaseURL: ollama, Model: "llama3", Source: "Ollama on 127.0.0.1:11434"},
		},
		"the local server that has the model": {
			vars: vars{"FORGE_MODEL": "qwen"}, servers: servers{ollama: {"llama3", "phi"}, vllm: {"x", "qwen"}},
			want: config.Settings{BaseURL: vllm, Model: "qwen", Source: "vLLM on 127.0.0.1:8000"},
		},
		"the first local server of two that have it": {
			vars: vars{"FORGE_MODEL": "qwen"}, servers: servers{vllm: {"qwen"}, ollama: {"qwen"}},
			want: config.Settings{BaseURL: ollama, Model: "qwen", Source: "Ollama on 127.0.0.1:11434"},
		},
		"tags": {
			vars: vars{"FORGE_BASE_URL": other, "FORGE_MODEL": "m", "FORGE_TAG_REQUESTS": "1"},
			want: config.Settings{BaseURL: other, Model: "m", Source: "FORGE_BASE_URL", TagRequests: true},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := config.Provider(t.Context(), test.vars.env, test.servers.probe)
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(test.want, got))
		})
	}
}

func TestProviderSaysWhatToDo(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		vars    vars
		servers servers
		says    []string
	}{
		"nothing at all": {
			says: []string{"OPENAI_API_KEY", "start Ollama", "forge demo", "FORGE_BASE_URL"},
		},
		"two local servers": {
			servers: servers{ollama: {"llama3"}, vllm: {"qwen"}},
			says:    []string{"Ollama on 127.0.0.1:11434 with llama3", "vLLM on 127.0.0.1:8000 with qwen", "FORGE_MODEL=llama3"},
		},
		"two models": {
			servers: servers{ollama: {"llama3", "phi"}},
			says:    []string{"Ollama on 127.0.0.1:11434 with llama3, phi", "FORGE_MODEL=llama3"},
		},
		"a server with no model": {
			servers: servers{ollama: nil},
			says:    []string{"Ollama on 127.0.0.1:11434 with no model"},
		},
		"a model that no server has": {
			vars: vars{"FORGE_MODEL": "qwen"}, servers: servers{ollama: {"llama3"}},
			says: []string{`"qwen"`, "Ollama on 127.0.0.1:11434 with llama3"},
		},
		"very many models": {
			servers: servers{ollama: {"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"}},
			says:    []string{"1, 2, 3, 4, 5, 6, 7, 8 and 2 more"},
		},
		"a base URL with several models": {
			vars: vars{"FORGE_BASE_URL": other}, servers: servers{other: {"a", "b"}},
			says: []string{"FORGE_MODEL", "10.0.0.7:9000 with a, b"},
		},
		"a base URL where nothing answers": {
			vars: vars{"FORGE_BASE_URL": other}, says: []string{"FORGE_MODEL"},
		},
		"a base URL that is none": {
			vars: vars{"FORGE_BASE_URL": "localhost:11434", "FORGE_MODEL": "m"}, says: []string{"FORGE_BASE_URL is not a URL"},
		},
		"another base URL that is none": {
			vars: vars{"OPENAI_API_KEY": secret, "OPENAI_BASE_URL": "file:///etc/passwd"}, says: []string{"OPENAI_BASE_URL is not a URL"},
		},
		"a key with no server": {
			vars: vars{"FORGE_API_KEY": secret, "OPENAI_API_KEY": "sk-other"}, says: []string{"FORGE_BASE_URL"},
		},
		"a password in the URL": {
			vars: vars{"FORGE_BASE_URL": "http://me:" + secret + "@h/v1"}, servers: servers{"http://me:" + secret + "@h/v1": {"a", "b"}},
			says: []string{"on h with a, b"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := config.Provider(t.Context(), test.vars.env, test.servers.probe)
			for _, part := range test.says {
				require.ErrorContains(t, err, part)
			}
			require.NotContains(t, err.Error(), secret)
			require.Equal(t, config.Settings{}, got)
		})
	}
}

func TestNothingIsAskedWhereTheEnvironmentDecides(t *testing.T) {
	t.Parallel()
	probe := func(context.Context, string) ([]string, error) {
		require.Fail(t, "there is nothing to ask for")
		return nil, nil
	}
	for _, v := range []vars{{"OPENAI_API_KEY": secret}, {"FORGE_BASE_URL": other, "FORGE_MODEL": "m"}} {
		_, err := config.Provider(t.Context(), v.env, probe)
		require.NoError(t, err)
	}
}

func TestDiscoverAsksAllAtOnceAndEndsInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		silent := func(ctx context.Context, base string) ([]string, error) {
			if base == vllm {
				time.Sleep(time.Second) //nolint:forbidigo // of the bubble's clock
				return []string{"qwen"}, nil
			}
			<-ctx.Done()
			return nil, ctx.Err()
		}
		began := time.Now()
		found := config.Discover(t.Context(), silent)
		require.Equal(t, config.LocalTimeout, time.Since(began))
		require.Empty(t, cmp.Diff([]config.Found{{Name: "vLLM", BaseURL: vllm, Models: []string{"qwen"}}}, found))
	})
}

func TestProviderEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, v := range []vars{{}, {"FORGE_BASE_URL": other}} {
		_, err := config.Provider(ctx, v.env, servers{}.probe)
		require.ErrorIs(t, err, context.Canceled)
	}
}

func TestNoFormatShowsTheKey(t *testing.T) {
	t.Parallel()
	settings := config.Settings{BaseURL: "http://me:" + secret + "@h/v1", Model: "m", Key: secret, Source: "FORGE_BASE_URL"}
	require.Equal(t, "m at h (from FORGE_BASE_URL)", settings.String())
	encoded, err := json.Marshal(config.Settings{Key: secret})
	require.NoError(t, err)
	for _, text := range []string{
		fmt.Sprint(settings), fmt.Sprintf("%v %+v %s", settings, settings, settings), fmt.Sprintf("%#v", settings.Key), string(encoded),
	} {
		require.NotContains(t, text, secret)
	}
	require.Equal(t, secret, string(settings.Key))
}
