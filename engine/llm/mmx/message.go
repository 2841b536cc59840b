package mmx

import (
	"encoding/json"
	"strings"

	"forge/engine/llm"
)

// message is a turn in the form of Anthropic's API, which mmx passes on.
type message struct {
	Role    string `json:"role"`
	Content any    `json:"content"` // a string, or blocks
}

// block is a part of a turn, in both directions.
type block struct {
	Type string `json:"type"`

	Text string `json:"text,omitempty"` // type text

	ID    string          `json:"id,omitempty"` // type tool_use
	Name  string          `json:"name,omitempty"`
	Input json.RawMessage `json:"input,omitempty"`

	ToolUseID string `json:"tool_use_id,omitempty"` // type tool_result
	Content   string `json:"content,omitempty"`
	IsError   bool   `json:"is_error,omitempty"`
}

// tool is the definition of one.
type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema"`
}

// messages converts a conversation to mmx's form. mmx keeps only the last system message, so there is only one.
func messages(from []llm.Message) []message {
	var system []string
	var turns []message
	for _, m := range llm.Joined(from) {
		switch m.Role {
		case llm.System:
			system = append(system, m.Text)
		case llm.Tool:
			turns = addResult(turns, block{Type: "tool_result", ToolUseID: m.CallID, Content: m.Text, IsError: m.Failed})
		default:
			turns = append(turns, turn(m))
		}
	}
	if len(system) == 0 {
		return turns
	}
	return append([]message{{string(llm.System), strings.Join(system, "\n\n")}}, turns...)
}

func turn(m llm.Message) message {
	if len(m.Calls) == 0 {
		return message{string(m.Role), m.Text}
	}
	var blocks []block
	if m.Text != "" {
		blocks = append(blocks, block{Type: "text", Text: m.Text})
	}
	for _, call := range m.Calls {
		input := call.Arguments
		if len(input) == 0 {
			input = json.RawMessage("{}")
		}
		blocks = append(blocks, block{Type: "tool_use", ID: call.ID, Name: call.Name, Input: input})
	}
	return message{string(m.Role), blocks}
}

// addResult adds the result of a tool. The API requires the results of one turn in one message.
func addResult(turns []message, result block) []message {
	if last := len(turns) - 1; last >= 0 {
		if blocks, ok := turns[last].Content.([]block); ok && blocks[0].Type == result.Type {
			turns[last].Content = append(blocks, result)
			return turns
		}
	}
	return append(turns, message{string(llm.User), []block{result}})
}

// offered returns the tools to offer: all of them, or the required one.
func offered(r llm.Request) []tool {
	var all []tool
	for _, t := range r.Tools {
		if r.UseTool == "" || r.UseTool == llm.AnyTool || r.UseTool == t.Name {
			all = append(all, tool{t.Name, t.Description, t.Schema})
		}
	}
	return all
}
