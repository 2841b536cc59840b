package work

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"forge/cmd/forge/terminal"

	"github.com/stretchr/testify/require"
)

// A fault in one edit costs one answer.
func TestApplyBatch_AFaultIsAnsweredAndPassed(t *testing.T) {
	t.Parallel()
	faulty := func(line []byte) batchAnswer {
		if bytes.Contains(line, []byte("fault")) {
			panic("out of range")
		}
		return answer(line)
	}
	var out strings.Builder
	lines := terminal.Lines[batchAnswer]{Answer: faulty, Refuse: edits.Refuse}
	require.NoError(t, lines.Serve(t.Context(), strings.NewReader(`{"id":"x","edit":"fault"}`+"\nfault\n{}\n"), &out))
	var answers []batchAnswer
	for line := range strings.Lines(out.String()) {
		var a batchAnswer
		require.NoError(t, json.Unmarshal([]byte(line), &a))
		answers = append(answers, a)
	}
	require.Len(t, answers, 3)
	require.False(t, answers[0].OK)
	require.JSONEq(t, `"x"`, string(answers[0].ID))
	require.Equal(t, terminal.KindInternal, answers[0].Error.Kind)
	require.Contains(t, answers[0].Error.Message, "this edit caused an internal error, please report it: out of range")
	require.JSONEq(t, "null", string(answers[1].ID))
	require.Equal(t, terminal.KindRequest, answers[2].Error.Kind)
}

// Whatever a line holds, its answer is one line, and a refusal changes nothing and says why.
func FuzzAnswer(f *testing.F) {
	for _, edit := range []string{
		`"*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch"`, `"a\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n"`,
		`"--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n"`, `[{"path":"a","search":"x","replace":"y"}]`, `7`,
		`[{"path":"a","action":"write","content":"y"}]`, `"{\"path\":\"a\",\"action\":\"patch\",\"content\":\"-x\\n+y\"}"`,
	} {
		f.Add([]byte(`{"id":[1],"files":{"a":"x\n","b":"\ud83d\ude00\r"},"edit":` + edit + `}`))
	}
	f.Add([]byte(`{"id":1,"files":{"a":"\ud83d"},"edit":"\\ude00"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.ContainsAny(line, "\r\n") {
			return
		}
		var out strings.Builder
		require.NoError(t, edits.Serve(t.Context(), bytes.NewReader(append(line, '\n')), &out))
		require.Equal(t, 1, strings.Count(out.String(), "\n"))
		var a batchAnswer
		require.NoError(t, json.Unmarshal([]byte(out.String()), &a))
		require.Equal(t, a.OK, a.Error == nil)
		if !a.OK {
			require.Empty(t, a.Files)
			require.Empty(t, a.Edits)
			require.NotEmpty(t, a.Error.Message)
			require.NotEqual(t, terminal.KindInternal, a.Error.Kind, a.Error.Message)
		}
	})
}
