package openai

import (
	"cmp"

	api "github.com/sashabaranov/go-openai"

	"forge/engine/llm"
)

// message is a turn on the wire. Content is null if there are only calls.
type message struct {
	Role       llm.Role       `json:"role"`
	Content    *string        `json:"content"`
	ToolCalls  []api.ToolCall `json:"tool_calls,omitempty"`
	ToolCallID string         `json:"tool_call_id,omitempty"`
}

func messages(turns []llm.Message) []message {
	all := make([]message, 0, len(turns))
	for _, turn := range turns {
		said := message{Role: turn.Role, Content: &turn.Text, ToolCalls: toolCalls(turn.Calls), ToolCallID: turn.CallID}
		if len(turn.Calls) > 0 && turn.Text == "" {
			said.Content = nil
		}
		if turn.Failed { // the format has no field for it
			failed := "Error: " + turn.Text
			said.Content = &failed
		}
		all = append(all, said)
	}
	return all
}

func toolCalls(calls []llm.ToolCall) []api.ToolCall {
	var all []api.ToolCall
	for _, call := range calls {
		arguments := string(call.Arguments)
		arguments = cmp.Or(arguments, "{}")
		all = append(all, api.ToolCall{
			ID: call.ID, Type: api.ToolTypeFunction, Function: api.FunctionCall{Name: call.Name, Arguments: arguments},
		})
	}
	return all
}
