package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
)

// picky is a model that takes only some features.
func picky(lacks ...llm.Feature) (*wire, *[]llm.Request) {
	var seen []llm.Request
	return &wire{answer: func(_ context.Context, _ int64, q llm.Request) (llm.Response, error) {
		seen = append(seen, q)
		has := map[llm.Feature]bool{
			llm.FeatureSchema: len(q.Schema) > 0, llm.FeatureTools: len(q.Tools) > 0,
			llm.FeatureTemperature: !q.OwnTemperature, llm.FeatureThinking: q.Thinking > 0,
		}
		for _, f := range lacks {
			if has[f] {
				return llm.Response{}, &llm.Error{Kind: llm.KindUnsupported, Feature: f, Model: "wire", Err: errors.New("400")}
			}
		}
		return llm.Response{Text: "ok"}, nil
	}}, &seen
}

func full() llm.Request {
	return llm.Request{
		Messages: []llm.Message{{Role: llm.System, Text: "Judge.", Stable: true}, {Role: llm.User, Text: "x = 1"}},
		Schema:   json.RawMessage(`{"type":"object"}`), SchemaName: "verdict", Thinking: 500, Temperature: 0.2,
		Tools: []llm.ToolDef{{Name: "read", Schema: json.RawMessage(`{}`)}},
	}
}

// A feature that a model does not take is left out once, and remembered.
func TestDegrade_LeavesOutUnsupportedFeatures(t *testing.T) {
	t.Parallel()
	for name, lacks := range map[string][]llm.Feature{
		"nothing": nil, "schema": {llm.FeatureSchema}, "tools": {llm.FeatureTools}, "thinking": {llm.FeatureThinking},
		"temperature": {llm.FeatureTemperature},
		"everything":  {llm.FeatureSchema, llm.FeatureTools, llm.FeatureTemperature, llm.FeatureThinking},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, seen := picky(lacks...)
			var learned llm.Learned
			original := full()
			_, err := learned.Degrade("p", "m", m).Complete(t.Context(), original, nil)
			require.NoError(t, err)
			require.Len(t, *seen, 1+len(lacks))
			last := (*seen)[len(lacks)]
			require.Equal(t, slices.Contains(lacks, llm.FeatureSchema), last.Schema == nil)
			require.Equal(t, slices.Contains(lacks, llm.FeatureTools), last.Tools == nil)
			require.Equal(t, slices.Contains(lacks, llm.FeatureThinking), last.Thinking == 0)
			require.Equal(t, slices.Contains(lacks, llm.FeatureTemperature), last.OwnTemperature)
			require.Equal(t, original.Messages[0], last.Messages[0], "what is cached stays")
			require.Equal(t, full(), original)

			_, err = learned.Degrade("p", "m", m).Complete(t.Context(), original, nil)
			require.NoError(t, err)
			require.Len(t, *seen, 2+len(lacks), "it is known now")
			require.ElementsMatch(t, lacks, learned.Lacks("p", "m"))
			require.Empty(t, learned.Lacks("p", "other"))
		})
	}
}

func TestDegrade_ASchemaIsStatedAtTheEnd(t *testing.T) {
	t.Parallel()
	tool := llm.Message{Role: llm.Tool, CallID: "1", Text: "done"}
	for name, c := range map[string]struct {
		messages []llm.Message
		want     int
	}{
		"after the user's turn": {full().Messages, 2},
		"after a tool":          {append(full().Messages, tool), 4},
		"not in what is cached": {full().Messages[:1], 2},
		"alone":                 {nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, seen := picky(llm.FeatureSchema)
			q := full()
			q.Messages = c.messages
			var learned llm.Learned
			_, err := learned.Degrade("p", "m", m).Complete(t.Context(), q, nil)
			require.NoError(t, err)
			said := (*seen)[1].Messages
			require.Len(t, said, c.want)
			require.Equal(t, llm.User, said[c.want-1].Role)
			require.Contains(t, said[c.want-1].Text, `one JSON object`)
			require.Contains(t, said[c.want-1].Text, `{"type":"object"}`)
		})
	}
}

// A feature that the request depends on cannot be left out: the call fails after one request.
func TestDegrade_SomeThingsCannotBeLeftOut(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*llm.Request){
		"a tool that must be called": func(q *llm.Request) { q.UseTool = llm.AnyTool },
		"turns of tools":             func(q *llm.Request) { q.Messages = append(q.Messages, llm.Message{Role: llm.Tool, CallID: "1"}) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, _ := picky(llm.FeatureTools)
			q := full()
			change(&q)
			var learned llm.Learned
			for range 2 {
				_, err := learned.Degrade("p", "m", m).Complete(t.Context(), q, nil)
				requireKind(t, llm.KindUnsupported, err)
			}
			require.EqualValues(t, 2, m.calls.Load())
		})
	}
	m := &wire{answer: func(context.Context, int64, llm.Request) (llm.Response, error) {
		return llm.Response{}, &llm.Error{Kind: llm.KindUnsupported, Feature: llm.FeatureThinking, Err: errors.New("400")}
	}}
	var learned llm.Learned
	requireKind(t, llm.KindUnsupported, ask(t, learned.Degrade("p", "m", m)))
	require.EqualValues(t, 1, m.calls.Load(), "a feature that the request does not have")
}
