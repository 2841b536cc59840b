//go:build cgo

package treesitter

import (
	"strings"

	sitter "github.com/smacker/go-tree-sitter"
	grammarOfRuby "github.com/smacker/go-tree-sitter/ruby"

	"forge/codeintel"
)

var ruby = grammar{language: grammarOfRuby.GetLanguage, queries: []string{"ruby"}, refine: refineRuby, place: placeRuby, imports: rubyImports}

// refineRuby removes the colons of names that are written as symbols, or from the top.
func refineRuby(s *codeintel.Symbol, _ *sitter.Node, _ string) bool {
	name := strings.TrimLeft(s.Name, ":")
	s.NameSpan.Start += len(s.Name) - len(name)
	s.Name = name
	return name != ""
}

// placeRuby calls functions in modules methods, as Ruby does.
func placeRuby(s *codeintel.Symbol, p place) bool {
	if s.Kind == codeintel.Function && p.In != nil && (p.In.Kind == codeintel.Module || p.In.Kind == codeintel.Class) {
		s.Kind = codeintel.Method
	}
	return placeByDefault(s, p)
}

// rubyImports marks what is required relative to the file.
func rubyImports(i codeintel.Import, statement string) []codeintel.Import {
	if strings.HasPrefix(statement, "require_relative") && !strings.HasPrefix(i.Path, ".") {
		i.Path = "./" + i.Path
	}
	return []codeintel.Import{i}
}
