//go:build cgo

package treesitter

import (
	sitter "github.com/smacker/go-tree-sitter"
	grammarOfJavaScript "github.com/smacker/go-tree-sitter/javascript"
	grammarOfTSX "github.com/smacker/go-tree-sitter/typescript/tsx"
	grammarOfTypeScript "github.com/smacker/go-tree-sitter/typescript/typescript"

	"forge/codeintel"
	"forge/codeintel/treesitter/fit"
)

var (
	javascript = grammar{
		language: grammarOfJavaScript.GetLanguage, queries: []string{"ecmascript", "javascript"},
		names: ecmaScriptNames, whole: ecmaScriptWhole, place: placeEcmaScript, start: fit.EcmaScriptStart,
	}
	typescript = grammar{
		language: grammarOfTypeScript.GetLanguage, queries: []string{"ecmascript", "typescript"},
		names: ecmaScriptNames, whole: ecmaScriptWhole, place: placeEcmaScript, repair: fit.TypeScript, start: fit.EcmaScriptStart,
	}
	tsx = grammar{
		language: grammarOfTSX.GetLanguage, queries: []string{"ecmascript", "typescript"},
		names: ecmaScriptNames, whole: ecmaScriptWhole, place: placeEcmaScript, repair: fit.TypeScript, start: fit.EcmaScriptStart,
	}
)

// Kinds that only these queries have.
const (
	kindLiteral   codeintel.Kind = "literal"   // a function in an object literal
	kindParameter codeintel.Kind = "parameter" // of a constructor, that becomes a field
)

// ecmaScriptNames returns the names that a declaration binds, destructuring included.
func ecmaScriptNames(pattern *sitter.Node) []*sitter.Node {
	if pattern == nil { // in broken source
		return nil
	}
	switch pattern.Type() {
	case "identifier", "shorthand_property_identifier_pattern":
		return []*sitter.Node{pattern}
	case "object_pattern", "array_pattern", "rest_pattern":
		return inChildren(pattern, ecmaScriptNames)
	case "pair_pattern":
		return ecmaScriptNames(pattern.ChildByFieldName("value"))
	case "assignment_pattern", "object_assignment_pattern":
		return ecmaScriptNames(pattern.ChildByFieldName("left"))
	default:
		return nil
	}
}

// ecmaScriptWhole includes what is around a declaration, such as "export const": not if several are declared.
func ecmaScriptWhole(definition *sitter.Node) *sitter.Node {
	for {
		parent := definition.Parent()
		if parent == nil {
			return definition
		}
		switch parent.Type() {
		case "export_statement", "ambient_declaration", "expression_statement":
		case "lexical_declaration", "variable_declaration":
			if parent.NamedChildCount() > 1 {
				return definition
			}
		default:
			return definition
		}
		definition = parent
	}
}

func placeEcmaScript(s *codeintel.Symbol, p place) bool {
	switch s.Kind {
	case kindLiteral:
		s.Kind = codeintel.Method
		return !p.Local
	case kindParameter:
		s.Kind = codeintel.Field
		return p.In != nil && p.In.Kind == codeintel.Constructor
	case codeintel.Method:
		if s.Name == "constructor" && p.In != nil && p.In.Kind == codeintel.Class {
			s.Kind = codeintel.Constructor
		}
		return true
	default:
		return !isVariable(s.Kind) || s.Kind == codeintel.Field || !p.Local
	}
}
