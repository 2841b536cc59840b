package lsp

import (
	"bytes"
	"context"
	"encoding/json"

	"go.lsp.dev/protocol"

	"forge/api"
	"forge/lsp/transport"
)

// Restrictor executes nothing of any folder while it is restricted, also of those that the user trusts.
type Restrictor interface{ Restrict(on bool) }

// registerRestriction takes the client's word on whether the user trusts its workspace: the user may trust a folder on a terminal, and not in
// this editor.
func (s *Server) registerRestriction() {
	transport.OnNotification(s.dispatcher, api.RestrictMethod, func(_ context.Context, p *api.Restriction) { s.restrict(p.Restricted) })
}

// restrictFrom reads the restriction in the parameters of initialize. One that cannot be read restricts.
func (s *Server) restrictFrom(p *protocol.InitializeParams) {
	var told api.Restriction
	err := json.Unmarshal(p.InitializationOptions, &told)
	unclear := err != nil && bytes.HasPrefix(bytes.TrimSpace(p.InitializationOptions), []byte("{"))
	if unclear {
		s.log.Warn("the initializationOptions cannot be read: nothing of the folders is executed", "why", err)
	}
	if told.Restricted || unclear {
		s.restrict(true)
	}
}

func (s *Server) restrict(on bool) {
	if r := s.options.Engine.Restrictor; r != nil {
		r.Restrict(on)
	}
}
