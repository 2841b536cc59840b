//go:build cgo

package treesitter

import (
	"strings"

	sitter "github.com/smacker/go-tree-sitter"
	grammarOfSwift "github.com/smacker/go-tree-sitter/swift"

	"forge/codeintel"
)

var swift = grammar{
	language: grammarOfSwift.GetLanguage, queries: []string{"swift"},
	names: swiftNames, refine: refineSwift, place: placeSwift,
}

// swiftNames returns the name of a function, or those of a property: "var a = 1, b = 2".
func swiftNames(declaration *sitter.Node) []*sitter.Node {
	var names []*sitter.Node
	for i := range int(declaration.ChildCount()) {
		if declaration.FieldNameForChild(i) != "name" {
			continue
		}
		name := declaration.Child(i)
		if name.Type() == "pattern" {
			name = name.ChildByFieldName("bound_identifier")
		}
		names = append(names, name)
		if declaration.Type() == "function_declaration" {
			break // the type that it returns is called its name too
		}
	}
	return names
}

// refineSwift gives functions and types what precedes their bodies, for which the grammar has no node, and those in an extension the type
// that they extend.
func refineSwift(s *codeintel.Symbol, name *sitter.Node, source string) bool {
	trimBackticks(s)
	declaration := name.Parent()
	switch s.Kind {
	case codeintel.Variable:
		return refineSwiftProperty(s, name, source)
	case codeintel.Function, codeintel.Constructor, codeintel.Class, codeintel.Struct, codeintel.Enum, codeintel.Interface:
	default:
		return true
	}
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

// refineSwiftProperty recognises constants by their keyword, and finds the type of a property.
func refineSwiftProperty(s *codeintel.Symbol, name *sitter.Node, source string) bool {
	if strings.HasSuffix(strings.TrimSpace(source[s.Span.Start:s.NameSpan.Start]), "let") {
		s.Kind = codeintel.Constant
	}
	declaration := ancestor(name, 2)
	for i := range int(declaration.NamedChildCount()) {
		if child := declaration.NamedChild(i); s.Detail == "" && child.Type() == "type_annotation" {
			s.Detail = codeintel.Brief(strings.TrimLeft(child.Content([]byte(source)), ": "))
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
