//go:build cgo

package treesitter

import (
	"slices"
	"strings"

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
	spaces   map[string]string // names that stand for all that a file gives, and the file
	stood    map[string]bool   // files that the text replaces by others, as tests do
}

func bindScript(g *grammar, root *sitter.Node, source string) codeintel.Bindings {
	s := &script{binding: binding{source: source}, grammar: g, spaces: map[string]string{}, stood: map[string]bool{}}
	s.block(root)
	s.anywhere(root)
	if len(s.spaces) > 0 {
		s.members(root)
	}
	s.Open = s.Open || s.standard && s.common
	if !s.standard {
		s.Gives = append(s.Gives, codeintel.DefaultName) // every import of CommonJS has it
	}
	s.Takes = slices.DeleteFunc(s.Takes, func(t codeintel.Taking) bool { return s.stood[t.Path] })
	return s.Bindings
}

// block reads the statements of a file: its imports and exports.
func (s *script) block(root *sitter.Node) {
	for n := range children(root) {
		switch n.Type() {
		case "import_statement":
			s.standard = true
			s.importing(n)
		case "export_statement":
			s.standard = true
			s.exporting(n)
		case "import_alias":
			s.standard = true
		case "ambient_declaration", "module":
			s.adding(n)
		}
	}
}

// adding reads "declare module './a' {}".
func (s *script) adding(n *sitter.Node) {
	if n.Type() == "module" {
		if name := n.ChildByFieldName("name"); name != nil && name.Type() == "string" {
			s.Adds = append(s.Adds, unquoted(s.text(name)))
		}
		return
	}
	for child := range children(n) {
		if child.Type() == "module" {
			s.adding(child)
		}
	}
}

// importing reads "import a, {b as c} from './d'", and "import a = require('./d')".
func (s *script) importing(n *sitter.Node) {
	source := n.ChildByFieldName("source")
	if source == nil {
		s.importRequire(n)
		return
	}
	path := unquoted(s.text(source))
	s.need(path, source)
	for clause := range children(n) {
		if clause.Type() != "import_clause" {
			continue
		}
		for part := range children(clause) {
			switch part.Type() {
			case "identifier":
				s.Takes = append(s.Takes, codeintel.Taking{Path: path, Name: codeintel.DefaultName, Span: span(part)})
			case "namespace_import":
				s.space(path, part)
			case "named_imports":
				s.specifiers(part, "import_specifier", func(name, _ *sitter.Node) { s.take(path, name) })
			}
		}
	}
}

func (s *script) importRequire(n *sitter.Node) {
	for child := range children(n) {
		if source := child.ChildByFieldName("source"); child.Type() == "import_require_clause" && source != nil {
			s.need(unquoted(s.text(source)), source)
		}
	}
}

// space notes the name of "* as name".
func (s *script) space(path string, n *sitter.Node) {
	for child := range children(n) {
		if child.Type() == "identifier" {
			s.spaces[s.text(child)] = path
		}
	}
}

// specifiers goes through "{a, b as c}".
func (s *script) specifiers(list *sitter.Node, kind string, do func(name, alias *sitter.Node)) {
	for child := range children(list) {
		if name := child.ChildByFieldName("name"); child.Type() == kind && name != nil {
			do(name, child.ChildByFieldName("alias"))
		}
	}
}

// exporting reads an export of ECMAScript.
func (s *script) exporting(n *sitter.Node) {
	path, source := "", n.ChildByFieldName("source")
	if source != nil {
		path = unquoted(s.text(source))
		s.need(path, source)
	}
	listed := false
	for child := range children(n) {
		switch child.Type() {
		case "default":
			s.Gives, listed = append(s.Gives, codeintel.DefaultName), true
		case "namespace_export":
			s.give(lastNamed(child))
			listed = true
		case "export_clause":
			listed = true
			s.specifiers(child, "export_specifier", func(name, alias *sitter.Node) {
				if alias == nil {
					alias = name
				}
				s.give(alias)
				if source != nil {
					s.take(path, name)
				}
			})
		case "=":
			s.Open = true // "export = a"
		case "import_alias":
			s.give(firstNamed(child))
		}
	}
	if source != nil && !listed {
		s.Passes = append(s.Passes, path)
	}
	if declared := n.ChildByFieldName("declaration"); declared != nil {
		s.declared(declared)
	}
}

// declared gives the names of a declaration that is exported.
func (s *script) declared(n *sitter.Node) {
	switch n.Type() {
	case "lexical_declaration", "variable_declaration":
		for child := range children(n) {
			if child.Type() == "variable_declarator" {
				s.give(ecmaScriptNames(child.ChildByFieldName("name"))...)
			}
		}
	case "ambient_declaration", "expression_statement":
		for child := range children(n) {
			s.declared(child)
		}
	case "import_alias":
		s.give(firstNamed(n))
	default:
		if name := n.ChildByFieldName("name"); name != nil {
			first, _, _ := strings.Cut(s.text(name), ".") // "namespace a.b"
			s.Gives = append(s.Gives, first)
		}
	}
}

func firstNamed(n *sitter.Node) *sitter.Node {
	if n.NamedChildCount() == 0 {
		return nil
	}
	return n.NamedChild(0)
}

func lastNamed(n *sitter.Node) *sitter.Node {
	if n.NamedChildCount() == 0 {
		return nil
	}
	return n.NamedChild(int(n.NamedChildCount()) - 1)
}
