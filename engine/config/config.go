// Package config says what Forge runs with: which providers of models there are, which model each kind of work is
// given, how much a run may use, and how servers are reached. It reads, and it keeps keys; it asks no server.
//
//	flag  >  environment  >  editor  >  project  >  user  >  default
//
// Only the user's own file and environment say where prompts and keys go. A project is the folder's
// .forge/config.yaml, and an editor's settings may come from the folder too: both choose among the providers that the
// person has, and nothing else. Whoever calls Load names a project only where the user trusts the folder.
//
// Invariant: nothing of a folder or an editor adds a provider, an address, a key, a proxy or a CA, turns the
// offline mode off, raises a budget, or leads from a model on this machine to one elsewhere.
package config

import (
	"net"
	"net/url"
)

// Environ returns the value of an environment variable, or empty. os.Getenv is one.
type Environ func(name string) string

// The variables that are read.
const (
	EnvBaseURL          = "FORGE_BASE_URL"     // of any server that speaks OpenAI's API, up to and including /v1
	EnvModel            = "FORGE_MODEL"        // "model" or "provider/model", for every tier
	EnvKey              = "FORGE_API_KEY"      // for FORGE_BASE_URL alone
	EnvOffline          = "FORGE_OFFLINE"      // 1 asks nothing but servers on this machine
	EnvTagRequests      = "FORGE_TAG_REQUESTS" // 1 tells a scripted server on loopback which node asks
	EnvKeychain         = "FORGE_KEYCHAIN"     // off keeps keys in a file of Forge's own instead
	EnvOpenAIKey        = "OPENAI_API_KEY"
	EnvOpenAIBaseURL    = "OPENAI_BASE_URL"
	EnvAnthropicKey     = "ANTHROPIC_API_KEY"
	EnvAnthropicBaseURL = "ANTHROPIC_BASE_URL"
	EnvMiniMaxKey       = "MINIMAX_API_KEY"
	EnvMiniMaxBaseURL   = "MINIMAX_BASE_URL"
	EnvOllamaHost       = "OLLAMA_HOST"
	EnvCAFile           = "SSL_CERT_FILE" // authorities to trust besides the system's
)

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

// HostOf is where a base URL leads, without a password that may stand in it.
func HostOf(base string) string {
	parsed, err := url.Parse(base)
	if err != nil || parsed.Host == "" {
		return "an address that is not a URL"
	}
	return parsed.Host
}

// OnThisMachine reports whether a base URL leads to loopback.
func OnThisMachine(base string) bool {
	parsed, err := url.Parse(base)
	if err != nil {
		return false
	}
	ip := net.ParseIP(parsed.Hostname())
	return parsed.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}
