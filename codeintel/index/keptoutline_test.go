package index_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/codeintel"
	"forge/codeintel/index"
)

// blanking hides a word wherever it stands.
func blanking(hidden string) func(*index.Options) {
	return func(o *index.Options) {
		o.Blank = func(_ string, content []byte) []byte {
			return bytes.ReplaceAll(content, []byte(hidden), bytes.Repeat([]byte("*"), len(hidden)))
		}
	}
}

func TestOutline_IsOfTheTrueTextAndKeepsNoSecret(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, "a.go", "package a\n\n// It begins with hidden9key.\nconst Key = \"hidden9key\"\n\nfunc hidden9key() {}\n\nfunc After(hidden9key int) {}\n")
	x := open(t, root, t.TempDir(), blanking("hidden9key"))
	require.NoError(t, x.Wait(context.Background()))
	outline := x.View().Documents()[0].Outline
	require.False(t, outline.Broken)
	var names, rest []string
	for _, s := range outline.Symbols {
		names, rest = append(names, s.Name), append(rest, s.Detail, s.Doc)
	}
	require.Equal(t, []string{"Key", "hidden9key", "After"}, names, "what code names is no secret")
	require.NotContains(t, strings.Join(rest, "\n"), "hidden9key")
	require.Contains(t, rest, "(********** int)")
}

// keyed is an outliner with one symbol: the text from the third byte on.
type keyed struct{ before int }

func (k keyed) Outline(_ context.Context, language codeintel.Language, source string) (codeintel.Outline, error) {
	name := strings.TrimRight(source[k.before:], "\"\n: ")
	span := codeintel.Span{Start: k.before, End: k.before + len(name)}
	return codeintel.Outline{Language: language, Symbols: []codeintel.Symbol{{Name: name, Kind: codeintel.Field, Span: span, NameSpan: span}}}, nil
}

func TestOutline_KeysAndNamesInQuotesAreHidden(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		path, text, want string
		before           int
	}{
		"a key of data":     {"a.yaml", "hidden9key: \n", "**********", 0},
		"a name in quotes":  {"a.ts", "{\"hidden9key\"", "**********", 2},
		"a name with dots":  {"a.ts", "x.hidden9key", "x.**********", 0},
		"a name of code":    {"a.ts", "x hidden9key", "hidden9key", 2},
		"what is no secret": {"a.yaml", "visible: \n", "visible", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			write(t, root, test.path, test.text)
			x := open(t, root, "", blanking("hidden9key"), func(o *index.Options) { o.Outliner = keyed{test.before} })
			require.NoError(t, x.Wait(context.Background()))
			require.Equal(t, test.want, x.View().Documents()[0].Outline.Symbols[0].Name)
		})
	}
}
