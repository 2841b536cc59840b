package route

import "strings"

// hostedWindows are the documented contexts of hosted models, in tokens, by prefix of the name; the longest prefix applies.
var hostedWindows = map[string]int{
	"gpt-3.5-turbo": 16_385,
	"gpt-4":         8_192,
	"gpt-4-turbo":   128_000,
	"gpt-4o":        128_000,
	"chatgpt-4o":    128_000,
	"gpt-4.1":       1_047_576,
	"gpt-5":         400_000,
	"o1":            200_000,
	"o1-mini":       128_000,
	"o1-preview":    128_000,
	"o3":            200_000,
	"o4-mini":       200_000,
	"claude-":       200_000,
	"minimax-text":  1_000_192,
	"minimax-m1":    1_000_000,
	"minimax-m2":    204_800,
}

// hostedWindow returns the context of a hosted model; 0 if unknown.
func hostedWindow(model string) int {
	model, longest, window := strings.ToLower(model), -1, 0
	for beginning, tokens := range hostedWindows {
		if strings.HasPrefix(model, beginning) && len(beginning) > longest {
			longest, window = len(beginning), tokens
		}
	}
	return window
}
