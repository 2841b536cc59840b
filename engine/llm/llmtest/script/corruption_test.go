package script_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
	"forge/engine/llm/llmtest"
	"forge/engine/llm/llmtest/script"
)

// TestCorruption_OfAnswers shows what reads answers how each of them is spoiled: it takes those that are still one object,
// and no other.
func TestCorruption_OfAnswers(t *testing.T) {
	t.Parallel()
	type answer struct {
		Reason string   `json:"reason"`
		Files  []string `json:"files"`
	}
	right := answer{"fine", []string{"a.go"}}
	for _, spoil := range append(script.Corruptions(), "") {
		t.Run("as "+string(spoil), func(t *testing.T) {
			t.Parallel()
			s, err := llmtest.New(llmtest.Entry{Reply: &llmtest.Reply{JSON: right, Corrupt: spoil}})
			require.NoError(t, err)
			response, err := s.Model().Complete(t.Context(), llm.Request{}, nil)
			require.NoError(t, err)
			var got answer
			err = llm.Decode(response.Text, &got)
			if spoil == "" || spoil.Harmless() {
				require.NoError(t, err)
				require.Equal(t, right, got)
			} else {
				require.Error(t, err)
			}
		})
	}
}

func TestCorruption_RejectsUnsupportedReplies(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		"{text: a, spoil: fenced}":              "no JSON object",
		"{json: {}, spoil: nan}":                "no JSON object with members",
		"{json: {a: 1}, spoil: burnt}":          `no way "burnt"`,
		"{toolCalls: [{name: a}], spoil: list}": "no JSON object",
	} {
		_, err := llmtest.Parse("spoilt.yaml", []byte("entries:\n- reply: "+text+"\n"))
		require.ErrorContains(t, err, says, text)
	}
}
