// Package script is what a script of package llmtest demands of requests, and what it does to answers, without a wire: Rules and Corruption.
package script

import (
	"fmt"
	"slices"
	"strings"

	"forge/engine/llm"
)

// Rules are what every request must keep. One that does not is refused, and Verify names it. That the results of
// tools are paired with calls is a rule without being set.
type Rules struct {
	Secrets []string `yaml:"secrets"` // occur in no request
	Tokens  int      `yaml:"tokens"`  // bounds a request, four bytes to a token; 0 does not
	// Stable demands that the beginning of a node's request is the same, byte for byte, in each further attempt: up to
	// the last message marked so, or the leading messages of the system where the format has no marks. It is for
	// scripts that one run at a time asks.
	Stable bool `yaml:"stable"`
}

// Violation returns which rule a request breaks after earlier ones; empty is none.
func (rules Rules) Violation(r llm.Request, earlier []llm.Request) string {
	if problem := unpaired(r.Messages); problem != "" {
		return problem
	}
	for i, secret := range rules.Secrets {
		if secret != "" && slices.ContainsFunc(texts(r), func(text string) bool { return strings.Contains(text, secret) }) {
			return fmt.Sprintf("it holds secret %d of the list", i+1)
		}
	}
	if size := (len(strings.Join(texts(r), "")) + 3) / 4; rules.Tokens > 0 && size > rules.Tokens {
		return fmt.Sprintf("it has %d tokens, %d are allowed", size, rules.Tokens)
	}
	if rules.Stable {
		return unstable(r, earlier)
	}
	return ""
}

// unpaired returns which call of a tool has no result, or which result no call: results follow at once, each once.
func unpaired(messages []llm.Message) string {
	open := map[string]bool{}
	for _, m := range messages {
		switch {
		case m.Role == llm.Tool && !open[m.CallID]:
			return fmt.Sprintf("the result of a tool answers the call %q, which is not open", m.CallID)
		case m.Role == llm.Tool:
			delete(open, m.CallID)
			continue
		case len(open) > 0:
			return fmt.Sprintf("%d calls of tools have no result", len(open))
		}
		for _, call := range m.Calls {
			if call.ID == "" || open[call.ID] {
				return fmt.Sprintf("the id %q of a call is not its own", call.ID)
			}
			open[call.ID] = true
		}
	}
	if len(open) > 0 {
		return fmt.Sprintf("%d calls of tools have no result", len(open))
	}
	return ""
}

// texts are all that a model reads of a request.
func texts(r llm.Request) []string {
	all := []string{string(r.Schema), r.SchemaName}
	for _, m := range r.Messages {
		all = append(all, m.Text)
		for _, call := range m.Calls {
			all = append(all, call.Name, string(call.Arguments))
		}
	}
	for _, tool := range r.Tools {
		all = append(all, tool.Name, tool.Description, string(tool.Schema))
	}
	return all
}

// unstable returns that a further attempt of a node begins in another way than the one before.
func unstable(r llm.Request, earlier []llm.Request) string {
	if r.Attempt < 2 {
		return ""
	}
	for _, before := range slices.Backward(earlier) {
		if before.Node != r.Node || before.Attempt >= r.Attempt {
			continue
		}
		for k, want := range stable(before.Messages) {
			if k >= len(r.Messages) || r.Messages[k].Role != want.Role || r.Messages[k].Text != want.Text {
				return fmt.Sprintf("message %d is not that of attempt %d, which is stable", k+1, before.Attempt)
			}
		}
		return ""
	}
	return ""
}

// stable are the messages that a request begins with and that come again.
func stable(messages []llm.Message) []llm.Message {
	end, leading := 0, true
	marked := 0
	for i, m := range messages {
		if leading = leading && m.Role == llm.System; leading {
			end = i + 1
		}
		if m.Stable {
			marked = i + 1
		}
	}
	if marked > 0 {
		return messages[:marked]
	}
	return messages[:end]
}
