package lsp

// Engine starts runs for the editor.
type Engine interface{}

// registerFront registers what is Forge's own: commands, code actions, progress and proposals.
func (s *Server) registerFront() {}
