package anthropic_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/engine/llm"
)

var weather = llm.ToolDef{Name: "weather", Schema: json.RawMessage(`{"type":"object"}`)}

func call(id, arguments string) llm.ToolCall {
	return llm.ToolCall{ID: id, Name: "weather", Arguments: json.RawMessage(arguments)}
}

const shape = `{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"string"}},"required":["z","a"],"additionalProperties":false}`

// The same answer comes as a stream and in one piece.
func TestAnswer_Answers(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		stream, whole string
		tools, schema bool
		want          llm.Response
		pieces        []string
	}{
		"text": {
			stream: said("end_turn", "Hel", "lo"), whole: message("end_turn", `{"type":"text","text":"Hello"}`),
			want: llm.Response{Text: "Hello", Finish: llm.FinishStop}, pieces: []string{"Hel", "lo"},
		},
		"a stop sequence": {
			stream: said("stop_sequence", "Hello"), whole: message("stop_sequence", `{"type":"text","text":"Hello"}`),
			want: llm.Response{Text: "Hello", Finish: llm.FinishStop}, pieces: []string{"Hello"},
		},
		"nothing": {
			stream: begun + ended("end_turn") + stopped, whole: message("end_turn", ``),
			want: llm.Response{Finish: llm.FinishStop},
		},
		"thoughts are no answer": {
			stream: begun + opened(0, `{"type":"thinking","thinking":"","signature":""}`) + delta(0, "thinking_delta", "thinking", "hm") +
				delta(0, "signature_delta", "signature", "c2ln") + closed(0) + opened(1, `{"type":"redacted_thinking","data":"eA=="}`) + closed(1) +
				opened(2, `{"type":"text","text":""}`) + text(2, "4") + closed(2) + ended("end_turn") + stopped,
			whole: message("end_turn", `{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"redacted_thinking","data":"eA=="},{"type":"text","text":"4"}`),
			want:  llm.Response{Text: "4", Finish: llm.FinishStop}, pieces: []string{"4"},
		},
		"kinds that are not known are passed over": {
			stream: begun + event(`{"type":"weather_report","index":0}`) + opened(0, `{"type":"music","notes":"cde"}`) + delta(0, "note_delta", "note", "f") + closed(0) +
				opened(1, `{"type":"text","text":"la"}`) + closed(1) + ended("end_turn") + stopped,
			whole: message("end_turn", `{"type":"music","notes":"cdef"},{"type":"text","text":"la"}`),
			want:  llm.Response{Text: "la", Finish: llm.FinishStop}, pieces: []string{"la"},
		},
		"a tool": {
			tools: true, stream: asked("weather", `{"at": "Rö`, `m"}`), whole: message("tool_use", `{"type":"tool_use","id":"toolu_1","name":"weather","input":{"at": "Röm"}}`),
			want: llm.Response{Finish: llm.FinishTools, Calls: []llm.ToolCall{call("toolu_1", `{"at": "Röm"}`)}},
		},
		"a tool without arguments": {
			tools: true, stream: asked("weather"), whole: message("tool_use", `{"type":"tool_use","id":"toolu_1","name":"weather","input":{}}`),
			want: llm.Response{Finish: llm.FinishTools, Calls: []llm.ToolCall{call("toolu_1", `{}`)}},
		},
		"arguments that come at once": {
			tools: true, stream: begun + opened(0, `{"type":"tool_use","id":"a","name":"weather","input":{"at":"Rome"}}`) + closed(0) + ended("end_turn") + stopped,
			whole: message("end_turn", `{"type":"tool_use","id":"a","name":"weather","input":{"at":"Rome"}}`),
			want:  llm.Response{Finish: llm.FinishTools, Calls: []llm.ToolCall{call("a", `{"at":"Rome"}`)}},
		},
		"interleaved": {
			tools: true,
			stream: begun + opened(0, `{"type":"text","text":""}`) + opened(1, `{"type":"tool_use","id":"a","name":"weather","input":{}}`) + text(0, "I ") +
				opened(2, `{"type":"tool_use","id":"b","name":"weather","input":{}}`) + input(2, `{"at":`) + input(1, `{"at":"R`) + text(0, "look.") +
				input(2, `"B"}`) + closed(2) + input(1, `ome"}`) + closed(0) + closed(1) + ended("tool_use") + stopped,
			whole: message("tool_use", `{"type":"text","text":"I look."},{"type":"tool_use","id":"a","name":"weather","input":{"at":"Rome"}},{"type":"tool_use","id":"b","name":"weather","input":{"at":"B"}}`),
			want:  llm.Response{Text: "I look.", Finish: llm.FinishTools, Calls: []llm.ToolCall{call("a", `{"at":"Rome"}`), call("b", `{"at":"B"}`)}}, pieces: []string{"I ", "look."},
		},
		"an answer to a schema": {
			schema: true, stream: asked("forge_answer", `{"z":`, `"1","a":"2"}`), whole: message("tool_use", `{"type":"tool_use","id":"toolu_1","name":"forge_answer","input":{"z":"1","a":"2"}}`),
			want: llm.Response{Text: `{"z":"1","a":"2"}`, Finish: llm.FinishStop}, pieces: []string{`{"z":`, `"1","a":"2"}`},
		},
		"text before an answer to a schema is no part of it": {
			schema: true,
			stream: begun + opened(0, `{"type":"text","text":"Here:"}`) + closed(0) + opened(1, `{"type":"tool_use","id":"a","name":"forge_answer","input":{}}`) +
				input(1, `{"z":"1"}`) + closed(1) + ended("tool_use") + stopped,
			whole: message("tool_use", `{"type":"text","text":"Here:"},{"type":"tool_use","id":"a","name":"forge_answer","input":{"z":"1"}}`),
			want:  llm.Response{Text: `{"z":"1"}`, Finish: llm.FinishStop}, pieces: []string{`{"z":"1"}`},
		},
		"an answer to a schema in text": {
			schema: true, stream: said("end_turn", `{"z":`, `"1"}`), whole: message("end_turn", `{"type":"text","text":"{\"z\":\"1\"}"}`),
			want: llm.Response{Text: `{"z":"1"}`, Finish: llm.FinishStop}, pieces: []string{`{"z":"1"}`},
		},
		"a tool instead of an answer to a schema": {
			tools: true, schema: true, stream: asked("weather", `{}`), whole: message("tool_use", `{"type":"tool_use","id":"toolu_1","name":"weather","input":{}}`),
			want: llm.Response{Finish: llm.FinishTools, Calls: []llm.ToolCall{call("toolu_1", `{}`)}},
		},
	}
	for name, test := range tests {
		for way, body := range map[string]string{"stream": test.stream, "whole": test.whole} {
			t.Run(name+" "+way, func(t *testing.T) {
				t.Parallel()
				want, shown := test.want, test.pieces
				want.Usage, want.Model = billed, "claude-x"
				if way == "whole" {
					shown = nil
				}
				r := ask("n")
				r.Whole = way == "whole"
				if test.tools {
					r.Tools = []llm.ToolDef{weather}
				}
				if test.schema {
					r.Schema = json.RawMessage(shape)
				}
				var pieces []string
				got, err := client(t, handled(t, sent(body)), old).Complete(t.Context(), r, func(piece string) { pieces = append(pieces, piece) })
				require.NoError(t, err)
				got.Latency = 0
				require.Empty(t, cmp.Diff(want, got))
				require.Equal(t, shown, pieces)
			})
		}
	}
}

// A complete response without an answer keeps its text.
func TestAnswer_NoAnswers(t *testing.T) {
	t.Parallel()
	tool := func(name, id, input string) string {
		return `{"type":"tool_use","id":"` + id + `","name":"` + name + `","input":` + input + `}`
	}
	const partial = `{"type":"text","text":"par"}`
	tests := map[string]struct {
		stream, whole string
		kind          llm.Kind
		finish        llm.FinishReason
		text, says    string
	}{
		"length":  {said("max_tokens", "par"), message("max_tokens", partial), llm.KindLength, llm.FinishLength, "par", "limit of its length"},
		"window":  {said("model_context_window_exceeded", "par"), message("model_context_window_exceeded", partial), llm.KindOverflow, llm.FinishLength, "par", "longer than"},
		"refusal": {said("refusal", "par"), message("refusal", partial), llm.KindRefused, llm.FinishRefusal, "par", "declined"},
		"refusal with a reason": {
			begun + event(`{"type":"message_delta","delta":{"stop_reason":"refusal","stop_details":{"type":"refusal","category":"cyber","explanation":"no `+key+`"}},"usage":{}}`) + stopped,
			strings.Replace(message("refusal", ""), `"stop_sequence":null`, `"stop_details":{"type":"refusal","category":"cyber","explanation":"no `+key+`"}`, 1),
			llm.KindRefused, llm.FinishRefusal, "", "declined: no [key]",
		},
		"pause":   {said("pause_turn", "par"), message("pause_turn", partial), llm.KindInvalid, "", "par", `"pause_turn"`},
		"unknown": {said("tired", "par"), message("tired", partial), llm.KindInvalid, "", "par", `"tired"`},
		"length within a call": {
			begun + opened(0, `{"type":"tool_use","id":"a","name":"weather","input":{}}`) + input(0, `{"at":`) + closed(0) + ended("max_tokens") + stopped,
			message("max_tokens", tool("weather", "a", `{}`)), llm.KindLength, llm.FinishLength, "", "limit of its length",
		},
		"a tool that was not offered": {asked("rm", `{}`), message("tool_use", tool("rm", "a", `{}`)), llm.KindInvalid, llm.FinishTools, "", `not offered: "rm"`},
		"arguments in a list":         {asked("weather", `[1]`), message("tool_use", tool("weather", "a", `[1]`)), llm.KindInvalid, llm.FinishTools, "", "not a JSON object"},
		"arguments as text":           {asked("weather", `"x"`), message("tool_use", tool("weather", "a", `"x"`)), llm.KindInvalid, llm.FinishTools, "", "not a JSON object"},
		"a call without an id":        {strings.ReplaceAll(asked("weather", `{}`), "toolu_1", ""), message("tool_use", tool("weather", "", `{}`)), llm.KindInvalid, llm.FinishTools, "", "without an id"},
		"two calls with one id": {
			begun + opened(0, tool("weather", "a", "{}")) + closed(0) + opened(1, tool("weather", "a", "{}")) + closed(1) + ended("tool_use") + stopped,
			message("tool_use", tool("weather", "a", `{}`)+","+tool("weather", "a", `{}`)), llm.KindInvalid, llm.FinishTools, "", "without an id",
		},
		"no call at all": {said("tool_use", "par"), message("tool_use", partial), llm.KindInvalid, llm.FinishStop, "par", "made none"},
		"two answers": {
			begun + opened(0, tool("forge_answer", "a", `{"z":1}`)) + closed(0) + opened(1, tool("forge_answer", "b", "{}")) + closed(1) + ended("tool_use") + stopped,
			message("tool_use", tool("forge_answer", "a", `{"z":1}`)+","+tool("forge_answer", "b", `{}`)), llm.KindInvalid, llm.FinishStop, `{"z":1}`, "2 answers",
		},
	}
	for name, test := range tests {
		for way, body := range map[string]string{"stream": test.stream, "whole": test.whole} {
			t.Run(name+" "+way, func(t *testing.T) {
				t.Parallel()
				r := ask("n")
				r.Whole, r.Tools = way == "whole", []llm.ToolDef{weather}
				got, err := client(t, handled(t, sent(body)), old).Complete(t.Context(), r, nil)
				failed := failure(t, err)
				require.Equal(t, test.kind, failed.Kind, "%v", err)
				require.ErrorContains(t, err, test.says)
				require.Equal(t, test.finish, got.Finish)
				require.Equal(t, test.text, got.Text)
				require.Equal(t, test.finish == llm.FinishTools, len(got.Calls) > 0)
				require.Equal(t, 12, got.Usage.Input, "what was billed is known")
			})
		}
	}
}
