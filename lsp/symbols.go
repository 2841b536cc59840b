package lsp

// registerSymbols registers textDocument/documentSymbol.
func (s *Server) registerSymbols() {}
