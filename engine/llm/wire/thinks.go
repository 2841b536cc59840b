package wire

import (
	"strings"

	"forge/internal/lazyregexp"
)

var (
	// always matches the names of models that nothing keeps from thinking.
	always = lazyregexp.New(`(?i)gpt-?oss|minimax-?m\d|think|reason|\bqwq|magistral|gemini-(2\.5-pro|[3-9])|grok-(3-mini|[4-9])`)
	// usually matches those that think unless their server keeps them from it: the chat templates of their families do so.
	usually = lazyregexp.New(`(?i)deepseek-?(r1|v3\.[1-9]|v[4-9])|qwen-?3|glm-?(4\.[5-9]|[5-9])|gemma-?4|gemini-2\.5|nemotron|kimi-k2\.[5-9]`)
)

// ThinksAlways reports whether a name is that of a model that nothing keeps from thinking before an answer.
func ThinksAlways(model string) bool { return always.MatchString(model) }

// ThinksUnasked reports whether a name is that of a model that thinks before an answer unless its server keeps it from that.
func ThinksUnasked(model string) bool {
	name := strings.ToLower(model)
	plain := strings.Contains(name, "coder") || strings.Contains(name, "instruct")
	return ThinksAlways(model) || usually.MatchString(model) && !plain
}

// Effort returns the name of the level of thinking that is nearest to a number of tokens. The lowest one is for none: models
// with levels cannot be kept from thinking.
func Effort(tokens int) string {
	switch {
	case tokens < 4_000:
		return "low"
	case tokens < 16_000:
		return "medium"
	default:
		return "high"
	}
}
