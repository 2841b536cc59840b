//go:build cgo

package treesitter

import (
	"strings"

	sitter "github.com/smacker/go-tree-sitter"
	grammarOfSwift "github.com/smacker/go-tree-sitter/swift"

	"forge/codeintel"
)

var swift = grammar{language: grammarOfSwift.GetLanguage, queries: []string{"swift"}, refine: refineSwift, place: placeSwift}

// refineSwift gives functions their parameters, for which the grammar has no node, and those in an extension the type
// that they extend.
func refineSwift(s *codeintel.Symbol, name *sitter.Node, source string) bool {
	trimBackticks(s)
	if s.Kind != codeintel.Function && s.Kind != codeintel.Constructor {
		return true
	}
	declaration := name.Parent()
	end := int(declaration.EndByte())
	if body := declaration.ChildByFieldName("body"); body != nil {
		end = int(body.StartByte())
	}
	if end > s.NameSpan.End {
		s.Detail = codeintel.Brief(source[s.NameSpan.End:end])
	}
	around := ancestor(declaration, 2)
	if s.Kind == codeintel.Function && around != nil && around.Type() == "class_declaration" && isExtension(around, source) {
		s.Kind = codeintel.Method
		if owner := around.ChildByFieldName("name"); owner != nil {
			s.Receiver = codeintel.Brief(owner.Content([]byte(source)))
		}
	}
	return true
}

func isExtension(declaration *sitter.Node, source string) bool {
	name := declaration.ChildByFieldName("name")
	return name != nil && strings.HasSuffix(strings.TrimSpace(source[declaration.StartByte():name.StartByte()]), "extension")
}

// placeSwift calls constants in types fields too.
func placeSwift(s *codeintel.Symbol, p place) bool {
	if s.Kind == codeintel.Constant && p.In != nil && isType(p.In.Kind) {
		s.Kind = codeintel.Field
	}
	return placeByDefault(s, p)
}
