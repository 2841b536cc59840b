package world

import (
	"context"
	"errors"
	"net/url"

	"forge/engine/secret"
	"forge/engine/tool"
)

// discreetWeb asks the web nothing that has a secret in it: an address that a model was misled into would carry it away.
type discreetWeb struct {
	web     tool.Web
	secrets *secret.Redactor
}

// DiscreetWeb returns a web of which nothing is asked that has a secret in it.
func DiscreetWeb(w tool.Web, s *secret.Redactor) tool.Web { return discreetWeb{w, s} }

var errSecretAsked = errors.New("there is a secret in what is asked for, and that is sent nowhere")

// Read returns a page, with the errors of the web behind it.
func (d discreetWeb) Read(ctx context.Context, address string) (tool.Page, error) {
	if d.hasSecret(address) {
		return tool.Page{}, errSecretAsked
	}
	return d.web.Read(ctx, address)
}

// Search returns what is found, with the errors of the web behind it.
func (d discreetWeb) Search(ctx context.Context, query string) (tool.Page, error) {
	if d.hasSecret(query) {
		return tool.Page{}, errSecretAsked
	}
	return d.web.Search(ctx, query)
}

// hasSecret reports whether a secret is in a text, as it is or as addresses spell it.
func (d discreetWeb) hasSecret(text string) bool {
	plain, err := url.QueryUnescape(text)
	return d.secrets.Plain(text) != text || err == nil && d.secrets.Plain(plain) != plain
}

// discreetMCP sends no secret to an MCP server.
type discreetMCP struct {
	mcp     tool.MCP
	secrets *secret.Redactor
}

// DiscreetMCP returns MCP servers whose tools are called without secrets in their input.
func DiscreetMCP(m tool.MCP, s *secret.Redactor) tool.MCP { return discreetMCP{m, s} }

// Call calls a tool unless a secret is in its input, with the errors of the servers.
func (d discreetMCP) Call(ctx context.Context, c tool.MCPCall) (tool.MCPAnswer, error) {
	if d.secrets.Plain(string(c.Input)) != string(c.Input) {
		return tool.MCPAnswer{Text: "not called: " + errSecretAsked.Error(), Failed: true}, nil
	}
	return d.mcp.Call(ctx, c)
}
