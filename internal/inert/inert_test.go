package inert_test

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"forge/internal/inert"
)

func TestInert_Text(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain\n\ttext — ünï": "plain\n\ttext — ünï",
		"\x1b[31mred":         `\u001b[31mred`,
		"\u009b31mred":        `\u009b31mred`,
		"a\u202eb":            `a\u202eb`,
		"a\u200bb":            `a\u200bb`,
		"soft\u00adhyphen":    `soft\u00adhyphen`,
		"bell\a":              `bell\u0007`,
		"tag\U000E0041":       `tag\ue0041`,
		"bad\xff":             "bad\uFFFD",
		"a\r\nb\r\n":          "a\nb\n",
		"seen\rhidden":        `seen\u000dhidden`,
		"\r\r\n":              "\\u000d\n",
	} {
		require.Equal(t, want, inert.Text(in))
	}
}

// Encoded JSON shows no character that could act on a terminal, and decodes to what it was.
func TestInert_JSON(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"plain\n\ttext", "a\u202eb", "\x1b[31mred\u009b", "tag\U000E0041", "\u2066x\u2069", "a\u200bb"} {
		encoded, err := json.Marshal(map[string]string{"text": text})
		require.NoError(t, err)
		shown := inert.JSON(append(encoded, '\n'))
		require.Equal(t, inert.Text(string(shown)), string(shown))
		var decoded map[string]string
		require.NoError(t, json.Unmarshal(shown, &decoded))
		require.Equal(t, text, decoded["text"])
	}
}

// A text that was made safe is not changed again.
func FuzzInert_Text(f *testing.F) {
	for _, seed := range []string{"a", "\x1b[0m", "a\r\n", "\xff", "\u202e"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		once := inert.Text(text)
		require.True(t, utf8.ValidString(once))
		require.NotContains(t, once, "\x1b")
		require.NotContains(t, once, "\r")
		require.Equal(t, once, inert.Text(once))
	})
}
