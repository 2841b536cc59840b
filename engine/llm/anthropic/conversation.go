package anthropic

import (
	"bytes"
	"encoding/json"

	api "github.com/anthropics/anthropic-sdk-go"

	"forge/engine/llm"
)

// maxMarks is the provider's limit of cache marks in a request.
const maxMarks = 4

// conversation separates the messages into the system's text, which the API wants apart, and the turns of both sides;
// consecutive messages of one side become one turn. It omits empty text, which the API rejects.
//
// The provider caches everything up to a mark: tools, then the system's text, then turns. So the end of each stable
// message is marked, and tools need no mark.
func conversation(messages []llm.Message) (system []api.TextBlockParam, turns []api.MessageParam) {
	spare := stable(messages) - maxMarks
	for _, m := range messages {
		mark := false
		if m.Stable {
			mark = spare <= 0 // of too many, keep the last ones, which include the earlier ones
			spare--
		}
		if m.Role == llm.System {
			system = appendText(system, m.Text, mark)
			continue
		}
		turns = appendTurn(turns, roleOf(m), blocks(m, mark))
	}
	return system, turns
}

func stable(messages []llm.Message) (count int) {
	for _, m := range messages {
		if m.Stable {
			count++
		}
	}
	return count
}

func appendText(system []api.TextBlockParam, text string, mark bool) []api.TextBlockParam {
	if text == "" {
		return system
	}
	block := api.TextBlockParam{Text: text}
	if mark {
		block.CacheControl = api.NewCacheControlEphemeralParam()
	}
	return append(system, block)
}

func appendTurn(turns []api.MessageParam, role api.MessageParamRole, blocks []api.ContentBlockParamUnion) []api.MessageParam {
	if len(blocks) == 0 {
		return turns
	}
	if last := len(turns) - 1; last >= 0 && turns[last].Role == role {
		turns[last].Content = append(turns[last].Content, blocks...)
		return turns
	}
	return append(turns, api.MessageParam{Role: role, Content: blocks})
}

// roleOf returns the side of a message: results of tools go to the model.
func roleOf(m llm.Message) api.MessageParamRole {
	if m.Role == llm.Assistant {
		return api.MessageParamRoleAssistant
	}
	return api.MessageParamRoleUser
}

func blocks(m llm.Message, mark bool) []api.ContentBlockParamUnion {
	var all []api.ContentBlockParamUnion
	switch {
	case m.Role == llm.Tool:
		all = append(all, result(m))
	case m.Text != "":
		all = append(all, api.NewTextBlock(m.Text))
	}
	for _, call := range m.Calls {
		arguments := call.Arguments
		if len(bytes.TrimSpace(arguments)) == 0 {
			arguments = json.RawMessage(`{}`)
		}
		all = append(all, api.NewToolUseBlock(call.ID, arguments, call.Name))
	}
	if mark && len(all) > 0 {
		*all[len(all)-1].GetCacheControl() = api.NewCacheControlEphemeralParam()
	}
	return all
}

func result(m llm.Message) api.ContentBlockParamUnion {
	block := api.ToolResultBlockParam{ToolUseID: m.CallID}
	if m.Text != "" {
		block.Content = []api.ToolResultBlockParamContentUnion{{OfText: &api.TextBlockParam{Text: m.Text}}}
	}
	if m.Failed {
		block.IsError = api.Bool(true)
	}
	return api.ContentBlockParamUnion{OfToolResult: &block}
}
