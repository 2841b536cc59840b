package tool

import (
	"context"
	"fmt"
	"net/url"
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

// webFetch returns the text of a page and, if it does not fit, where to continue.
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

// The limits of a walk through pages.
const (
	maxPages = 5 // that are asked for, whether there is one or not
	maxAway  = 2 // links from the first page
)

type webBrowseArgs struct {
	URL   string `json:"url" jsonschema:"an https address to begin with"`
	Query string `json:"query,omitempty" jsonschema:"words of the links to follow first"`
}

// webBrowse reads a page and those that it leads to on the same host, the nearest first.
func webBrowse(ctx context.Context, w World, a webBrowseArgs) (Result, error) {
	if w.Web == nil || strings.TrimSpace(a.URL) == "" {
		return unasked(w, "web.browse", "url is empty"), nil
	}
	first, err := w.Web.Read(ctx, a.URL)
	if err != nil {
		return unread(ctx, a.URL, err)
	}
	walk := browsing{host: hostOf(first.URL), words: strings.Fields(strings.ToLower(a.Query)), seen: map[string]bool{a.URL: true}, left: maxPages - 1}
	walk.add(first)
	links := walk.follow(first)
	for range maxAway {
		if links, err = walk.read(ctx, w.Web, links); err != nil {
			return Result{}, err
		}
	}
	return Result{Text: walk.summary(), Cut: walk.cut}, nil
}

// browsing is a walk through the pages of one host.
type browsing struct {
	host  string
	words []string // of the links to follow first
	seen  map[string]bool
	pages []Page
	left  int  // how many pages may be asked for yet
	cut   bool // of some pages there was more
}

// read reads the pages of links, up to the limit, and returns the links of those. What cannot be read is passed over.
func (b *browsing) read(ctx context.Context, web Web, links []Link) (next []Link, err error) {
	for _, l := range links[:min(b.left, len(links))] {
		b.left--
		page, err := web.Read(ctx, l.URL)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil && hostOf(page.URL) == b.host { // a redirect may lead elsewhere
			b.add(page)
			next = append(next, b.follow(page)...)
		}
	}
	return next, nil
}

func (b *browsing) add(p Page) {
	b.seen[p.URL] = true
	b.pages = append(b.pages, p)
}

// follow returns the links of a page to pages of the host that were not seen: those with most of the words first.
func (b *browsing) follow(p Page) []Link {
	var links []Link
	for _, l := range p.Links {
		if hostOf(l.URL) == b.host && !b.seen[l.URL] {
			b.seen[l.URL] = true
			links = append(links, l)
		}
	}
	slices.SortStableFunc(links, func(x, y Link) int { return b.matches(y) - b.matches(x) })
	return links
}

func (b *browsing) matches(l Link) (n int) {
	text := strings.ToLower(l.Text + " " + l.URL)
	for _, word := range b.words {
		if strings.Contains(text, word) {
			n++
		}
	}
	return n
}

// summary returns the beginnings of the pages, each with an equal share of the room.
func (b *browsing) summary() string {
	share := MaxOutput/len(b.pages) - len("## \n\n")
	var text strings.Builder
	for _, p := range b.pages {
		name := p.name()
		begins := head(p.Text, max(0, share-len(name)))
		b.cut = b.cut || p.Cut || len(begins) < len(p.Text)
		fmt.Fprintf(&text, "## %s\n%s\n\n", name, strings.TrimSpace(begins))
	}
	return strings.TrimSpace(text.String())
}

func hostOf(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(parsed.Host)
}
