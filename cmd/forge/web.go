package main

import (
	"crypto/x509"
	"net/netip"

	"forge/engine/config"
	"forge/engine/llm/wire"
	"forge/engine/tool"
	"forge/engine/web"
)

// webReach is set by the linker for tests alone, which have no address on the public web: "loopback" has this machine be on it.
var webReach = ""

// grantsOf is what the settings let tools do.
func grantsOf(s config.Settings) tool.Grants {
	return tool.Grants{Commands: s.Tools.Commands, Web: tool.WebGrant{
		Allowed: s.Web.Allowed, Offline: s.Web.Allowed && s.Offline, Hosts: s.Web.Hosts, Searches: s.Web.Allowed && s.Web.Search != "",
	}}
}

// webOf reads the web for tools; nil where the settings do not allow it.
func webOf(s config.Settings) tool.Web {
	grant := grantsOf(s).Web
	if !grant.On() {
		return nil
	}
	return newReader(s, grant)
}

// newReader makes a reader of the web, which trusts the authorities that the settings name, too.
func newReader(s config.Settings, grant tool.WebGrant) *web.Reader {
	o := web.Options{Grant: grant, Search: s.Web.Search, Authorities: func() (*x509.CertPool, error) {
		return wire.Network{CAFiles: s.Network.CAFiles}.Authorities()
	}}
	if webReach == "loopback" {
		o.Exempt = netip.Addr.IsLoopback
	}
	return web.New(o)
}
