package wire

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestThinks_ByName(t *testing.T) {
	t.Parallel()
	const never, unasked, always = 0, 1, 2
	for model, want := range map[string]int{
		"gpt-oss:20b": always, "openai/gpt-oss-120b": always, "MiniMax-M2.7": always, "deepseek-reasoner": always, "qwq:32b": always,
		"kimi-k2-thinking": always, "Qwen/Qwen3-30B-A3B-Thinking-2507": always, "magistral:24b": always, "gemini-2.5-pro": always,
		"qwen3:8b": unasked, "Qwen3.5-9B-Q4_K_M.gguf": unasked, "deepseek-r1:8b": unasked, "zai-org/GLM-4.6": unasked, "gemma4:26b": unasked,
		"qwen3-coder:30b": never, "Qwen3-30B-A3B-Instruct-2507": never, "qwen2.5-coder:7b": never, "llama3.1:8b": never, "gpt-4o": never,
		"deepseek-chat": never, "glm-4-9b": never, "gemma3:4b": never, "MiniMax-Text-01": never, "scripted": never,
	} {
		require.Equal(t, want == always, ThinksAlways(model), model)
		require.Equal(t, want >= unasked, ThinksUnasked(model), model)
	}
}
