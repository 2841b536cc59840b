package ollama_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/engine/llm"
)

// calling is a chunk in which the model asks for tools.
func calling(calls ...string) string {
	return `{"message":{"role":"assistant","content":"","tool_calls":[` + strings.Join(calls, ",") + `]},"done":false}`
}

func call(id, name, arguments string) string {
	return `{"id":"` + id + `","function":{"name":"` + name + `","arguments":` + arguments + `}}`
}

func withTools(use string, names ...string) llm.Request {
	r := ask("n")
	r.UseTool = use
	for _, name := range names {
		r.Tools = append(r.Tools, llm.ToolDef{Name: name, Schema: json.RawMessage(`{"type":"object"}`)})
	}
	return r
}

func TestTools_ToolCalls(t *testing.T) {
	t.Parallel()
	before := withTools("", "look")
	before.Messages = append(before.Messages, llm.Message{Role: llm.Assistant, Calls: []llm.ToolCall{{ID: "call_0", Name: "look"}}},
		llm.Message{Role: llm.Tool, CallID: "call_0", Text: "x"})
	tests := map[string]struct {
		request llm.Request
		chunks  []string
		want    []llm.ToolCall
		fails   string
	}{
		"with an id":        {withTools("", "look"), []string{calling(call("x1", "look", `{"n":1}`)), end}, []llm.ToolCall{{ID: "x1", Name: "look", Arguments: []byte(`{"n":1}`)}}, ""},
		"in the last chunk": {withTools("", "look"), []string{strings.Replace(calling(call("x", "look", `{}`)), `"done":false`, `"done":true,"done_reason":"stop"`, 1)}, []llm.ToolCall{{ID: "x", Name: "look", Arguments: []byte(`{}`)}}, ""},
		"two without ids, in two chunks": {
			withTools("", "look", "touch"), []string{calling(call("", "look", `{}`)), calling(call("", "touch", `{}`)), end},
			[]llm.ToolCall{{ID: "call_0", Name: "look", Arguments: []byte(`{}`)}, {ID: "call_1", Name: "touch", Arguments: []byte(`{}`)}}, "",
		},
		"an id that was there before": {before, []string{calling(call("call_0", "look", `{}`)), end}, []llm.ToolCall{{ID: "call_1", Name: "look", Arguments: []byte(`{}`)}}, ""},
		"the same id twice": {
			withTools("", "look"), []string{calling(call("x", "look", `{}`), call("x", "look", `{}`)), end},
			[]llm.ToolCall{{ID: "x", Name: "look", Arguments: []byte(`{}`)}, {ID: "call_1", Name: "look", Arguments: []byte(`{}`)}}, "",
		},
		"arguments in a string": {withTools("", "look"), []string{calling(call("x", "look", `"{\"n\":1}"`)), end}, []llm.ToolCall{{ID: "x", Name: "look", Arguments: []byte(`{"n":1}`)}}, ""},
		"no arguments":          {withTools("", "look"), []string{calling(call("x", "look", `null`)), end}, []llm.ToolCall{{ID: "x", Name: "look", Arguments: []byte(`{}`)}}, ""},
		"empty arguments":       {withTools("", "look"), []string{calling(call("x", "look", `""`)), end}, []llm.ToolCall{{ID: "x", Name: "look", Arguments: []byte(`{}`)}}, ""},
		"none":                  {withTools("", "look"), []string{said("no need"), end}, nil, ""},
		"the one to use":        {withTools("look", "look", "touch"), []string{calling(call("x", "look", `{}`)), end}, []llm.ToolCall{{ID: "x", Name: "look", Arguments: []byte(`{}`)}}, ""},
		"any":                   {withTools(llm.AnyTool, "look", "touch"), []string{calling(call("x", "touch", `{}`)), end}, []llm.ToolCall{{ID: "x", Name: "touch", Arguments: []byte(`{}`)}}, ""},

		"arguments in a list":          {withTools("", "look"), []string{calling(call("x", "look", `[1]`)), end}, nil, "arguments that are not one JSON object"},
		"arguments in prose":           {withTools("", "look"), []string{calling(call("x", "look", `"n is 1"`)), end}, nil, "arguments that are not one JSON object"},
		"two objects":                  {withTools("", "look"), []string{calling(call("x", "look", `"{} {}"`)), end}, nil, "arguments that are not one JSON object"},
		"an unknown tool":              {withTools("", "look"), []string{calling(call("x", "smell", `{}`)), end}, nil, `not offered: "smell"`},
		"a tool where none was there":  {ask("n"), []string{calling(call("x", "look", `{}`)), end}, nil, `not offered: "look"`},
		"another one than that to use": {withTools("look", "look", "touch"), []string{calling(call("x", "touch", `{}`)), end}, nil, `not offered: "touch"`},
		"none where one was to be":     {withTools(llm.AnyTool, "look"), []string{said("no"), end}, nil, "was to use a tool"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response, err := client(t, serve(t, lines(test.chunks...))).Complete(t.Context(), test.request, nil)
			if test.fails != "" {
				require.Equal(t, llm.KindInvalid, failure(t, err).Kind)
				require.ErrorContains(t, err, test.fails)
				require.Empty(t, response.Calls)
				require.NotEqual(t, llm.FinishTools, response.Finish)
				return
			}
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(test.want, response.Calls))
			require.Equal(t, len(test.want) > 0, response.Finish == llm.FinishTools)
		})
	}
}

func TestTools_ACutAskForAToolIsNone(t *testing.T) {
	t.Parallel()
	long := strings.Replace(end, `"stop"`, `"length"`, 1)
	response, err := client(t, serve(t, lines(calling(call("x", "look", `{}`)), long))).Complete(t.Context(), withTools("", "look"), nil)
	require.Equal(t, llm.KindLength, failure(t, err).Kind)
	require.Empty(t, response.Calls)
	require.Equal(t, llm.FinishLength, response.Finish)
}
