package codeintel_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/codeintel"
)

func TestWords_OfAText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                            "",
		"parseHTTPRequest":            "parsehttprequest pars http request",
		"max_size":                    "maxsiz max size",
		"the Server is serving":       "server serv",
		"x + yy":                      "yy",
		"queries, caches; classes!":   "query cach class",
		"straße_größe":                "straßegröß straß größ",
		"HTTP2Server":                 "http2server http2 server",
		"__init__":                    "init",
		"class status analysis redis": "class status analysis redis",
		"mapping running stopped add": "map run stop add",
		"apply applied applies":       "apply apply apply",
		"max-size ID IDs parseÉtat":   "max size id ids parseétat pars état",
		"\xff\xfebad\xff":             "bad",
		"日本語 text":                    "日本語 text",
	} {
		require.Equal(t, want, strings.Join(slices.Collect(codeintel.Words(text)), " "), text)
	}
}

func FuzzWords(f *testing.F) {
	for _, seed := range []string{"parseHTTPRequest", "IDs __x__ été", "a\xffB\xc3", "日本語Ab", "ǅungla ǅ"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for identifier := range codeintel.Identifiers(text) {
			require.Contains(t, text, identifier)
		}
		for word := range codeintel.Words(text) {
			require.NotContains(t, word, "_")
			require.NotEmpty(t, word)
			require.Equal(t, strings.ToLower(word), word)
		}
	})
}
