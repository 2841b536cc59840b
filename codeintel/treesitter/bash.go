//go:build cgo

package treesitter

import (
	"strings"

	sitter "github.com/smacker/go-tree-sitter"
	grammarOfBash "github.com/smacker/go-tree-sitter/bash"

	"forge/codeintel"
	"forge/codeintel/treesitter/fit"
)

var bash = grammar{
	language: grammarOfBash.GetLanguage, queries: []string{"bash"}, refine: refineBash, start: fit.BashStart,
	names: func(n *sitter.Node) []*sitter.Node { return []*sitter.Node{n} },
}

// refineBash removes the mark of the name of an alias.
func refineBash(s *codeintel.Symbol, _ *sitter.Node, _ string) bool {
	if name, alias := strings.CutSuffix(s.Name, "="); alias {
		s.Name = name
		s.NameSpan.End--
	}
	return s.Name != ""
}
