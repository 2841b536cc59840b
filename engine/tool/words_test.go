package tool

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWords_AreArguments(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tool  string
		words []string
		want  string
		wrong string
	}{
		"none":               {"git_log", nil, `{}`, ""},
		"the first":          {"read_file", []string{"a.go"}, `{"path":"a.go"}`, ""},
		"by name":            {"read_file", []string{"start=3", "path=a=b.go"}, `{"path":"a=b.go","start":3}`, ""},
		"with an equal sign": {"search_code", []string{"x = y"}, `{"pattern":"x = y"}`, ""},
		"a list":             {"playbooks", []string{"go", "tags=testing"}, `{"tags":["go","testing"]}`, ""},
		"true":               {"search_code", []string{"x", "literal=true"}, `{"literal":true,"pattern":"x"}`, ""},
		"twice":              {"read_file", []string{"a.go", "b.go"}, "", "two values for path"},
		"no number":          {"git_log", []string{"limit=ten"}, "", "want a number"},
		"no truth":           {"search_code", []string{"x", "literal=maybe"}, "", "want true or false"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool, _ := All().Named(c.tool)
			args, err := tool.Arguments(c.words)
			if c.wrong != "" {
				require.ErrorContains(t, err, c.wrong)
				return
			}
			require.NoError(t, err)
			require.JSONEq(t, c.want, string(args))
		})
	}
}

func TestWords_SameQuestionHasTheSameKey(t *testing.T) {
	t.Parallel()
	same := func(a, b string) bool { return Key("x", json.RawMessage(a)) == Key("x", json.RawMessage(b)) }
	require.True(t, same(`{"path":"a","start":0}`, `{"start":null,"tags":[],"literal":false,"path":"a","glob":""}`))
	require.True(t, same(`{"path":"a","start":1}`, `{ "start": 1, "path": "a" }`))
	require.False(t, same(`{"path":"a"}`, `{"path":"b"}`))
	require.False(t, same(`{"path":"a"}`, `{"path":"a","start":2}`))
	require.False(t, same(`["a"]`, `["b"]`), "what is no object is itself")
	require.NotEqual(t, Key("x", nil), Key("y", nil))
}

func TestWords_Question(t *testing.T) {
	t.Parallel()
	question, choices, err := Question(json.RawMessage(`{"question":"Which?","choices":["a","b"]}`))
	require.NoError(t, err)
	require.Equal(t, "Which?", question)
	require.Equal(t, []string{"a", "b"}, choices)
	for name, args := range map[string]string{
		"nothing": `{}`, "empty": `{"question":" "}`, "one choice": `{"question":"Which?","choices":["a"]}`,
		"five": `{"question":"Which?","choices":["a","b","c","d","e"]}`, "garbage": `?`,
	} {
		_, _, err := Question(json.RawMessage(args))
		require.Error(t, err, name)
	}
}

func FuzzGlob_MatchesPlainPatternsExactly(f *testing.F) {
	for _, seed := range []string{"", "*", "**/*.go", "{a,b}/?", "{", "}", "[", "\\", "**", "./a", "é*"} {
		f.Add(seed, "a/b.go")
	}
	f.Fuzz(func(t *testing.T, pattern, path string) {
		matches, err := globbed(pattern)
		plain := strings.Contains(pattern, "/") && !strings.ContainsAny(pattern, "*?{}") && pattern[0] != '/' && !strings.HasPrefix(pattern, "./")
		if err == nil && plain {
			require.Equal(t, pattern == path, matches(path), "what has no stars stands for itself")
		}
	})
}
