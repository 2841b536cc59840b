package secret

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRules_HaveKeywordsThatCanBeLookedUp(t *testing.T) {
	t.Parallel()
	require.NotEmpty(t, rules().Rules)
	for _, r := range rules().Rules {
		for _, k := range r.Keywords {
			require.GreaterOrEqual(t, len(k), keyBytes-1, "%s: the keyword %q is too short", r.ID, k)
		}
	}
}

// A key with a short word in it, as chance gives to one in a hundred, is a key; words with hyphens between them are none.
func TestRules_FindAKeyWithAWordByChance(t *testing.T) {
	t.Parallel()
	key := "q7Rz9aBootK3x8TmW2pL5vY1nD4sG6hJ0cF8eQ4x7"
	shown, _ := New().Text("aws_secret_access_key = " + key + "\n")
	require.NotContains(t, shown, key)
	for _, words := range []string{"client-auth2-boot-v1-token3-file", "test-app-1-bucket-2-name-3-x-1"} {
		text := "secret_name = " + words + "\n"
		shown, _ := New().Text(text)
		require.Equal(t, text, shown)
	}
}
