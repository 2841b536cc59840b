package llm_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/engine/llm"
)

type verdict struct {
	Approved bool     `json:"approved"`
	Reason   string   `json:"reason"`
	Score    int      `json:"score,omitempty"`
	Files    []file   `json:"files,omitempty"`
	Tags     []string `json:"tags,omitempty"`
}

type file struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

func TestDecode_Accepts(t *testing.T) {
	t.Parallel()
	plain := verdict{Approved: true, Reason: "fine"}
	tests := map[string]struct {
		text string
		want verdict
	}{
		"bare":                         {`{"approved":true,"reason":"fine"}`, plain},
		"fenced":                       {"```json\n{\"approved\":true,\"reason\":\"fine\"}\n```", plain},
		"fence with no label":          {"```\n{\"approved\":true,\"reason\":\"fine\"}\n```\n", plain},
		"prose around":                 {"Sure, here it is:\n{\"approved\":true,\"reason\":\"fine\"}\nAnything else?", plain},
		"byte order mark":              {"\uFEFF{\"approved\":true,\"reason\":\"fine\"}", plain},
		"CRLF":                         {"{\r\n\"approved\":true,\r\n\"reason\":\"fine\"}\r\n", plain},
		"unknown field":                {`{"approved":true,"confidence":{"level":0.9},"reason":"fine"}`, plain},
		"thinking first":               {"<think>maybe {\"approved\":false}?</think>\n{\"approved\":true,\"reason\":\"fine\"}", plain},
		"thoughts without a beginning": {"maybe {\"approved\":false}, or {x}?\n</think>\n\n{\"approved\":true,\"reason\":\"fine\"}", plain},
		"thoughts of an object":        {"{\"approved\":false,\"reason\":\"\"}</think>{\"approved\":true,\"reason\":\"fine\"}", plain},
		"only the end of thoughts":     {"</think>\n\n{\"approved\":true,\"reason\":\"fine\"}", plain},
		"an end of thoughts in a text": {`Here: {"approved":false,"reason":"a </think> too many"}`, verdict{Reason: "a </think> too many"}},
		"a block of thoughts in a text": {
			"```json\n" + `{"approved":false,"reason":"<think>{</think>"}` + "\n```", verdict{Reason: "<think>{</think>"},
		},
		"null where optional": {`{"approved":true,"reason":"fine","score":null,"files":null,"tags":null}`, plain},
		"braces in a string":  {`{"approved":false,"reason":"func main() {} [1] ` + "```" + `"}`, verdict{Reason: "func main() {} [1] ```"}},
		"nested": {
			`{"approved":false,"reason":"","score":7,"files":[{"path":"a.go","text":"x"},{"path":"b.go","text":""}],"tags":["t"]}`,
			verdict{Score: 7, Files: []file{{"a.go", "x"}, {"b.go", ""}}, Tags: []string{"t"}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got verdict
			require.NoError(t, llm.Decode(test.text, &got))
			require.Empty(t, cmp.Diff(test.want, got))
		})
	}
}

func TestDecode_Refuses(t *testing.T) {
	t.Parallel()
	const good = `{"approved":true,"reason":"fine"}`
	tests := map[string]struct{ text, says string }{
		"empty":                       {"", "no JSON object"},
		"prose only":                  {"I cannot do that.", "no JSON object"},
		"two objects":                 {good + "\n" + good, "outside the JSON object"},
		"two fences":                  {"```json\n" + good + "\n```\nor\n```json\n" + good + "\n```", "outside the JSON object"},
		"list":                        {"[" + good + "]", "list"},
		"list of two":                 {"[" + good + "," + good + "]", "list"},
		"braces in the prose before":  {"for {x} see " + good, "malformed"},
		"braces in the prose after":   {good + " for {x}", "outside the JSON object"},
		"extra closing brace":         {good + "}", "outside the JSON object"},
		"cut":                         {good[:20], "cut off"},
		"cut thinking":                {"<think>hm " + good, "cut off"},
		"an object in thoughts":       {"I would say " + good + "</think> No.", "no JSON object"},
		"whole object inside a cut":   {`{"verdict":` + good, "cut off"},
		"whole object after NaN":      {`{"a":NaN,"verdict":` + good + `}`, "malformed"},
		"NaN":                         {`{"approved":true,"reason":"r","score":NaN}`, "malformed"},
		"trailing comma":              {`{"approved":true,"reason":"fine",}`, "malformed"},
		"comment":                     {"{\"approved\":true, // yes\n\"reason\":\"fine\"}", "malformed"},
		"single quotes":               {`{'approved':true,'reason':'fine'}`, "malformed"},
		"a string of JSON":            {`"{\"approved\":true,\"reason\":\"fine\"}"`, "malformed"},
		"key twice":                   {`{"approved":false,"approved":true,"reason":""}`, "twice"},
		"key twice in other case":     {`{"approved":false,"reason":"","Approved":true}`, "twice"},
		"key twice in Kelvin signs":   {"{\"approved\":false,\"reason\":\"\",\"k\":1,\"\u212a\":2}", "twice"},
		"key twice deep down":         {`{"approved":true,"reason":"","files":[{"path":"a","path":"b","text":""}]}`, "twice"},
		"field missing":               {`{"approved":true}`, "reason"},
		"field missing deep down":     {`{"approved":true,"reason":"","files":[{"path":"a"}]}`, "text"},
		"field in wrong case":         {`{"Approved":true,"reason":"fine"}`, "approved"},
		"wrong type":                  {`{"approved":"yes","reason":"fine"}`, "approved"},
		"null where required":         {`{"approved":null,"reason":"fine"}`, "approved"},
		"fraction for an integer":     {`{"approved":true,"reason":"","score":1.5}`, "score"},
		"number too large":            {`{"approved":true,"reason":"","score":1e300}`, "score"},
		"object for a list":           {`{"approved":true,"reason":"","files":{"path":"a","text":""}}`, "files"},
		"not UTF-8":                   {"{\"approved\":true,\"reason\":\"\xff\"}", "UTF-8"},
		"nested deeper than any need": {`{"a":` + strings.Repeat("[", 20_000), "malformed"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := verdict{Reason: "untouched"}
			got := before
			err := llm.Decode(test.text, &got)
			require.ErrorContains(t, err, test.says)
			require.NotContains(t, err.Error(), "Go struct")
			require.Empty(t, cmp.Diff(before, got))
		})
	}
}

func TestDecode_ReadsFiveMegabytes(t *testing.T) {
	t.Parallel()
	reason := strings.Repeat("é{\"", 1<<20)
	var got verdict
	text := "```json\n" + `{"approved":true,"reason":"` + strings.ReplaceAll(reason, `"`, `\"`) + `"}` + "\n```"
	require.NoError(t, llm.Decode(text, &got))
	require.Equal(t, reason, got.Reason)
}
