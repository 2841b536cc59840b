package llm_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/engine/llm"
)

// FuzzDecode_Any checks that whatever is accepted means the same in a fence and in prose, and means nothing
// once it stands there twice or loses its last byte.
func FuzzDecode_Any(f *testing.F) {
	for _, seed := range []string{
		`{"approved":true,"reason":"fine"}`,
		"```json\n{\"approved\":false,\"reason\":\"{\"}\n```",
		`{"approved":true,"reason":"\ud83d\ude00","files":[{"path":"a","text":"b"}]}`,
		`{"approved":true,"reason":"x"} {"approved":false,"reason":"y"}`,
		`<think>{</think>{"approved":true,"reason":"fine"}`,
		`[{"approved":true}]`, `{"approved":NaN}`, `{"a":{"approved":true,"reason":""}`, `{}`, `}{`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var got verdict
		if err := llm.Decode(text, &got); err != nil {
			require.Empty(t, cmp.Diff(verdict{}, got))
			return
		}
		first, last := bytes.IndexByte([]byte(text), '{'), bytes.LastIndexByte([]byte(text), '}')
		require.True(t, first >= 0 && first < last)
		var again verdict
		require.NoError(t, llm.Decode(canonical(t, got), &again))
		require.Empty(t, cmp.Diff(got, again))
		require.NoError(t, llm.Decode("So:\n```json\n"+canonical(t, got)+"\n```\nDone.", &again))
		require.Empty(t, cmp.Diff(got, again))
		require.Error(t, llm.Decode(text+text, &again))
		require.Error(t, llm.Decode(text[:last], &again))
	})
}

func canonical(t *testing.T, v verdict) string {
	t.Helper()
	encoded, err := json.Marshal(v)
	require.NoError(t, err)
	return string(encoded)
}
