package tool

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// searchTool is the tool that asks a search engine.
const searchTool = "web.search"

type webSearchArgs struct {
	Query string `json:"query"`
}

// webSearch returns the answer of a search engine: its links first, since they are the results.
func webSearch(ctx context.Context, w World, a webSearchArgs) (Result, error) {
	if w.Web == nil || strings.TrimSpace(a.Query) == "" {
		return unasked(w, searchTool, "the query is empty"), nil
	}
	page, err := w.Web.Search(ctx, a.Query)
	if err != nil {
		return unread(ctx, "the search", err)
	}
	links := head(listLinks(page.Links), MaxOutput/2)
	text := fmt.Sprintf("%s\n%s", links, page.Text)
	return Result{Text: strings.TrimSpace(text), Cut: page.Cut && len(text) <= MaxOutput}, nil
}

type webFetchArgs struct {
	URL   string `json:"url" jsonschema:"an https address"`
	Start int    `json:"start,omitempty" jsonschema:"first line, from 1"`
}

// webFetch gives the text of a page, and says where to go on where it does not fit.
func webFetch(ctx context.Context, w World, a webFetchArgs) (Result, error) {
	if w.Web == nil || strings.TrimSpace(a.URL) == "" {
		return unasked(w, "web.fetch", "url is empty"), nil
	}
	page, err := w.Web.Read(ctx, a.URL)
	if err != nil {
		return unread(ctx, a.URL, err)
	}
	lines := slices.Collect(strings.Lines(page.Text))
	first := max(a.Start, 1)
	switch {
	case len(lines) == 0:
		return Result{Text: page.name() + " has no text"}, nil
	case first > len(lines):
		return failed("%s has %d lines", page.URL, len(lines)), nil
	}
	r := excerpt(page.name(), lines, first, len(lines))
	if page.Cut && !r.Cut {
		r.Text, r.Cut = r.Text+"\n[… the page is longer than is read]", true
	}
	return r, nil
}

// name is a page with its title, on one line that is not too long.
func (p Page) name() string {
	if p.Title == "" {
		return head(p.URL, room)
	}
	return head(fmt.Sprintf("%s (%s)", p.URL, p.Title), room)
}

// listLinks are links, one a line.
func listLinks(links []Link) string {
	var b strings.Builder
	for _, l := range links {
		fmt.Fprintf(&b, "- %s %s\n", l.URL, l.Text)
	}
	return b.String()
}

// unasked returns the reason why no page was requested.
func unasked(w World, name, wrong string) Result {
	if w.Web == nil {
		return failed("%s", WebGrant{}.refuses(name, ""))
	}
	return failed("%s", wrong)
}

// unread returns the reason why there is no page. Failures of the web break no run.
func unread(ctx context.Context, what string, err error) (Result, error) {
	if ctx.Err() != nil {
		return Result{}, ctx.Err()
	}
	return failed("%s cannot be read: %v", what, err), nil
}
