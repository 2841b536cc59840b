package config

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// ErrNoModel says that there is no key and no local server. Its text says what to do.
var ErrNoModel = errors.New(`there is no model to ask. Do one of these:
  set OPENAI_API_KEY to a key of yours;
  or start Ollama (https://ollama.com) with a model, such as: ollama pull qwen2.5-coder;
  or set FORGE_BASE_URL and FORGE_MODEL to any server that speaks OpenAI's API;
  or try forge demo, which needs no model`)

// Provider chooses the model from the environment. The first that applies counts:
//
//  1. FORGE_BASE_URL, with FORGE_MODEL and FORGE_API_KEY. Without FORGE_MODEL the server is asked, and
//     its model is taken if it has exactly one.
//  2. OPENAI_API_KEY, with OPENAI_BASE_URL. The model is FORGE_MODEL or DefaultOpenAIModel.
//  3. The local servers of Locals, asked in parallel for at most LocalTimeout. With FORGE_MODEL, the first
//     that has this model. Without, one that is the only one found and has exactly one model; otherwise
//     a *ChoiceError offers what was found by name, because a prompt holds the person's code and
//     a guess would send it somewhere.
//
// With none of them the error is ErrNoModel. Every error says what to set. A key is sent only to the base
// URL it belongs to.
func Provider(ctx context.Context, env Environ, probe Probe) (Settings, error) {
	settings, err := choose(ctx, trimmed(env), probe)
	if err != nil {
		return Settings{}, fmt.Errorf("choose a model: %w", err)
	}
	settings.TagRequests = env(EnvTagRequests) == "1"
	return settings, nil
}

func choose(ctx context.Context, env Environ, probe Probe) (Settings, error) {
	switch {
	case env(EnvBaseURL) != "":
		return fromForge(ctx, env, probe)
	case env(EnvKey) != "":
		return Settings{}, fmt.Errorf("%s is set, but not %s, the server it is for", EnvKey, EnvBaseURL)
	case env(EnvOpenAIKey) != "":
		return fromOpenAI(env)
	default:
		return fromLocals(ctx, env(EnvModel), probe)
	}
}

// trimmed drops the blanks and newlines that come with a copied value.
func trimmed(env Environ) Environ {
	return func(name string) string { return strings.TrimSpace(env(name)) }
}

func fromForge(ctx context.Context, env Environ, probe Probe) (Settings, error) {
	settings := Settings{BaseURL: env(EnvBaseURL), Model: env(EnvModel), Key: Key(env(EnvKey)), Source: EnvBaseURL}
	if err := checkURL(EnvBaseURL, settings.BaseURL); err != nil {
		return Settings{}, err
	}
	if settings.Model != "" {
		return settings, nil
	}
	ctx, cancel := context.WithTimeout(ctx, LocalTimeout)
	defer cancel()
	models, err := probe(ctx, settings.BaseURL)
	switch {
	case ctx.Err() != nil && errors.Is(ctx.Err(), context.Canceled):
		return Settings{}, ctx.Err()
	case err != nil || len(models) == 0:
		return Settings{}, fmt.Errorf("%s is set, but not %s: set it to the model to ask there", EnvBaseURL, EnvModel)
	case len(models) > 1:
		return Settings{}, &ChoiceError{Found: []Found{{Name: EnvBaseURL, BaseURL: settings.BaseURL, Models: models}}}
	}
	settings.Model = models[0]
	return settings, nil
}

func fromOpenAI(env Environ) (Settings, error) {
	settings := Settings{
		BaseURL: firstOf(env(EnvOpenAIBaseURL), openAIBaseURL),
		Model:   firstOf(env(EnvModel), DefaultOpenAIModel),
		Key:     Key(env(EnvOpenAIKey)),
		Source:  EnvOpenAIKey,
	}
	return settings, checkURL(EnvOpenAIBaseURL, settings.BaseURL)
}

func firstOf(value, otherwise string) string {
	if value != "" {
		return value
	}
	return otherwise
}

// checkURL refuses what cannot be a base URL. The value is not shown: a password may stand in it.
func checkURL(name, value string) error {
	parsed, err := url.Parse(value)
	if err != nil || parsed.Host == "" || !slices.Contains([]string{"http", "https"}, parsed.Scheme) {
		return fmt.Errorf("%s is not a URL: give one like http://127.0.0.1:11434/v1", name)
	}
	return nil
}
