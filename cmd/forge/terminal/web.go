package terminal

import (
	"context"
	"crypto/x509"
	"net/netip"

	"forge/engine/config"
	"forge/engine/llm/wire"
	"forge/engine/tool"
	"forge/engine/web"
)

// grantsOf is what the settings let tools do.
func grantsOf(s config.Settings) tool.Grants {
	return tool.Grants{Commands: s.Tools.Commands, MCP: mcpTools(s.MCP), Web: tool.WebGrant{
		Allowed: s.Web.Allowed, Offline: s.Web.Allowed && s.Offline, Hosts: s.Web.Hosts, Searches: s.Web.Allowed && s.Web.Search != "",
	}}
}

// webOf reads the web for tools; nil where the settings do not allow it.
func (o Options) webOf(s config.Settings) tool.Web {
	grant := grantsOf(s).Web
	if !grant.On() {
		return nil
	}
	return o.newReader(s, grant)
}

// newReader makes a reader of the web, which trusts the authorities that the settings name, too.
func (o Options) newReader(s config.Settings, grant tool.WebGrant) *web.Reader {
	reach := web.Options{Grant: grant, Search: s.Web.Search, Authorities: func() (*x509.CertPool, error) {
		return wire.Network{CAFiles: s.Network.CAFiles}.Authorities()
	}}
	if o.Loopback {
		reach.Exempt = netip.Addr.IsLoopback
	}
	return web.New(reach)
}

// Fetch reads one address of the web that the user has named, up to so many bytes.
func (p *Parts) Fetch(ctx context.Context, s config.Settings, address string, limit int) (web.Document, error) {
	return p.options.newReader(s, tool.WebGrant{Allowed: true}).Get(ctx, address, limit)
}
