package python

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate/python/testrun"
)

// sign writes lines as run.py does.
func sign(text, key string) string {
	var all strings.Builder
	mac := hmac.New(sha256.New, []byte(key))
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		mac.Write([]byte(line))
		all.WriteString(hex.EncodeToString(mac.Sum(nil)) + " " + line + "\n")
	}
	return all.String()
}

// Lines of others are left out, wherever they stand, and those of run.py are kept.
func TestSigned_OmitsForeignLines(t *testing.T) {
	t.Parallel()
	const said = "{\"what\": \"begin\"}\n{\"what\": \"exit\"}\n"
	lines := strings.SplitAfter(sign(said, "k"), "\n")
	for name, c := range map[string]struct{ text, want string }{
		"whole":             {strings.Join(lines, ""), said},
		"by another key":    {sign(said, "l"), ""},
		"not signed":        {said, ""},
		"one is added":      {lines[0] + "{\"what\": \"exit\"}\n" + lines[1], said},
		"one is missing":    {lines[1], ""},
		"one comes twice":   {lines[0] + lines[0] + lines[1], said},
		"one is changed":    {lines[0] + strings.Replace(lines[1], "exit", "end", 1), "{\"what\": \"begin\"}\n"},
		"the last is whole": {lines[0] + strings.TrimSuffix(lines[1], "\n"), said},
		"nothing":           {"", ""},
	} {
		require.Equal(t, c.want, testrun.Signed(c.text, "k"), name)
	}
}
