package llmtest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm/llmtest"
)

func TestBatch_EntriesOfBatchCalls(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		"- match: {call: sumbit}\n  fault: {status: 500}":                   `no batch call "sumbit"`,
		"- match: {call: submit}\n  reply: {text: a}":                       "has a fault, and nothing else",
		"- match: {call: submit}\n  fault: {kind: cut}\n  reply: {text: a}": "has a fault, and nothing else",
	} {
		_, err := llmtest.Parse("batch.yaml", []byte("entries:\n"+text+"\n"))
		require.ErrorContains(t, err, says)
	}
}
