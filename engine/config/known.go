package config

// hosted is a well-known provider, with its variables.
type hosted struct {
	name, title       string
	kind              Kind
	baseURL           string
	envKey, envBase   string
	preferred, keysAt string // the default model; where keys are issued
}

// hostedProviders returns the providers that need only a key, in order of preference.
func hostedProviders() []hosted {
	return []hosted{
		{"openai", "OpenAI", KindOpenAI, "https://api.openai.com/v1", EnvOpenAIKey, EnvOpenAIBaseURL, "gpt-4o-mini", "https://platform.openai.com/api-keys"},
		{"anthropic", "Anthropic", KindAnthropic, "https://api.anthropic.com", EnvAnthropicKey, EnvAnthropicBaseURL, "claude-sonnet-4-5", "https://console.anthropic.com/settings/keys"},
		{"minimax", "MiniMax", KindCompatible, "https://api.minimax.io/v1", EnvMiniMaxKey, EnvMiniMaxBaseURL, "MiniMax-M2.7", "https://platform.minimax.io"},
	}
}

// preferred returns the default model of a provider.
func preferred(provider string) string {
	if provider == string(KindMMX) {
		provider = "minimax" // mmx is its command line
	}
	for _, h := range hostedProviders() {
		if h.name == provider {
			return h.preferred
		}
	}
	return ""
}

// Known is a provider that forge setup can ask a key for.
type Known struct {
	Name, Title, Variable, KeysAt string
}

// KnownProviders lists the providers that need only a key.
func KnownProviders() []Known {
	var known []Known
	for _, h := range hostedProviders() {
		known = append(known, Known{h.name, h.title, h.envKey, h.keysAt})
	}
	return known
}

// usual returns the addresses where servers of this machine usually listen, in order of preference.
func usual() []Provider {
	return []Provider{
		{Name: "ollama", Title: "Ollama", Kind: KindOllama, BaseURL: "http://127.0.0.1:11434", Usual: true},
		{Name: "lmstudio", Title: "LM Studio", Kind: KindCompatible, BaseURL: "http://127.0.0.1:1234/v1", Usual: true},
		{Name: "vllm", Title: "vLLM", Kind: KindCompatible, BaseURL: "http://127.0.0.1:8000/v1", Usual: true},
		{Name: "llamacpp", Title: "llama.cpp", Kind: KindCompatible, BaseURL: "http://127.0.0.1:8080/v1", Usual: true},
	}
}
