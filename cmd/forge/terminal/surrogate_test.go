package terminal

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHasLoneSurrogate_AgreesWithTheDecoder(t *testing.T) {
	t.Parallel()
	for text, lone := range map[string]bool{
		``: false, `a`: false, `\ud83d\ude00`: false, `\\ud83d`: false, `\uD83D\uDE00x`: false, `\u00e9`: false, `\"`: false,
		`\ud83d`: true, `\ude00`: true, `\ude00\ud83d`: true, `\ud83dx`: true, `\ud83d\n`: true, `\\\ud83d`: true, `\ud83d\ud83d\ude00`: true,
		`\ud83d\\ude00`: true,
	} {
		require.Equal(t, lone, HasLoneSurrogate([]byte(`"`+text+`"`)), text)
		var decoded string
		require.NoError(t, json.Unmarshal([]byte(`"`+text+`"`), &decoded))
		require.Equal(t, lone, strings.ContainsRune(decoded, '\uFFFD'), "the decoder agrees on %s", text)
	}
}
