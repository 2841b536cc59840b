package llm_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
)

func TestTurns_Joined(t *testing.T) {
	t.Parallel()
	user := func(text string, stable bool) llm.Message {
		return llm.Message{Role: llm.User, Text: text, Stable: stable}
	}
	system := llm.Message{Role: llm.System, Text: "s", Stable: true}
	for name, c := range map[string]struct{ from, want []llm.Message }{
		"nothing":            {nil, []llm.Message{}},
		"turns alternate":    {[]llm.Message{system, user("a", false)}, []llm.Message{system, user("a", false)}},
		"two of the user":    {[]llm.Message{system, user("a\n\n", true), user("b", false)}, []llm.Message{system, user("a\n\nb", false)}},
		"without a line end": {[]llm.Message{user("a", true), user("b", true)}, []llm.Message{user("a\n\nb", true)}},
		"two of the system":  {[]llm.Message{system, system}, []llm.Message{system, system}},
		"tools between": {
			[]llm.Message{user("a", false), {Role: llm.Tool, CallID: "1", Text: "t"}, user("b", false)},
			[]llm.Message{user("a", false), {Role: llm.Tool, CallID: "1", Text: "t"}, user("b", false)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			given := append([]llm.Message(nil), c.from...)
			require.Equal(t, c.want, llm.Joined(given))
			require.Equal(t, append([]llm.Message(nil), c.from...), given, "what was given stays")
		})
	}
}
