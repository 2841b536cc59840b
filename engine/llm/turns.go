package llm

import "strings"

// Joined returns the messages with neighbouring texts of the user joined, for formats without cache marks: the chat
// templates of some models reject turns that do not alternate. It does not modify the messages.
func Joined(messages []Message) []Message {
	joined := make([]Message, 0, len(messages))
	for _, m := range messages {
		last := len(joined) - 1
		if last < 0 || m.Role != User || joined[last].Role != User {
			joined = append(joined, m)
			continue
		}
		before := joined[last].Text
		if before != "" && !strings.HasSuffix(before, "\n") {
			before += "\n\n"
		}
		joined[last].Text, joined[last].Stable = before+m.Text, joined[last].Stable && m.Stable
	}
	return joined
}
