//go:build cgo

package treesitter

import (
	"slices"

	sitter "github.com/smacker/go-tree-sitter"

	"forge/codeintel"
)

// script reads the bindings of a text of JavaScript or TypeScript: modules of ECMAScript, and of CommonJS where what is exported is
// written out.
type script struct {
	binding
	grammar  *grammar
	standard bool              // it has imports or exports of ECMAScript
	common   bool              // it exports as CommonJS does
	spaces   map[string]string // names for all exports of a file, and the file
	stood    map[string]bool   // files that the text replaces by others, as tests do
}

// scriptStatements finds imports and exports of ECMAScript.
var scriptStatements = map[*grammar]func() finder{
	&javascript: javascript.finder("bindings"),
	&typescript: typescript.finder("bindings", "bindings_typescript"),
	&tsx:        tsx.finder("bindings", "bindings_typescript"),
}

func bindScript(g *grammar, root *sitter.Node, source string) codeintel.Bindings {
	s := &script{binding: binding{source: source}, grammar: g, spaces: map[string]string{}, stood: map[string]bool{}}
	for found := range scriptStatements[g]().matches(root, source) {
		if same(found["at"].Parent(), root) {
			s.statement(found)
		}
	}
	s.anywhere(root)
	if len(s.spaces) > 0 {
		s.members(root)
	}
	s.Open = s.Open || s.standard && s.common
	if !s.standard {
		s.Exports = append(s.Exports, codeintel.DefaultName) // every import of CommonJS has it
	}
	s.Imports = slices.DeleteFunc(s.Imports, func(t codeintel.ImportedName) bool { return s.stood[t.Path] })
	return s.Bindings
}

// statement reads a part of an import or export, by its captures.
func (s *script) statement(found map[string]*sitter.Node) {
	path := unquoted(s.text(found["path"]))
	s.standard = s.standard || found["at"].Type() != "ambient_declaration"
	for capture, n := range found {
		switch capture {
		case "need":
			s.need(unquoted(s.text(n)), n)
		case "default":
			s.Imports = append(s.Imports, codeintel.ImportedName{Path: path, Name: codeintel.DefaultName, Span: span(n)})
		case "space":
			s.spaces[s.text(n)] = path
		case "take":
			s.take(path, n)
		case "pass":
			s.Reexports = append(s.Reexports, unquoted(s.text(n)))
		case "give":
			for n.Type() == "nested_identifier" { // "namespace a.b"
				n = firstNamed(n)
			}
			s.give(n)
		case "names":
			s.give(ecmaScriptNames(n)...)
		case "open":
			s.Open = true // "export = a"
		case "add":
			s.Adds = append(s.Adds, unquoted(s.text(n)))
		}
	}
}

func firstNamed(n *sitter.Node) *sitter.Node {
	if n.NamedChildCount() == 0 {
		return nil
	}
	return n.NamedChild(0)
}
