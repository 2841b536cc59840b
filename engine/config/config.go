// Package config chooses what Forge runs with from the person's own environment.
//
// Invariant: nothing is ever read from the workspace. A folder that a person opens cannot choose the
// model, the place that prompts are sent to, or the key.
package config

import (
	"fmt"
	"net/url"
)

// Environ returns the value of an environment variable, or empty. os.Getenv is one.
type Environ func(name string) string

// The variables that are read.
const (
	EnvBaseURL       = "FORGE_BASE_URL"     // of any server that speaks OpenAI's API, up to and including /v1
	EnvModel         = "FORGE_MODEL"        // as that server names it
	EnvKey           = "FORGE_API_KEY"      // for FORGE_BASE_URL alone
	EnvTagRequests   = "FORGE_TAG_REQUESTS" // 1 tells a scripted server on loopback which node asks
	EnvOpenAIKey     = "OPENAI_API_KEY"
	EnvOpenAIBaseURL = "OPENAI_BASE_URL"
)

// DefaultOpenAIModel is asked where OPENAI_API_KEY is set and FORGE_MODEL is not.
const DefaultOpenAIModel = "gpt-4o-mini"

// openAIBaseURL is where OPENAI_API_KEY goes unless OPENAI_BASE_URL says otherwise.
const openAIBaseURL = "https://api.openai.com/v1"

// Settings say which model to ask, where, and why that one.
type Settings struct {
	BaseURL     string
	Model       string
	Key         Key
	TagRequests bool
	Source      string // for people: "FORGE_BASE_URL", "OPENAI_API_KEY", "Ollama on 127.0.0.1:11434"
}

// String says what was chosen, without the key.
func (s Settings) String() string {
	return fmt.Sprintf("%s at %s (from %s)", s.Model, hostOf(s.BaseURL), s.Source)
}

// Key is a secret that no format verb prints. Convert it to a string to use it.
type Key string

// String tells only whether there is a key.
func (k Key) String() string {
	if k == "" {
		return "no key"
	}
	return "[key]"
}

// GoString is String, for %#v.
func (k Key) GoString() string { return k.String() }

// MarshalText keeps the key out of JSON and logs.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

func hostOf(base string) string {
	parsed, err := url.Parse(base)
	if err != nil || parsed.Host == "" {
		return "an address that is not a URL"
	}
	return parsed.Host // without a password that may stand before it
}
