package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"forge/lsp/editor"
	"forge/lsp/transport"
)

// announcer adds to the capabilities of the server.
type announcer func(c *protocol.ServerCapabilities)

func (s *Server) registerLifecycle() {
	s.dispatcher.Inline(protocol.MethodInitialize, s.initialize)
	s.dispatcher.Inline(protocol.MethodShutdown, s.shutdown)
	transport.OnNotification(s.dispatcher, protocol.MethodInitialized, s.clientIsReady)
	transport.OnNotification(s.dispatcher, protocol.MethodExit, func(context.Context, *transport.NoParams) { s.end() })
}

// initialize settles the session. It does no work: editors wait for it before they show a file.
func (s *Server) initialize(params []byte) (any, error) {
	p, err := transport.Decode[protocol.InitializeParams](params)
	if err != nil {
		return nil, err
	}
	s.session.Begin(p)
	s.docs.Unit = chooseEncoding(p)
	s.watchProcess(p.ProcessID)
	s.session.Enter(editor.Running)

	result := &protocol.InitializeResult{
		ServerInfo: protocol.ServerInfo{Name: "forge", Version: protocol.NewOptional(s.options.Version)},
	}
	result.Capabilities.PositionEncoding = s.docs.Unit
	for _, add := range s.announcers {
		add(&result.Capabilities)
	}
	return result, nil
}

// clientIsReady handles initialized.
func (s *Server) clientIsReady(context.Context, *transport.NoParams) {
	for _, f := range s.initialized {
		f()
	}
}

// shutdown cancels the work of the session. Requests that are being answered are answered; new ones
// are not.
func (s *Server) shutdown([]byte) (any, error) {
	s.session.Enter(editor.Shutdown)
	s.tasks.Cancel()
	return nil, nil
}

// chooseEncoding returns the first of the client's encodings that Forge knows, which is all of LSP's.
func chooseEncoding(p *protocol.InitializeParams) editor.Encoding {
	if general := p.Capabilities.General; general != nil {
		for _, offered := range general.PositionEncodings {
			switch offered {
			case protocol.PositionEncodingKindUTF8, protocol.PositionEncodingKindUTF16, protocol.PositionEncodingKindUTF32:
				return offered
			}
		}
	}
	return protocol.PositionEncodingKindUTF16
}

// end lets Serve return.
func (s *Server) end() { s.endOnce.Do(func() { close(s.stop) }) }
