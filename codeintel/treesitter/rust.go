//go:build cgo

package treesitter

import (
	sitter "github.com/smacker/go-tree-sitter"
	grammarOfRust "github.com/smacker/go-tree-sitter/rust"

	"forge/codeintel"
)

var rust = grammar{language: grammarOfRust.GetLanguage, queries: []string{"rust"}, refine: refineRust, imports: splitRustUse}

// refineRust gives functions in an impl the type that they belong to.
func refineRust(s *codeintel.Symbol, name *sitter.Node, source string) bool {
	if s.Kind != codeintel.Function {
		return true
	}
	if impl := ancestor(name, 3); impl != nil && impl.Type() == "impl_item" {
		if owner := impl.ChildByFieldName("type"); owner != nil {
			s.Kind, s.Receiver = codeintel.Method, codeintel.Brief(owner.Content([]byte(source)))
		}
	}
	return true
}

// ancestor returns the node some steps above another one, or nil.
func ancestor(n *sitter.Node, steps int) *sitter.Node {
	for ; n != nil && steps > 0; steps-- {
		n = n.Parent()
	}
	return n
}
