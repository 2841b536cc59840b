package ollama

import (
	"bytes"
	"encoding/json"
	"fmt"

	"forge/engine/llm"
	"forge/engine/llm/wire"
)

// tool is an offered tool.
type tool struct {
	Type     string  `json:"type"`
	Function offered `json:"function"`
}

type offered struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

// toolCall is a tool call. Its arguments are an object, and servers before 0.12.10 send no id.
type toolCall struct {
	ID       string `json:"id,omitempty"`
	Function called `json:"function"`
}

type called struct {
	Index     int             `json:"index"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// tools returns the tools to offer: all of them, or the required one.
func tools(r llm.Request) []tool {
	var all []tool
	for _, t := range r.Tools {
		if r.UseTool == "" || r.UseTool == llm.AnyTool || r.UseTool == t.Name {
			all = append(all, tool{"function", offered{t.Name, t.Description, t.Schema}})
		}
	}
	return all
}

func toolCalls(calls []llm.ToolCall) []toolCall {
	var all []toolCall
	for i, call := range calls {
		arguments := call.Arguments
		if len(arguments) == 0 {
			arguments = json.RawMessage("{}")
		}
		all = append(all, toolCall{call.ID, called{i, call.Name, arguments}})
	}
	return all
}

// readCalls checks the tool calls, and gives each an id that is unique in the conversation: the server's, or its
// number, so that the same conversation gets the same ids.
func readCalls(r llm.Request, calls []toolCall) ([]llm.ToolCall, error) {
	taken := map[string]bool{}
	for _, m := range r.Messages {
		for _, call := range m.Calls {
			taken[call.ID] = true
		}
	}
	var all []llm.ToolCall
	for _, call := range calls {
		arguments, err := readArguments(call.Function.Arguments)
		switch {
		case !isOffered(r, call.Function.Name):
			return nil, wire.Malformed("the model asks for a tool that it was not offered: %q", call.Function.Name)
		case err != nil:
			return nil, wire.Malformed("the model asks for the tool %q with arguments that are not one JSON object", call.Function.Name)
		}
		id := freeID(call.ID, taken)
		taken[id] = true
		all = append(all, llm.ToolCall{ID: id, Name: call.Function.Name, Arguments: arguments})
	}
	return all, nil
}

func freeID(given string, taken map[string]bool) string {
	if given != "" && !taken[given] {
		return given
	}
	for n := len(taken); ; n++ {
		if id := fmt.Sprintf("call_%d", n); !taken[id] {
			return id
		}
	}
}

func isOffered(r llm.Request, name string) bool {
	for _, t := range tools(r) {
		if t.Function.Name == name {
			return true
		}
	}
	return false
}

// readArguments accepts an object, an object in a string (as OpenAI writes it), or nothing, which means no arguments.
func readArguments(raw json.RawMessage) (json.RawMessage, error) {
	raw = bytes.TrimSpace(raw)
	var text string
	if json.Unmarshal(raw, &text) == nil && text != "" {
		raw = bytes.TrimSpace([]byte(text))
	}
	if len(raw) == 0 || string(raw) == "null" || string(raw) == `""` {
		return json.RawMessage("{}"), nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(raw, &object); err != nil {
		return nil, err
	}
	return raw, nil
}
