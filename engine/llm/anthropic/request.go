package anthropic

import (
	"encoding/json"
	"slices"

	api "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"forge/engine/llm"
	"forge/engine/llm/wire"
)

const (
	usualTokens = 4096 // the default limit of an answer
	leastBudget = 1024 // the API's minimum of thinking tokens
)

// answerTool is the name of the tool whose input is the answer. It is the same for every schema, so that the
// answer is also found in a batch, without the request.
const answerTool = "forge_answer"

// params converts a request to the library's form.
func (f family) params(model string, r llm.Request) (api.MessageNewParams, error) {
	if err := check(r); err != nil {
		return api.MessageNewParams{}, err
	}
	limit := int64(usualTokens)
	if r.MaxTokens > 0 {
		limit = int64(r.MaxTokens)
	}
	params := api.MessageNewParams{Model: model, MaxTokens: limit}
	params.System, params.Messages = conversation(r.Messages)
	params.Tools, params.ToolChoice = f.tools(r)
	if r.Schema != nil && f.format {
		params.OutputConfig.Format = format(r.Schema)
	}
	thinks := f.think(&params, r)
	if f.temperature && !r.OwnTemperature && !thinks {
		params.Temperature = api.Float(r.Temperature)
	}
	f.bound(&params)
	return params, nil
}

// bound keeps to the largest limit of the model. Thoughts of a budget leave half of it to the answer.
func (f family) bound(params *api.MessageNewParams) {
	if f.most <= 0 || params.MaxTokens <= f.most {
		return
	}
	params.MaxTokens = f.most
	if enabled := params.Thinking.OfEnabled; enabled != nil {
		enabled.BudgetTokens = min(enabled.BudgetTokens, f.most/2)
	}
}

// think sets whether, and how much, the model may think, and reports it. Its tokens are added to those of the answer.
func (f family) think(params *api.MessageNewParams, r llm.Request) bool {
	forced := params.ToolChoice.OfAny != nil || params.ToolChoice.OfTool != nil
	switch {
	case r.Thinking <= 0, forced, !f.adaptive && callsTools(r.Messages):
		f.rest(params)
		return f.calm == calmNever
	case f.adaptive:
		params.Thinking.OfAdaptive = &api.ThinkingConfigAdaptiveParam{}
		params.OutputConfig.Effort = effort(r.Thinking)
		params.MaxTokens += int64(r.Thinking)
	default:
		budget := int64(max(r.Thinking, leastBudget))
		params.Thinking = api.ThinkingConfigParamOfEnabled(budget)
		params.MaxTokens += budget
	}
	return true
}

// rest keeps the model from thinking.
func (f family) rest(params *api.MessageNewParams) {
	switch f.calm {
	case calmDisabled:
		params.Thinking.OfDisabled = &api.ThinkingConfigDisabledParam{}
	case calmBetweenTools:
		params.Thinking.OfBetweenTools = &api.ThinkingConfigBetweenToolsParam{}
	case calmNever:
		params.OutputConfig.Effort = api.OutputConfigEffortLow
	}
}

// effort returns the level nearest to a budget of tokens.
func effort(budget int) api.OutputConfigEffort {
	switch {
	case budget <= 2*leastBudget:
		return api.OutputConfigEffortLow
	case budget <= 8*leastBudget:
		return api.OutputConfigEffortMedium
	default:
		return api.OutputConfigEffortHigh
	}
}

func callsTools(messages []llm.Message) bool {
	return slices.ContainsFunc(messages, func(m llm.Message) bool { return len(m.Calls) > 0 })
}

// tools returns the tools that the model may, or must, call. The answer tool is last, so that the provider's
// cache of the others stays valid.
func (f family) tools(r llm.Request) ([]api.ToolUnionParam, api.ToolChoiceUnionParam) {
	answers := f.answersByTool(r)
	var tools []api.ToolUnionParam
	for _, tool := range r.Tools {
		if f.forces || r.UseTool == "" || r.UseTool == llm.AnyTool || r.UseTool == tool.Name {
			tools = append(tools, define(tool))
		}
	}
	if answers {
		tools = append(tools, define(llm.ToolDef{
			Name: answerTool, Schema: r.Schema,
			Description: "Gives your answer" + called(r.SchemaName) + ": its input is all that will be read.",
		}))
	}
	return tools, f.choice(r, answers)
}

func (f family) choice(r llm.Request, answers bool) (choice api.ToolChoiceUnionParam) {
	switch {
	case !f.forces:
	case r.UseTool == llm.AnyTool, r.UseTool == "" && answers && len(r.Tools) > 0 && r.Thinking <= 0:
		choice.OfAny = &api.ToolChoiceAnyParam{}
	case r.UseTool != "":
		choice = api.ToolChoiceParamOfTool(r.UseTool)
	case answers && r.Thinking <= 0:
		choice = api.ToolChoiceParamOfTool(answerTool)
		choice.OfTool.DisableParallelToolUse = api.Bool(true)
	}
	return choice
}

// answersByTool reports whether the answer to a request is the input of a tool.
func (f family) answersByTool(r llm.Request) bool { return r.Schema != nil && !f.format }

func called(name string) string {
	if name == "" {
		return ""
	}
	return " (" + name + ")"
}

// define passes on a schema unchanged: models write properties in its order.
func define(tool llm.ToolDef) api.ToolUnionParam {
	schema := tool.Schema
	if len(schema) == 0 {
		schema = json.RawMessage(`{"type":"object"}`)
	}
	defined := api.ToolParam{Name: tool.Name, InputSchema: param.Override[api.ToolInputSchemaParam](schema)}
	if tool.Description != "" {
		defined.Description = api.String(tool.Description)
	}
	return api.ToolUnionParam{OfTool: &defined}
}

func format(schema json.RawMessage) api.JSONOutputFormatParam {
	form := append(append([]byte(`{"type":"json_schema","schema":`), schema...), '}')
	return param.Override[api.JSONOutputFormatParam](json.RawMessage(form))
}

// check rejects what cannot be encoded as JSON, before the server is blamed.
func check(r llm.Request) error {
	if r.Schema != nil && !json.Valid(r.Schema) {
		return wire.Malformed("the schema of the answer is not JSON")
	}
	for _, tool := range r.Tools {
		if len(tool.Schema) > 0 && !isObject(tool.Schema) {
			return wire.Malformed("the schema of the tool %q is not a JSON object", tool.Name)
		}
		if tool.Name == answerTool {
			return wire.Malformed("a tool may not be called %q: answers are given by that name", answerTool)
		}
	}
	for _, m := range r.Messages {
		for _, call := range m.Calls {
			if len(call.Arguments) > 0 && !isObject(call.Arguments) {
				return wire.Malformed("the arguments of the call of %q are not a JSON object", call.Name)
			}
		}
	}
	return nil
}
