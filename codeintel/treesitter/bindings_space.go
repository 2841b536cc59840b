//go:build cgo

package treesitter

import (
	"strings"

	sitter "github.com/smacker/go-tree-sitter"

	"forge/codeintel"
)

// plain are where the name of a namespace may be used without being bound again.
var plain = words("member_expression namespace_import nested_identifier nested_type_identifier arguments pair array spread_element return_statement")

// scriptNames finds all names that may be that of a namespace.
var scriptNames = finders("bindings_space", &javascript, &typescript, &tsx)

// members takes what is used of namespaces as "name.member": what is called, made, or has members itself. A member that is only read may
// be a test whether it exists, and is then not reported.
func (s *script) members(root *sitter.Node) {
	asked := map[string]bool{}
	var found []codeintel.ImportedName
	for match := range scriptNames(s.grammar).matches(root, s.source) {
		n := match["name"]
		path, known := s.spaces[s.text(n)]
		parent := n.Parent()
		switch {
		case !known || parent == nil:
			continue
		case !plain[parent.Type()]:
			delete(s.spaces, s.text(n))
			continue
		}
		member := parent.ChildByFieldName("property")
		if member == nil && parent.Type() == "nested_type_identifier" {
			member = parent.ChildByFieldName("name")
		}
		if member == nil || parent.Parent() == nil {
			continue
		}
		if !s.used(parent) || under(n, doubtful) {
			asked[path+" "+s.text(member)] = true
			continue
		}
		found = append(found, codeintel.ImportedName{Path: s.text(n), Name: s.text(member), Span: span(member)})
	}
	for _, t := range found {
		if path, known := s.spaces[t.Path]; known && !asked[path+" "+t.Name] {
			t.Path = path
			s.Imports = append(s.Imports, t)
		}
	}
}

// used reports whether a member must exist where it is used.
func (s *script) used(member *sitter.Node) bool {
	parent := member.Parent()
	switch parent.Type() {
	case "call_expression", "new_expression", "member_expression":
		inside := same(member, parent.ChildByFieldName("function")) || same(member, parent.ChildByFieldName("constructor")) || same(member, parent.ChildByFieldName("object"))
		return inside && !strings.HasPrefix(s.source[member.EndByte():], "?.")
	default:
		return member.Type() == "nested_type_identifier"
	}
}
