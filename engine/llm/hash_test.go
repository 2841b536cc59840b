package llm_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"forge/engine/llm"
)

// The next version of Forge looks up stored answers by hash: a change of the hash counts hashVersion up.
func TestHash_AHashIsTheSameForEver(t *testing.T) {
	t.Parallel()
	require.Equal(t, "f4256f571a53f619f741a167d5a1790548b1e9d87c7494ca4db70e239b3ce558", llm.Request{}.Hash())
}

func TestHash_CoversEveryField(t *testing.T) {
	t.Parallel()
	whole := func() llm.Request {
		return llm.Request{
			Node: "executor", Attempt: 2, Key: "k", Tier: llm.Reasoning, Whole: true,
			Messages: []llm.Message{
				{Role: llm.System, Text: "Be brief.", Stable: true},
				{Role: llm.Assistant, Calls: []llm.ToolCall{{ID: "1", Name: "read", Arguments: json.RawMessage(`{"a":1}`)}}},
				{Role: llm.Tool, CallID: "1", Text: "no", Failed: true},
			},
			Temperature: 0.5, MaxTokens: 7, Schema: json.RawMessage(`{}`), SchemaName: "s",
			Tools: []llm.ToolDef{{Name: "read", Description: "d", Schema: json.RawMessage(`{}`)}}, UseTool: "read", Thinking: 9,
		}
	}
	for name, change := range map[string]func(*llm.Request){
		"role":                   func(r *llm.Request) { r.Messages[0].Role = llm.User },
		"text":                   func(r *llm.Request) { r.Messages[0].Text += " " },
		"order":                  func(r *llm.Request) { r.Messages[0], r.Messages[2] = r.Messages[2], r.Messages[0] },
		"one message less":       func(r *llm.Request) { r.Messages = r.Messages[:2] },
		"id of a call":           func(r *llm.Request) { r.Messages[1].Calls[0].ID = "2" },
		"name of a call":         func(r *llm.Request) { r.Messages[1].Calls[0].Name = "write" },
		"arguments":              func(r *llm.Request) { r.Messages[1].Calls[0].Arguments = json.RawMessage(`{"a":2}`) },
		"answered call":          func(r *llm.Request) { r.Messages[2].CallID = "2" },
		"failed":                 func(r *llm.Request) { r.Messages[2].Failed = false },
		"temperature":            func(r *llm.Request) { r.Temperature = 0 },
		"own temperature":        func(r *llm.Request) { r.OwnTemperature = true },
		"longest answer":         func(r *llm.Request) { r.MaxTokens++ },
		"schema":                 func(r *llm.Request) { r.Schema = json.RawMessage(`{ }`) },
		"no schema":              func(r *llm.Request) { r.Schema = nil },
		"name of the schema":     func(r *llm.Request) { r.SchemaName = "t" },
		"tool":                   func(r *llm.Request) { r.Tools[0].Name = "write" },
		"description":            func(r *llm.Request) { r.Tools[0].Description = "e" },
		"schema of a tool":       func(r *llm.Request) { r.Tools[0].Schema = json.RawMessage(`{"a":{}}`) },
		"forced tool":            func(r *llm.Request) { r.UseTool = llm.AnyTool },
		"thinking":               func(r *llm.Request) { r.Thinking++ },
		"bytes that are no text": func(r *llm.Request) { r.Messages[0].Text = "\xff" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			changed := whole()
			change(&changed)
			require.NotEqual(t, whole().Hash(), changed.Hash())
		})
	}
	same := whole()
	same.Node, same.Attempt, same.Key, same.Tier, same.Whole, same.Messages[0].Stable = "", 0, "", "", false, false
	require.Equal(t, whole().Hash(), same.Hash())
	a, b := llm.Request{Messages: []llm.Message{{Text: "\xff"}}}, llm.Request{Messages: []llm.Message{{Text: "\xfe"}}}
	require.NotEqual(t, a.Hash(), b.Hash(), "values that JSON cannot distinguish")
}

// Two requests of a few values each are often equal: their hashes are exactly then.
func TestHash_EqualExactlyWhenRequestsAre(t *testing.T) {
	t.Parallel()
	reaches := cmp.Options{
		cmpopts.IgnoreFields(llm.Request{}, "Node", "Attempt", "Key", "Tier", "Whole"),
		cmpopts.IgnoreFields(llm.Message{}, "Stable"), cmpopts.EquateEmpty(),
	}
	equal := 0
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawRequest(t), drawRequest(t)
		if rapid.Bool().Draw(t, "twin") {
			b = a
		}
		same := cmp.Equal(a, b, reaches)
		if same {
			equal++
		}
		require.Equal(t, same, a.Hash() == b.Hash(), cmp.Diff(a, b))
	})
	require.NotZero(t, equal, "the twin: some were equal")
}

func drawRequest(t *rapid.T) llm.Request {
	text := rapid.SampledFrom([]string{"", "", "", "a", "aa"})
	raw := rapid.Custom(func(t *rapid.T) json.RawMessage {
		return rapid.SampledFrom([]json.RawMessage{nil, nil, {}, json.RawMessage("{}")}).Draw(t, "json")
	})
	message := rapid.Custom(func(t *rapid.T) llm.Message {
		m := llm.Message{Text: text.Draw(t, "text"), CallID: text.Draw(t, "call"), Stable: rapid.Bool().Draw(t, "stable")}
		if rapid.IntRange(0, 5).Draw(t, "calls") == 0 {
			m.Calls = []llm.ToolCall{{ID: text.Draw(t, "id"), Name: text.Draw(t, "name"), Arguments: raw.Draw(t, "arguments")}}
		}
		return m
	})
	r := llm.Request{
		Node: text.Draw(t, "node"), Key: text.Draw(t, "key"), Whole: rapid.Bool().Draw(t, "whole"),
		Messages: rapid.SliceOfN(message, 0, 2).Draw(t, "messages"), MaxTokens: rapid.SampledFrom([]int{0, 0, 0, 1}).Draw(t, "max"),
		Schema: raw.Draw(t, "schema"),
	}
	if rapid.IntRange(0, 9).Draw(t, "tools") == 0 {
		r.Tools = []llm.ToolDef{{Name: text.Draw(t, "tool"), Description: text.Draw(t, "description"), Schema: raw.Draw(t, "schema of a tool")}}
	}
	return r
}

func FuzzHash_Any(f *testing.F) {
	f.Add("a", "b", "ab", "")
	f.Fuzz(func(t *testing.T, a, b, c, d string) {
		one := llm.Request{Messages: []llm.Message{{Text: a}, {Text: b}}}
		other := llm.Request{Messages: []llm.Message{{Text: c}, {Text: d}}}
		require.Equal(t, a == c && b == d, one.Hash() == other.Hash())
	})
}
