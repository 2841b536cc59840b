//go:build cgo

package treesitter_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/codeintel"
	"forge/codeintel/treesitter"
)

func TestOutline_DataIsNotParsed(t *testing.T) {
	t.Parallel()
	code := "def f(): pass\n"
	for name, test := range map[string]struct {
		source string
		parsed bool
	}{
		"code":                         {code, true},
		"an empty text":                {"", false},
		"2 MiB":                        {code + strings.Repeat("#"+strings.Repeat("x", 1022)+"\n", 2048)[:2<<20-len(code)], true},
		"over 2 MiB":                   {code + strings.Repeat("#"+strings.Repeat("x", 1022)+"\n", 2048)[:2<<20-len(code)+1], true},
		"over 8 MiB":                   {code + strings.Repeat("#"+strings.Repeat("x", 1022)+"\n", 8192)[:8<<20-len(code)+1], false},
		"a line of 20,000 bytes":       {code + "#" + strings.Repeat("x", 19_998) + "\n", true},
		"a longer line":                {code + "#" + strings.Repeat("x", 20_000) + "\n", false},
		"a long line in a longer text": {strings.Repeat(code, 3000) + "#" + strings.Repeat("x", 20_000) + "\n", true},
		"a zero byte":                  {code + "\x00", false},
		"bytes of no encoding":         {code + "# \xff\xfe\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			outline, err := (&treesitter.Outliner{Budget: time.Minute}).Outline(t.Context(), codeintel.LanguagePython, test.source)
			require.NoError(t, err)
			require.Equal(t, codeintel.LanguagePython, outline.Language)
			require.Equal(t, test.parsed, len(outline.Symbols) > 0)
		})
	}
}

func TestOutline_OfAnUnknownLanguageIsEmpty(t *testing.T) {
	t.Parallel()
	for _, language := range []codeintel.Language{"", "cobol"} {
		outline, err := new(treesitter.Outliner).Outline(t.Context(), language, "def f(): pass")
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(codeintel.Outline{Language: language}, outline))
	}
}

func TestOutline_GoIsReadByItsOwnParser(t *testing.T) {
	t.Parallel()
	source := "package p\nimport \"fmt\"\ntype A = map[string]int\nfunc f() { fmt.Println(new(A)) }\n"
	outline, err := new(treesitter.Outliner).Outline(t.Context(), codeintel.LanguageGo, source)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(codeintel.GoOutline(source), outline))
}

func TestOutline_ErrorCostsItselfAlone(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"sample.py": "def before(): pass\n\nx = (1 +\n\ndef after(): pass\n",
		"sample.ts": "function before() {}\nconst x = (1 +\nfunction after() {}\n",
		"sample.js": "function before() {}\nlet = = 1\nfunction after() {}\n",
	} {
		outline, err := new(treesitter.Outliner).Outline(t.Context(), codeintel.LanguageOf(name), source)
		require.NoError(t, err)
		require.True(t, outline.Broken, name)
		require.Equal(t, "before", outline.Symbols[0].Name, name)
		require.Contains(t, names(outline.Symbols), "after", name)
	}
}

func TestOutline_ReadsAnyDepth(t *testing.T) {
	t.Parallel()
	const deep = 20_000
	repeated := func(open, shut string) string {
		return strings.Repeat(open+"\n", deep) + strings.Repeat(shut+"\n", deep)
	}
	var indented strings.Builder
	for level := range 1500 {
		fmt.Fprintf(&indented, "%sclass C%d:\n", strings.Repeat(" ", level), level)
	}
	for name, source := range map[string]string{
		"a.py": "x = " + repeated("(", ")"), "b.py": strings.Repeat("[", 15_000), "c.py": indented.String(),
		"a.ts": "let x = " + repeated("{a:", "}"), "b.ts": repeated("namespace a {", "}"), "c.ts": strings.Repeat("<T>(\n", deep),
		"a.js": "f" + repeated("(function () {", "})"), "a.tsx": repeated("<a>", "</a>"), "a.go": "package p\nvar x = " + repeated("(", ")"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := &treesitter.Outliner{Budget: 200 * time.Millisecond}
			outline, err := o.Outline(t.Context(), codeintel.LanguageOf(name), source)
			require.NoError(t, err)
			checkOutline(t, source, outline)
		})
	}
}

// long is a text that no grammar reads within a millisecond.
var long = strings.Repeat("class A:\n    def f(self, a=[1, 2]):\n        return {a: b for a in c(d)[1:2]}\n", 4000)

// The parser of a text that takes too long must not go on with it when it is given another one.
func TestBudget_EndsOneTextOnly(t *testing.T) {
	t.Parallel()
	o := &treesitter.Outliner{Budget: time.Millisecond}
	for range 5 {
		outline, err := o.Outline(t.Context(), codeintel.LanguagePython, long)
		require.NoError(t, err)
		require.True(t, outline.Broken)

		outline, err = new(treesitter.Outliner).Outline(t.Context(), codeintel.LanguagePython, "def short(): pass\n")
		require.NoError(t, err)
		require.False(t, outline.Broken)
		require.Len(t, outline.Symbols, 1)
		require.Equal(t, "short", outline.Symbols[0].Name)
	}
}

func TestOutline_LongTextsAreReadWhole(t *testing.T) {
	t.Parallel()
	outline, err := (&treesitter.Outliner{Budget: 5 * time.Minute}).Outline(t.Context(), codeintel.LanguagePython, long)
	require.NoError(t, err)
	require.False(t, outline.Broken)
	require.Len(t, outline.Symbols, 4000)
	checkOutline(t, long, outline)
}

func TestOutline_EndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, language := range []codeintel.Language{codeintel.LanguageGo, codeintel.LanguagePython, codeintel.LanguageMarkdown} {
		_, err := new(treesitter.Outliner).Outline(ctx, language, "x")
		require.ErrorIs(t, err, context.Canceled)
	}
}

func TestOutliner_IsSharedByGoroutines(t *testing.T) {
	t.Parallel()
	o := &treesitter.Outliner{Budget: time.Minute}
	var wait sync.WaitGroup
	for _, name := range []string{"sample.py", "sample.ts", "sample.tsx", "sample.js"} {
		source, err := os.ReadFile("testdata/" + name)
		require.NoError(t, err)
		want, err := o.Outline(t.Context(), codeintel.LanguageOf(name), string(source))
		require.NoError(t, err)
		for range 4 {
			wait.Go(func() {
				for range 5 {
					got, err := o.Outline(t.Context(), codeintel.LanguageOf(name), string(source))
					if diff := cmp.Diff(want, got); err != nil || diff != "" {
						t.Errorf("%s: %v\n%s", name, err, diff)
					}
				}
			})
		}
	}
	wait.Wait()
}

// The grammar is older than the language: what it does not know is made known to it.
func TestRepair_KnowsNewerSyntax(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ source, want string }{
		"variance":                  {"interface A<in out T, out U> { b: T }\nfunction after() {}\n", "A b after"},
		"types of other files":      {"declare function f(): import('./a').B<string>;\nfunction after() {}\n", "f after"},
		"call signatures":           {"interface A {\n  a(): B\n  // Calls.\n  <C>(x: C): D\n\n  b(): void\n}\n", "A a b"},
		"a default without a name":  {"declare const before: A\nexport default function (): { a: string };\n", "before default"},
		"no repair of what is fine": {"const a = `\n  <b>`\nfunction after() {}\n", "a after"},
	} {
		outline, err := new(treesitter.Outliner).Outline(t.Context(), codeintel.LanguageTypeScript, test.source)
		require.NoError(t, err)
		require.Equal(t, test.want, strings.Join(names(outline.Symbols), " "), name)
		checkOutline(t, test.source, outline)
	}
}

func names(symbols []codeintel.Symbol) []string {
	var all []string
	for _, s := range symbols {
		all = append(append(all, s.Name), names(s.Children)...)
	}
	return all
}
