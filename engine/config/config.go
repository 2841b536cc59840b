// Package config reads the settings of Forge: the providers of models, the model for each kind of work, the
// limits of a run, and how servers are reached. It reads settings and stores keys; it calls no server.
//
//	flag  >  environment  >  editor  >  project  >  user  >  default
//
// Only the user's own file and environment decide where prompts and keys go. A project is the folder's
// .forge/config.yaml, and an editor's settings may come from the folder too: both only choose among the user's
// providers. The caller of Load names a project only if the user trusts the folder.
//
// Invariant: no folder and no editor adds a provider, an address, a key, a proxy or a CA, turns the offline mode off,
// raises a budget, or replaces a model on this machine by one elsewhere.
package config

import (
	"net"
	"net/url"
)

// Environ returns the value of an environment variable, or "". os.Getenv is an Environ.
type Environ func(name string) string

// The environment variables.
const (
	EnvBaseURL          = "FORGE_BASE_URL"     // of any server that speaks OpenAI's API, up to and including /v1
	EnvModel            = "FORGE_MODEL"        // "model" or "provider/model", sets every tier
	EnvKey              = "FORGE_API_KEY"      // only for FORGE_BASE_URL
	EnvOffline          = "FORGE_OFFLINE"      // 1 allows only servers on this machine
	EnvTagRequests      = "FORGE_TAG_REQUESTS" // 1 sends the name of the node to a scripted server on loopback
	EnvKeychain         = "FORGE_KEYCHAIN"     // off keeps keys in a file of Forge's own instead of the keychain
	EnvOpenAIKey        = "OPENAI_API_KEY"
	EnvOpenAIBaseURL    = "OPENAI_BASE_URL"
	EnvAnthropicKey     = "ANTHROPIC_API_KEY"
	EnvAnthropicBaseURL = "ANTHROPIC_BASE_URL"
	EnvMiniMaxKey       = "MINIMAX_API_KEY"
	EnvMiniMaxBaseURL   = "MINIMAX_BASE_URL"
	EnvOllamaHost       = "OLLAMA_HOST"
	EnvCAFile           = "SSL_CERT_FILE" // authorities to trust in addition to the system's
)

// Key is a secret that no format verb prints. Convert it to a string to use it.
type Key string

// String reports only whether there is a key.
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

// HostOf returns the host of a base URL, without a password.
func HostOf(base string) string {
	parsed, err := url.Parse(base)
	if err != nil || parsed.Host == "" {
		return "an address that is not a URL"
	}
	return parsed.Host
}

// OnThisMachine reports whether a base URL points to loopback.
func OnThisMachine(base string) bool {
	parsed, err := url.Parse(base)
	if err != nil {
		return false
	}
	ip := net.ParseIP(parsed.Hostname())
	return parsed.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}
