// Package openai speaks to OpenAI and to every server that is compatible with it (vLLM, LM Studio,
// llama.cpp, Ollama's /v1), by base URL.
package openai
