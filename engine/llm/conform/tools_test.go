package conform_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"forge/engine/llm"
	"forge/engine/llm/llmtest"
)

// Checks of tool calls.
var toolChecks = []check{
	{name: "tools arrive", needs: []Ability{Tools}, run: checkToolsArrive},
	{name: "one tool call", needs: []Ability{Tools}, run: checkOneCall},
	{name: "several tool calls", needs: []Ability{Tools}, run: func(t *trial) error { return t.severalCalls(llmtest.Wire{}) }},
	{name: "interleaved tool calls", needs: []Ability{Tools}, run: func(t *trial) error { return t.severalCalls(llmtest.Wire{Interleave: true}) }},
	{name: "tool call without arguments", needs: []Ability{Tools}, run: checkNoArguments},
	{name: "unknown tool", needs: []Ability{Tools}, run: func(t *trial) error {
		return t.badCall(llmtest.ToolCall{Name: "format_disk", Arguments: map[string]any{}})
	}},
	{name: "malformed arguments", needs: []Ability{Tools}, run: checkMalformedArguments},
	{name: "results of tools arrive", needs: []Ability{Tools}, run: checkResults},
	{name: "tool choice arrives", needs: []Ability{Tools, ToolChoice}, run: checkToolChoice},
	{name: "tool calls cut short", needs: []Ability{Tools}, run: checkCallsCutShort},
}

// tooled is a request with two tools.
func tooled() llm.Request {
	r := hello()
	schema := []byte(`{"type":"object","properties":{"query":{"type":"string"}},"required":[],"additionalProperties":false}`)
	r.Tools = []llm.ToolDef{
		{Name: "search", Description: "Finds “files” by words.", Schema: schema}, {Name: "read_file", Description: "Reads a file.", Schema: schema},
	}
	return r
}

func checkToolsArrive(t *trial) error {
	r := tooled()
	_, got, answer, err := t.arrives(r, llmtest.Reply{Text: "no tool is needed"})
	if err != nil {
		return err
	}
	if err := t.answered(answer, "no tool is needed"); err != nil {
		return err
	}
	if len(got.Tools) != len(r.Tools) {
		return fmt.Errorf("%d tools arrive of %d", len(got.Tools), len(r.Tools))
	}
	for i, want := range r.Tools {
		tool := got.Tools[i]
		if tool.Name != want.Name || tool.Description != want.Description || !sameSchema(want.Schema, tool.Schema) {
			return fmt.Errorf("the tool %+v arrives as %+v", want, tool)
		}
	}
	return nil
}

// sameSchema compares two schemas of objects; an empty list of required properties may be omitted.
func sameSchema(a, b []byte) bool {
	return sameJSON(a, b) || sameJSON(a, append([]byte(`{"required":[],`), b[min(1, len(b)):]...))
}

// called requests a reply with calls, and checks the requirements for every such answer.
func (t *trial) called(reply llmtest.Reply) (said, error) {
	_, m, err := t.start(llmtest.Entry{Reply: &reply})
	if err != nil {
		return said{}, err
	}
	s := t.ask(m, tooled())
	if s.err != nil {
		return s, s.err
	}
	ids := map[string]bool{}
	for _, c := range s.Calls {
		ids[c.ID] = true
	}
	if ids[""] || len(ids) != len(s.Calls) {
		return s, fmt.Errorf("the ids of the calls are not unique: %+v", s.Calls)
	}
	return s, errors.Join(t.sound(s), same("the finish reason", llm.FinishTools, s.Finish))
}

// calledAs compares calls with names and arguments.
func calledAs(s said, want ...string) error {
	var got []string
	for _, c := range s.Calls {
		got = append(got, c.Name+" "+string(c.Arguments))
	}
	if !reflect.DeepEqual(want, got) {
		return fmt.Errorf("the calls are %q, not %q", got, want)
	}
	return nil
}

func checkOneCall(t *trial) error {
	s, err := t.called(llmtest.Reply{Text: "Let me look. 😀", ToolCalls: []llmtest.ToolCall{
		{Name: "search", Arguments: map[string]any{"query": "where is “slugify”? 😀 \u2028"}},
	}})
	if err != nil {
		return err
	}
	var arguments struct{ Query string }
	if len(s.Calls) != 1 || s.Calls[0].Name != "search" {
		return fmt.Errorf("the calls are %+v", s.Calls)
	}
	if err := llm.Decode(string(s.Calls[0].Arguments), &arguments); err == nil {
		return fmt.Errorf("decoding must fail on the wrong name of a field: %+v", arguments)
	}
	if !sameJSON([]byte(`{"query":"where is “slugify”? 😀 \u2028"}`), s.Calls[0].Arguments) {
		return fmt.Errorf("the arguments are %s", s.Calls[0].Arguments)
	}
	return same("the text", "Let me look. 😀", s.Text)
}

func (t *trial) severalCalls(form llmtest.Wire) error {
	s, err := t.called(llmtest.Reply{Wire: form, ToolCalls: []llmtest.ToolCall{
		{Name: "search", Arguments: map[string]any{"query": "a query that is longer than one piece"}},
		{Name: "read_file", Arguments: map[string]any{"query": "another that is longer than one piece of it"}},
		{Name: "search", Arguments: map[string]any{"query": "short"}},
	}})
	if err != nil {
		return err
	}
	return calledAs(s, `search {"query":"a query that is longer than one piece"}`,
		`read_file {"query":"another that is longer than one piece of it"}`, `search {"query":"short"}`)
}

func checkNoArguments(t *trial) error {
	s, err := t.called(llmtest.Reply{ToolCalls: []llmtest.ToolCall{{Name: "search"}}})
	if err != nil {
		return err
	}
	return calledAs(s, "search {}")
}

// badCall requests a reply with an invalid call.
func (t *trial) badCall(c llmtest.ToolCall) error {
	_, m, err := t.start(llmtest.Entry{Reply: &llmtest.Reply{ToolCalls: []llmtest.ToolCall{c}}})
	if err != nil {
		return err
	}
	_, err = t.failed(t.ask(m, tooled()), llm.KindInvalid)
	return err
}

func checkMalformedArguments(t *trial) error {
	var problems []error
	malformed := []string{`"a text"`, `[1]`}
	if !t.lacks(RawTools) {
		malformed = append(malformed, `{"query":`, `{"query":"a"} {"query":"b"}`)
	}
	for _, raw := range malformed {
		if err := t.badCall(llmtest.ToolCall{Name: "search", Raw: raw}); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", raw, err))
		}
	}
	return errors.Join(problems...)
}

// checkResults sends the results of two tools. A provider without a field for Failed may use words before the text.
func checkResults(t *trial) error {
	r := tooled()
	r.Messages = append(r.Messages,
		llm.Message{Role: llm.Assistant, Text: "Let me look.", Calls: []llm.ToolCall{
			{ID: "call_a", Name: "search", Arguments: []byte(`{"query":"x"}`)}, {ID: "call_b", Name: "read_file", Arguments: []byte(`{"query":"y"}`)},
		}},
		llm.Message{Role: llm.Tool, CallID: "call_a", Text: "slug.go"},
		llm.Message{Role: llm.Tool, CallID: "call_b", Text: "no such file", Failed: true})
	_, got, _, err := t.arrives(r, llmtest.Reply{Text: "a"})
	if err != nil {
		return err
	}
	if len(got.Messages) != 4 || len(got.Messages[1].Calls) != 2 {
		return fmt.Errorf("the messages arrive as %+v", got.Messages)
	}
	asked := got.Messages[1]
	for i, c := range asked.Calls {
		result, want := got.Messages[2+i], r.Messages[2+i]
		if c.Name != r.Messages[1].Calls[i].Name || !sameJSON(r.Messages[1].Calls[i].Arguments, c.Arguments) {
			return fmt.Errorf("the call %+v arrives as %+v", r.Messages[1].Calls[i], c)
		}
		if result.Role != llm.Tool || result.CallID != c.ID || !strings.HasSuffix(result.Text, want.Text) {
			return fmt.Errorf("the result %+v arrives as %+v", want, result)
		}
	}
	return same("the text beside the calls", "Let me look.", asked.Text)
}

func checkToolChoice(t *trial) error {
	for _, choice := range []string{"read_file", llm.AnyTool} {
		r := tooled()
		r.UseTool = choice
		_, got, _, err := t.arrives(r, llmtest.Reply{ToolCalls: []llmtest.ToolCall{{Name: "read_file"}}})
		if err != nil {
			return err
		}
		if err := same("the tool that must be used", choice, got.UseTool); err != nil {
			return err
		}
	}
	return nil
}

// checkCallsCutShort ends an answer by length in the middle of a call: an incomplete call is none.
func checkCallsCutShort(t *trial) error {
	_, m, err := t.start(llmtest.Entry{
		Reply: &llmtest.Reply{ToolCalls: []llmtest.ToolCall{{Name: "search", Raw: `{"query":"a quer`}}}, Fault: &llmtest.Fault{Kind: llmtest.FaultLength},
	})
	if err != nil {
		return err
	}
	s := t.ask(m, tooled())
	if _, err := t.failed(s, llm.KindLength, llm.KindInvalid); err != nil {
		return err
	}
	return same("the number of calls", 0, len(s.Calls))
}
