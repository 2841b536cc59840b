package editor

import (
	"go.lsp.dev/protocol"

	"forge/lsp/transport"
)

// client is what the editor announced about itself. The capabilities decide what Forge sends; the
// name is for logs.
type client struct {
	name         string
	version      string
	capabilities protocol.ClientCapabilities
	forge        bool // it takes forge/event, and answers questions with forge.answer
}

func readClient(p *protocol.InitializeParams) client {
	version, _ := p.ClientInfo.Version.Get()
	return client{
		name: p.ClientInfo.Name, version: version,
		capabilities: p.Capabilities,
		forge:        announcesForge(p.Capabilities.Experimental),
	}
}

// announcesForge reads capabilities.experimental.forge, which is true or an object.
func announcesForge(experimental protocol.LSPAny) bool {
	var announced struct {
		Forge protocol.LSPAny `json:"forge"`
	}
	if len(experimental) == 0 || (transport.Codec{}).Unmarshal(experimental, &announced) != nil {
		return false
	}
	value := string(announced.Forge)
	return value != "" && value != "null" && value != "false"
}

// hierarchicalSymbols reports whether the client shows symbols as a tree.
func (c *client) hierarchicalSymbols() bool {
	d := c.capabilities.TextDocument
	return d != nil && d.DocumentSymbol != nil && isTrue(d.DocumentSymbol.HierarchicalDocumentSymbolSupport)
}

// workDoneProgress reports whether the client shows progress that the server begins.
func (c *client) workDoneProgress() bool {
	w := c.capabilities.Window
	return w != nil && isTrue(w.WorkDoneProgress)
}

// isTrue reads an optional capability.
func isTrue(b *bool) bool { return b != nil && *b }
