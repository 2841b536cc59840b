package openai_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"forge/engine/llm"
	"forge/engine/llm/llmtest"
)

// offering asks with two tools on offer.
func offering(use string) llm.Request {
	r := ask("n")
	r.UseTool = use
	r.Tools = []llm.ToolDef{
		{Name: "read_file", Description: "Reads a file.", Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)},
		{Name: "list_files", Schema: json.RawMessage(`{"type":"object"}`)},
	}
	return r
}

func called(id, name, arguments string) llm.ToolCall {
	return llm.ToolCall{ID: id, Name: name, Arguments: json.RawMessage(arguments)}
}

// asksFor is a chunk with pieces of calls.
func asksFor(pieces ...string) string {
	return `{"choices":[{"delta":{"tool_calls":[` + strings.Join(pieces, ",") + `]}}]}`
}

const endTools = `{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}`

func TestCalls_OfAStream(t *testing.T) {
	t.Parallel()
	const stop = `{"choices":[{"delta":{},"finish_reason":"stop"}]}`
	tests := map[string]struct {
		events []string
		use    string
		want   []llm.ToolCall
		kind   llm.Kind // empty: an answer
		says   string
	}{
		"as OpenAI sends one": {events: []string{
			asksFor(`{"index":0,"id":"a","type":"function","function":{"name":"read_file","arguments":""}}`),
			asksFor(`{"index":0,"function":{"arguments":"{\"path\":"}}`), asksFor(`{"index":0,"function":{"arguments":"\"x\"}"}}`), endTools,
		}, want: []llm.ToolCall{called("a", "read_file", `{"path":"x"}`)}},
		"interleaved": {events: []string{
			asksFor(`{"index":0,"id":"a","function":{"name":"read_file"}}`), asksFor(`{"index":1,"id":"b","function":{"name":"list_files"}}`),
			asksFor(`{"index":1,"function":{"arguments":"{\"k\""}}`, `{"index":0,"function":{"arguments":"{\"p\":"}}`),
			asksFor(`{"index":0,"function":{"arguments":"1}"}}`), asksFor(`{"index":1,"function":{"arguments":":2}"}}`), endTools,
		}, want: []llm.ToolCall{called("a", "read_file", `{"p":1}`), called("b", "list_files", `{"k":2}`)}},
		"the second first": {events: []string{
			asksFor(`{"index":1,"id":"b","function":{"name":"list_files","arguments":"{}"}}`), asksFor(`{"index":0,"id":"a","function":{"name":"read_file","arguments":"{}"}}`), endTools,
		}, want: []llm.ToolCall{called("a", "read_file", `{}`), called("b", "list_files", `{}`)}},
		"whole, without an index": {events: []string{
			asksFor(`{"id":"a","function":{"name":"read_file","arguments":"{}"}}`, `{"id":"b","function":{"name":"read_file","arguments":"{}"}}`), endTools,
		}, want: []llm.ToolCall{called("a", "read_file", `{}`), called("b", "read_file", `{}`)}},
		"all of them number 0": {events: []string{
			asksFor(`{"index":0,"id":"a","function":{"name":"read_file","arguments":"{}"}}`), asksFor(`{"index":0,"id":"b","function":{"name":"list_files","arguments":"{"}}`),
			asksFor(`{"index":0,"function":{"arguments":"}"}}`), endTools,
		}, want: []llm.ToolCall{called("a", "read_file", `{}`), called("b", "list_files", `{}`)}},
		"name and id in every piece": {events: []string{
			asksFor(`{"index":0,"id":"a","function":{"name":"read_file","arguments":"{"}}`), asksFor(`{"index":0,"id":"a","function":{"name":"read_file","arguments":"}"}}`), endTools,
		}, want: []llm.ToolCall{called("a", "read_file", `{}`)}},
		"no arguments": {events: []string{asksFor(`{"index":0,"id":"a","function":{"name":"list_files","arguments":""}}`), endTools},
			want: []llm.ToolCall{called("a", "list_files", `{}`)}},
		"arguments as an object": {events: []string{asksFor(`{"index":0,"id":"a","function":{"name":"list_files","arguments":{"a":1}}}`), endTools},
			want: []llm.ToolCall{called("a", "list_files", `{"a":1}`)}},
		"a local server's stop": {events: []string{asksFor(`{"index":0,"id":"a","function":{"name":"list_files","arguments":"{}"}}`), stop},
			want: []llm.ToolCall{called("a", "list_files", `{}`)}},
		"the one that it must": {use: "list_files", events: []string{asksFor(`{"index":0,"id":"a","function":{"name":"list_files","arguments":"{}"}}`), endTools},
			want: []llm.ToolCall{called("a", "list_files", `{}`)}},

		"unknown":                   {events: []string{asksFor(`{"index":0,"id":"a","function":{"name":"rm","arguments":"{}"}}`), endTools}, kind: llm.KindInvalid, says: `that it was not offered: "rm"`},
		"no name":                   {events: []string{asksFor(`{"index":0,"id":"a","function":{"arguments":"{}"}}`), endTools}, kind: llm.KindInvalid, says: `that it was not offered`},
		"no id":                     {events: []string{asksFor(`{"index":0,"function":{"name":"read_file","arguments":"{}"}}`), endTools}, kind: llm.KindInvalid, says: `"read_file" has no id`},
		"the same id":               {events: []string{asksFor(`{"index":0,"id":"a","function":{"name":"read_file"}}`, `{"index":1,"id":"a","function":{"name":"read_file"}}`), endTools}, kind: llm.KindInvalid, says: "the same id"},
		"cut arguments":             {events: []string{asksFor(`{"index":0,"id":"a","function":{"name":"read_file","arguments":"{\"path\":"}}`), endTools}, kind: llm.KindInvalid, says: "not one JSON object"},
		"two objects":               {events: []string{asksFor(`{"index":0,"id":"a","function":{"name":"read_file","arguments":"{}{}"}}`), endTools}, kind: llm.KindInvalid, says: "not one JSON object"},
		"a list":                    {events: []string{asksFor(`{"index":0,"id":"a","function":{"name":"read_file","arguments":"[]"}}`), endTools}, kind: llm.KindInvalid, says: "not one JSON object"},
		"arguments of no type":      {events: []string{asksFor(`{"index":0,"id":"a","function":{"name":"read_file","arguments":7}}`), endTools}, kind: llm.KindInvalid, says: "invalid value"},
		"the end without a call":    {events: []string{endTools}, kind: llm.KindInvalid, says: "asks for no tool"},
		"no end":                    {events: []string{asksFor(`{"index":0,"id":"a","function":{"name":"read_file","arguments":"{}"}}`), "[DONE]"}, kind: llm.KindTruncated, says: "broke off"},
		"too long":                  {events: []string{asksFor(`{"index":0,"id":"a","function":{"name":"read_file","arguments":"{}"}}`), `{"choices":[{"delta":{},"finish_reason":"length"}]}`}, kind: llm.KindLength, says: "limit"},
		"a call behind the end":     {events: []string{stop, asksFor(`{"index":0,"id":"a","function":{"name":"read_file","arguments":"{}"}}`)}, kind: llm.KindInvalid, says: "followed the end"},
		"text where it must call":   {use: llm.AnyTool, events: []string{`{"choices":[{"delta":{"content":"no"},"finish_reason":"stop"}]}`}, kind: llm.KindInvalid, says: "was to ask for a tool"},
		"another than it must":      {use: "read_file", events: []string{asksFor(`{"index":0,"id":"a","function":{"name":"list_files","arguments":"{}"}}`), endTools}, kind: llm.KindInvalid, says: "and asked for list_files"},
		"control codes in a name":   {events: []string{asksFor(`{"index":0,"id":"a","function":{"name":"\u001b[2J","arguments":"{}"}}`), endTools}, kind: llm.KindInvalid, says: `"\x1b[2J"`},
		"the key for an argument":   {events: []string{asksFor(`{"index":0,"id":"a","function":{"name":"` + key + `","arguments":"{}"}}`), endTools}, kind: llm.KindInvalid, says: `"[key]"`},
		"a name that goes for ever": {events: []string{asksFor(`{"index":0,"id":"a","function":{"name":"` + strings.Repeat("x", 1<<20) + `"}}`), endTools}, kind: llm.KindInvalid, says: `xxx"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response, err := client(t, handled(t, chunks(test.events...))).Complete(t.Context(), offering(test.use), nil)
			if test.kind != "" {
				require.Equal(t, test.kind, failure(t, err).Kind, "%v", err)
				require.ErrorContains(t, err, test.says)
				require.Empty(t, response.Calls)
				require.NotEqual(t, llm.FinishTools, response.Finish, "there are no calls")
				require.Less(t, len(err.Error()), 400)
				return
			}
			require.NoError(t, err)
			require.Equal(t, llm.FinishTools, response.Finish)
			require.Empty(t, cmp.Diff(test.want, response.Calls))
		})
	}
}

// TestCalls_RejectsAToolThatWasNotOffered is the negative twin of the calls above: the same answer, to a request without tools.
func TestCalls_RejectsAToolThatWasNotOffered(t *testing.T) {
	t.Parallel()
	base := handled(t, chunks(asksFor(`{"index":0,"id":"a","function":{"name":"read_file","arguments":"{}"}}`), endTools))
	_, err := client(t, base).Complete(t.Context(), ask("n"), nil)
	require.Equal(t, llm.KindInvalid, failure(t, err).Kind)
}

// TestCalls_DoNotDependOnHowTheyAreCut puts random calls into random pieces in a random order: what comes out is what
// went in, however it travelled.
func TestCalls_DoNotDependOnHowTheyAreCut(t *testing.T) {
	t.Parallel()
	var events []string
	base := handled(t, func(w http.ResponseWriter, r *http.Request) { chunks(events...)(w, r) })
	c := client(t, base)
	rapid.Check(t, func(rt *rapid.T) {
		var want []llm.ToolCall
		var queues [][]string
		for i := range rapid.IntRange(1, 4).Draw(rt, "calls") {
			value, err := json.Marshal(rapid.String().Draw(rt, "value"))
			require.NoError(t, err)
			call := called(fmt.Sprint("id", i), rapid.SampledFrom([]string{"read_file", "list_files"}).Draw(rt, "name"), `{"path":`+string(value)+`}`)
			want = append(want, call)
			queues = append(queues, inPieces(rt, i, call))
		}
		events = nil
		for len(queues) > 0 {
			at := rapid.IntRange(0, len(queues)-1).Draw(rt, "next")
			events = append(events, asksFor(queues[at][0]))
			if queues[at] = queues[at][1:]; len(queues[at]) == 0 {
				queues = slices.Delete(queues, at, at+1)
			}
		}
		events = append(events, endTools)
		response, err := c.Complete(t.Context(), offering(""), nil)
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(want, response.Calls))
	})
}

// inPieces cuts a call at random characters.
func inPieces(rt *rapid.T, index int, call llm.ToolCall) []string {
	pieces := []string{fmt.Sprintf(`{"index":%d,"id":%q,"function":{"name":%q}}`, index, call.ID, call.Name)}
	for rest := []rune(string(call.Arguments)); len(rest) > 0; {
		n := rapid.IntRange(1, len(rest)).Draw(rt, "cut")
		text, _ := json.Marshal(string(rest[:n]))
		pieces = append(pieces, fmt.Sprintf(`{"index":%d,"function":{"arguments":%s}}`, index, text))
		rest = rest[n:]
	}
	return pieces
}

func TestCalls_ToolsOnTheWire(t *testing.T) {
	t.Parallel()
	for use, choice := range map[string]string{
		"": "", llm.AnyTool: `"required"`, "read_file": `{"type":"function","function":{"name":"read_file"}}`,
	} {
		r := offering(use)
		r.Messages = append(r.Messages,
			llm.Message{Role: llm.Assistant, Calls: []llm.ToolCall{called("a", "read_file", `{"path":"x"}`), called("b", "list_files", "")}},
			llm.Message{Role: llm.Tool, CallID: "a", Text: ""},
			llm.Message{Role: llm.Tool, CallID: "b", Text: "not there", Failed: true},
			llm.Message{Role: llm.Assistant, Text: "Hm.", Calls: []llm.ToolCall{called("c", "list_files", "{}")}},
			llm.Message{Role: llm.Tool, CallID: "c", Text: "go.mod"})
		got := arrived(t, r)
		require.JSONEq(t, `[
			{"type":"function","function":{"name":"read_file","description":"Reads a file.","parameters":{"type":"object","properties":{"path":{"type":"string"}}}}},
			{"type":"function","function":{"name":"list_files","parameters":{"type":"object"}}}]`, string(got.body["tools"]))
		require.JSONEq(t, `[
			{"role":"user","content":"Hello?"},
			{"role":"assistant","content":null,"tool_calls":[
				{"id":"a","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"x\"}"}},
				{"id":"b","type":"function","function":{"name":"list_files","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":"a","content":""},
			{"role":"tool","tool_call_id":"b","content":"Error: not there"},
			{"role":"assistant","content":"Hm.","tool_calls":[{"id":"c","type":"function","function":{"name":"list_files","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":"c","content":"go.mod"}]`, string(got.body["messages"]))
		if choice == "" {
			require.NotContains(t, got.body, "tool_choice")
			continue
		}
		require.JSONEq(t, choice, string(got.body["tool_choice"]))
	}
}

// TestCalls_ScriptedToolsBothWays asks the scripted server for tools as a stream and whole: it speaks the format on its own
// account, and is asked to make every fault of it.
func TestCalls_ScriptedToolsBothWays(t *testing.T) {
	t.Parallel()
	two := []llmtest.ToolCall{{Name: "read_file", Arguments: map[string]any{"path": "slug.go"}}, {Name: "list_files"}}
	tests := map[string]struct {
		reply llmtest.Reply
		names []string
		kind  llm.Kind
	}{
		"two":                  {llmtest.Reply{ToolCalls: two}, []string{"read_file", "list_files"}, ""},
		"two in turns":         {llmtest.Reply{ToolCalls: two, Wire: llmtest.Wire{Interleave: true}}, []string{"read_file", "list_files"}, ""},
		"behind text":          {llmtest.Reply{Text: "Let me see.", ToolCalls: two[:1]}, []string{"read_file"}, ""},
		"behind thoughts":      {llmtest.Reply{Thinking: "Hm, {", ToolCalls: two[:1]}, []string{"read_file"}, ""},
		"with a word for stop": {llmtest.Reply{Finish: "stop", ToolCalls: two[:1]}, []string{"read_file"}, ""},
		"unknown":              {llmtest.Reply{ToolCalls: []llmtest.ToolCall{{Name: "rm"}}}, nil, llm.KindInvalid},
		"no JSON":              {llmtest.Reply{ToolCalls: []llmtest.ToolCall{{Name: "read_file", Raw: `{"path":`}}}, nil, llm.KindInvalid},
	}
	for name, test := range tests {
		for _, whole := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/whole %t", name, whole), func(t *testing.T) {
				t.Parallel()
				_, base := scripted(t, llmtest.Entry{Reply: &test.reply})
				r := offering("")
				r.Whole = whole
				var shown strings.Builder
				response, err := client(t, base).Complete(t.Context(), r, func(piece string) { shown.WriteString(piece) })
				if test.kind != "" {
					require.Equal(t, test.kind, failure(t, err).Kind)
					require.Empty(t, response.Calls)
					return
				}
				require.NoError(t, err)
				var names []string
				for _, call := range response.Calls {
					require.NotEmpty(t, call.ID)
					names = append(names, call.Name)
				}
				require.Equal(t, test.names, names)
				require.Equal(t, test.reply.Text, response.Text)
				if whole {
					require.Empty(t, shown.String())
				} else {
					require.Equal(t, test.reply.Text, shown.String())
				}
			})
		}
	}
}
