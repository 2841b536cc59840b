package web

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"forge/engine/tool"
)

func TestExtract_KeepsTheTextOfAPage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ source, text string }{
		"paragraphs":      {"<p>one\n  two</p><p>three", "one two\nthree"},
		"words":           {"a <b>bold</b>word <i> x </i>.", "a boldword x ."},
		"headings, lists": {"<h1>H</h1><ul><li>a<li><p>b</ul>end", "# H\n- a\n- b\nend"},
		"code":            {"<p>x<pre>a\n  b\n\n\tc</pre>y", "x\na\n  b\n\n\tc\ny"},
		"a table":         {"<table><tr><td>a<td>b<tr><th>c</th>", "a b\nc"},
		"what is hidden":  {"a<script>b</script><style>c</style><!-- d --><template><p>e</template><noscript>f</noscript><svg><text>g</text></svg>h", "ah"},
		"entities":        {"&lt;b&gt; &amp; &eacute;", "<b> & é"},
		"tricky letters":  {"a\u202eb\U000e0041\x1b[2J", `a\u202eb\ue0041\u001b[2J`},
		"broken":          {"<p>a</div></p></script>b<a href=\"x<p>c", "a\nb"},
		"nothing":         {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.text, extract("https://h/", c.source).Text)
		})
	}
}

func TestExtract_Links(t *testing.T) {
	t.Parallel()
	p := extract("https://h/a/b", `<title> A  title </title><a href="c#x">to <b>c</b></a> <a href=/d>d<a href="https://h/d">again</a>
		<a href="http://h/">plain</a><a href="javascript:x()">j</a><a href="https://me@h/">u</a><a name=x>n</a><a href="//o/">`+strings.Repeat("long ", 50)+`</a><title>B</title>`)
	require.Equal(t, "A title", p.Title)
	require.Len(t, p.Links, 3)
	require.Equal(t, []tool.Link{{URL: "https://h/a/c", Text: "to c"}, {URL: "https://h/d", Text: "d"}}, p.Links[:2])
	require.Equal(t, "https://o/", p.Links[2].URL)
	require.LessOrEqual(t, len(p.Links[2].Text), maxLinkText+len("…"))
	require.Len(t, extract("https://h/", strings.Repeat("<a href=x>x</a><a href=y?"+strings.Repeat("z", 10)+">", 10)).Links, 2)
}

func FuzzExtract_Any(f *testing.F) {
	f.Add("<p>one<pre>\n two</pre><a href=x>y</a><title>t")
	f.Add("<script><!--<script></script>-->x</script>")
	f.Fuzz(func(t *testing.T, source string) {
		p := extract("https://h/", source)
		require.True(t, utf8.ValidString(p.Text) && utf8.ValidString(p.Title))
		require.NotContains(t, p.Title, "\n")
		require.LessOrEqual(t, len(p.Links), maxLinks)
		for _, l := range p.Links {
			require.True(t, strings.HasPrefix(l.URL, "https://"), l.URL)
		}
	})
}
