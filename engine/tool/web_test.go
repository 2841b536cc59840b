package tool

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// library is a web of pages by their addresses.
type library map[string]Page

func (l library) Read(_ context.Context, url string) (Page, error) {
	page, is := l[url]
	if !is {
		return Page{}, errors.New("there is no such page")
	}
	page.URL = url
	return page, nil
}

func (l library) Search(ctx context.Context, query string) (Page, error) {
	return l.Read(ctx, "https://search/"+query)
}

func linksTo(urls ...string) (links []Link) {
	for _, url := range urls {
		links = append(links, Link{URL: url, Text: "to " + url})
	}
	return links
}

func TestWeb_PagesOfTheWeb(t *testing.T) {
	t.Parallel()
	w := World{Web: library{
		"https://a/":       {Title: "First", Text: strings.Repeat("a line of it\n", 1500), Links: linksTo("https://a/2")},
		"https://a/empty":  {},
		"https://search/x": {Text: "some results", Links: linksTo("https://a/", "https://b/")},
	}}
	r := ask(t, w, "web.fetch", `{"url":"https://a/"}`)
	require.True(t, strings.HasPrefix(r.Text, "https://a/ (First), lines 1 to "), r.Text)
	require.Contains(t, r.Text, "of 1500:\na line of it")
	require.Contains(t, r.Text, "continue with start ")
	require.True(t, r.Cut)
	require.Contains(t, ask(t, w, "web.fetch", `{"url":"https://a/","start":1499}`).Text, "lines 1499 to 1500 of 1500")
	require.True(t, ask(t, w, "web.fetch", `{"url":"https://a/","start":1501}`).Failed)
	require.Equal(t, "https://a/empty has no text", ask(t, w, "web.fetch", `{"url":"https://a/empty"}`).Text)
	require.Equal(t, Result{Text: "https://no/ cannot be read: there is no such page", Failed: true}, ask(t, w, "web.fetch", `{"url":"https://no/"}`))
	require.Equal(t, "- https://a/ to https://a/\n- https://b/ to https://b/\n\nsome results", ask(t, w, "web.search", `{"query":"x"}`).Text)
	require.True(t, ask(t, w, "web.search", `{"query":" "}`).Failed)
	for _, name := range []string{"web.search", "web.fetch", "web.browse"} {
		require.Contains(t, ask(t, World{}, name, `{"`+map[bool]string{true: "query", false: "url"}[name == "web.search"]+`":"https://a/"}`).Text, name+" is switched off")
	}
}

// A walk stays on its host, asks for five pages at most, goes two links far, and first where the words lead.
func TestWeb_Browses(t *testing.T) {
	t.Parallel()
	web := library{
		"https://a/":        {Text: "top", Links: linksTo("https://b/", "https://a/x", "https://a/missing", "https://a/wanted")},
		"https://a/wanted":  {Text: "wanted", Links: linksTo("https://a/", "https://a/deep")},
		"https://a/x":       {Text: "x"},
		"https://a/deep":    {Text: "deep", Links: linksTo("https://a/deeper")},
		"https://a/deeper":  {Text: "deeper"},
		"https://b/":        {Text: "elsewhere"},
		"https://many/":     {Text: "top", Links: linksTo("https://many/1", "https://many/2", "https://many/3", "https://many/4", "https://many/5")},
		"https://missing/":  {Text: "top", Links: linksTo("https://missing/1", "https://missing/2", "https://missing/3", "https://missing/4", "https://missing/5")},
		"https://missing/5": {Text: "one page too many"},
	}
	for n := range 5 {
		web[fmt.Sprintf("https://many/%d", n+1)] = Page{Text: strings.Repeat("word ", 1000)}
	}
	w := World{Web: web}
	require.Equal(t, "## https://a/\ntop\n\n## https://a/wanted\nwanted\n\n## https://a/x\nx\n\n## https://a/deep\ndeep",
		ask(t, w, "web.browse", `{"url":"https://a/","query":"Wanted"}`).Text)
	many := ask(t, w, "web.browse", `{"url":"https://many/"}`)
	require.Equal(t, 5, strings.Count(many.Text, "## https://many/"))
	require.NotContains(t, many.Text, "https://many/5")
	require.True(t, many.Cut)
	require.Equal(t, "## https://missing/\ntop", ask(t, w, "web.browse", `{"url":"https://missing/"}`).Text, "what is not there counts, too")
}
