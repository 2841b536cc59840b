package codeintel_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/codeintel"
)

func TestWords_AreWhole(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"foo foo_bar foobar foo.foo $foo \"foo\"": 5,
		"größefoo foogröße foo":                   1,
		"e\u0301foo foo":                          1, // a mark belongs to its letter
		"foofoo":                                  0,
		"foo":                                     1,
	} {
		require.Len(t, codeintel.WordSpans(text, "foo"), want, text)
	}
}

func TestPattern_ReplacesMatches(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		find, replace string
		options       codeintel.PatternOptions
		text, want    string
		n             int
	}{
		"plain text":                {"a.b", "x", codeintel.PatternOptions{}, "a.b aXb xa.by", "x aXb xxy", 2},
		"signs are plain":           {"$1", "$2", codeintel.PatternOptions{}, "$1", "$2", 1},
		"whole words":               {"cat", "dog", codeintel.PatternOptions{Word: true}, "cat category a_cat cat.", "dog category a_cat dog.", 2},
		"a word after a part of it": {"aa", "b", codeintel.PatternOptions{Word: true}, "aaa aa", "aaa b", 1},
		"a regular expression":      {`v1\.(\d+)`, "v2.$1", codeintel.PatternOptions{Regexp: true}, "v1.7 v1.x", "v2.7 v1.x", 1},
		"lines of an expression":    {`^a$`, "b", codeintel.PatternOptions{Regexp: true}, "a\na\nxa\n", "b\nb\nxa\n", 2},
		"words of an expression":    {`c.t`, "dog", codeintel.PatternOptions{Regexp: true, Word: true}, "cat scatter cot", "dog scatter dog", 2},
		"spellings": {"bashCompDirective", "shellCompDirective", codeintel.PatternOptions{Variants: true},
			"BashCompDirectiveError bashCompDirective bash_comp_directive BASH_COMP_DIRECTIVE bash-comp-directive bashcompdirective",
			"ShellCompDirectiveError shellCompDirective shell_comp_directive SHELL_COMP_DIRECTIVE shell-comp-directive bashcompdirective", 5},
		"spellings of capitals": {"HTTPClient", "WebClient", codeintel.PatternOptions{Variants: true}, "HTTPClient http_client HttpClient", "WebClient web_client WebClient", 3},
		"other scripts":         {"größe", "länge", codeintel.PatternOptions{Variants: true, Word: true}, "größe Größe GRÖSSE größen", "länge Länge GRÖSSE größen", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := codeintel.NewPattern(c.find, c.replace, c.options)
			require.NoError(t, err)
			after, n := p.In(c.text)
			require.Equal(t, c.want, after)
			require.Equal(t, c.n, n)
		})
	}
}

func TestNewPattern_RejectsInvalidPatterns(t *testing.T) {
	t.Parallel()
	for find, o := range map[string]codeintel.PatternOptions{"": {}, "(": {Regexp: true}, "x*": {Regexp: true}, "--": {Variants: true}} {
		_, err := codeintel.NewPattern(find, "y", o)
		require.Error(t, err, find)
	}
	_, err := codeintel.NewPattern("a", "b", codeintel.PatternOptions{Regexp: true, Variants: true})
	require.ErrorContains(t, err, "exclude each other")
}

func TestIsName_RecognisesNames(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"a": true, "_": true, "größe2": true, "$x": true, "": false, "2a": false, "a b": false, "a.b": false, "a\xff": false} {
		require.Equal(t, want, codeintel.IsName(text), text)
	}
}
