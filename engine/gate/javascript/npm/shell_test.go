package npm

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCommands_AreParsedLikeAShell(t *testing.T) {
	t.Parallel()
	for script, want := range map[string][]string{ // a "?" stands before a command that only a shell can carry out
		"jest && node --test; tsc || true & ava": {"jest", "node|--test", "tsc", "true", "ava"},
		`mocha 'test/**/*.js' "a b" c\ d e'f'g`:  {"mocha|test/**/*.js|a b|c d|efg"},
		"A=1 B='x y' jest":                       {"A=1|B=x y|jest"},
		"export CI=1 && jest # all of it":        {"export|CI=1", "jest"},
		`node -e "console.log(\"a\")" && a "$B"`: {`?node|-e|console.log(\"a\")`, "?a|$B"},
		"jest $FILES `ls` $(ls) > out":           {"?jest|$FILES|`ls`|$(ls)"},
		"tape a | tap-spec":                      {"tape|a"},
		"tape a | tee x | faucet && b":           {"tape|a", "b"},
		"tape a | grep x":                        {"?tape|a"},
		"tape a 2>&1 | faucet":                   {"?tape|a"},
		"! jest":                                 {"?jest"},
		"(cd web && jest) && b":                  {"?cd|web", "?jest", "b"},
		"for f in a b; do node $f; done":         {"?node|$f"},
		"if true; then jest; fi":                 {"?true", "?jest"},
		"jest 'a && b":                           {"?jest|'a|&&|b"},
		"  ":                                     nil,
		"":                                       nil,
		"vitest run https://x/{a,b} ~/c":         {"vitest|run|https://x/{a,b}|~/c"},
	} {
		var got []string
		for _, c := range commands(script) {
			line := strings.Join(TextsOf(c.Words), "|")
			if !c.Sound {
				line = "?" + line
			}
			got = append(got, line)
		}
		require.Equal(t, want, got, script)
	}
	require.True(t, commands("jest 'a*'")[0].Words[1].Quoted)
	require.False(t, commands("jest a*")[0].Words[1].Quoted)
	deep := commands(strings.Repeat("(", 1<<20) + "jest")
	require.Len(t, deep, 1)
	require.False(t, deep[0].Sound)
	require.NotPanics(t, func() { commands(strings.Repeat("$(", maxScript/2)) })
}
