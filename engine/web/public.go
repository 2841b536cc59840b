package web

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"syscall"
)

// closed are networks that netip does not call private, and that are not part of the public web either: IANA's special-purpose
// registries (RFC 6890). Those that hold an address of version 4 in one of version 6 could lead anywhere.
var closed = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"), // shared by customers of a carrier
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("::/96"),
	netip.MustParsePrefix("64:ff9b::/96"), // NAT64
	netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("100::/64"),
	netip.MustParsePrefix("2001::/23"), // Teredo among them
	netip.MustParsePrefix("2001:db8::/32"),
	netip.MustParsePrefix("2002::/16"), // 6to4
	netip.MustParsePrefix("fec0::/10"),
}

// public reports whether an address is one of the public web.
func public(at netip.Addr) bool {
	at = at.Unmap().WithZone("")
	return at.IsGlobalUnicast() && !at.IsPrivate() && !slices.ContainsFunc(closed, func(p netip.Prefix) bool { return p.Contains(at) })
}

// onlyPublic refuses to connect to any other address, after a name was resolved and before anything is sent.
func (r *Reader) onlyPublic(_ context.Context, _, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("connect to %s: %w", address, err)
	}
	if exempt := r.options.Exempt; public(at.Addr()) || exempt != nil && exempt(at.Addr().Unmap()) {
		return nil
	}
	return fmt.Errorf("it is at %s, which is no address of the public web", at.Addr())
}
