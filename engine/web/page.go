package web

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"forge/engine/tool"
	"forge/internal/inert"
)

// Read implements tool.Web.
func (r *Reader) Read(ctx context.Context, address string) (tool.Page, error) {
	document, err := r.Get(ctx, address, maxPage)
	if err != nil {
		return tool.Page{}, err
	}
	return document.page()
}

// Search implements tool.Web. Only the host of the search is asked.
func (r *Reader) Search(ctx context.Context, query string) (tool.Page, error) {
	address := strings.ReplaceAll(r.options.Search, QueryMark, url.QueryEscape(query))
	parsed, err := url.Parse(address)
	if err != nil || r.options.Search == "" || !r.options.Grant.On() {
		return tool.Page{}, errors.New("no search is configured: web.search in the user's settings names no search, or the web is switched off")
	}
	document, err := r.get(ctx, address, maxPage, func(host string) bool { return host == parsed.Hostname() })
	if err != nil {
		return tool.Page{}, err
	}
	return document.page()
}

// page is what can be read of a document: all of a text, and what a page of HTML shows.
func (d Document) page() (tool.Page, error) {
	kind, _, err := mime.ParseMediaType(d.Type)
	if err != nil || kind == "" {
		kind, _, _ = mime.ParseMediaType(http.DetectContentType(d.Body))
	}
	text := strings.ToValidUTF8(string(d.Body), "\uFFFD")
	switch {
	case kind == "text/html" || kind == "application/xhtml+xml":
		p := extract(d.URL, text)
		p.Cut = d.Cut
		return p, nil
	case isText(kind):
		return tool.Page{URL: d.URL, Text: inert.Text(text), Cut: d.Cut}, nil
	}
	return tool.Page{}, fmt.Errorf("it is no text: the server calls it %s", inert.Text(kind))
}

// isText reports whether a media type is one of texts.
func isText(kind string) bool {
	switch kind {
	case "application/json", "application/xml", "application/javascript", "application/yaml", "application/toml":
		return true
	}
	return strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "+json") || strings.HasSuffix(kind, "+xml")
}
