package engine

import (
	"context"
	"errors"
	"net/url"

	"forge/engine/tool"
)

// discreetWeb asks the web nothing that has a secret in it: an address that a model was misled into would carry it away.
type discreetWeb struct {
	web  tool.Web
	host *Host
}

var errSecretAsked = errors.New("there is a secret in what is asked for, and that is sent nowhere")

// Read gives a page, with the errors of the web behind it.
func (d discreetWeb) Read(ctx context.Context, address string) (tool.Page, error) {
	if d.tells(address) {
		return tool.Page{}, errSecretAsked
	}
	return d.web.Read(ctx, address)
}

// Search gives what is found, with the errors of the web behind it.
func (d discreetWeb) Search(ctx context.Context, query string) (tool.Page, error) {
	if d.tells(query) {
		return tool.Page{}, errSecretAsked
	}
	return d.web.Search(ctx, query)
}

// tells reports whether a secret stands in a text, as it is or as addresses spell it.
func (d discreetWeb) tells(text string) bool {
	plain, err := url.QueryUnescape(text)
	return d.host.Secrets.Plain(text) != text || err == nil && d.host.Secrets.Plain(plain) != plain
}
