package llm_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
)

func TestProse_ReadProse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ said, want, fault string }{
		"text":                         {"  # Why\n\nBecause.  ", "# Why\n\nBecause.\n", ""},
		"with thinking":                {"<think>hm {</think>\nBecause.", "Because.\n", ""},
		"thoughts without a beginning": {"It asks why {\n</think>\n\nBecause.", "Because.\n", ""},
		"a tag in code":                {"It ends at `</think>`.", "It ends at `</think>`.\n", ""},
		"both tags":                    {"It is between <think> and </think>.", "It is between <think> and </think>.\n", ""},
		"only thinking":                {"<think>hm</think>\n ", "", "it is empty"},
		"endless thinking":             {"<think>hm", "", "cut off"},
		"nothing":                      {" \n", "", "it is empty"},
		"no text":                      {"\xff", "", "UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := llm.ReadProse(c.said)
			require.Equal(t, llm.Prose(c.want), got)
			if c.fault == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.fault)
			}
		})
	}
}
