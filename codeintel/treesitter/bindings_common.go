//go:build cgo

package treesitter

import sitter "github.com/smacker/go-tree-sitter"

// doubtful are what may contain a call that is perhaps never made, or may fail.
var doubtful = words("try_statement if_statement ternary_expression binary_expression switch_statement catch_clause")

// scriptAnywhere finds what may be anywhere: calls that may lead to a file, and what CommonJS exports.
var scriptAnywhere = finders("bindings_common", &javascript, &typescript, &tsx)

// anywhere reads it.
func (s *script) anywhere(root *sitter.Node) {
	for found := range scriptAnywhere(s.grammar).matches(root, s.source) {
		switch call, name := found["call"], found["name"]; {
		case call != nil:
			s.call(call)
		case name != nil:
			s.common = s.common || s.text(name) != "define"
			s.commonName(name)
		default:
			s.Open = true // "this" of a file is its exports
		}
	}
}

// call reads "require('./a')" and "import('./a')"; mocks of a file do not count.
func (s *script) call(n *sitter.Node) {
	function, arguments := n.ChildByFieldName("function"), n.ChildByFieldName("arguments")
	if function == nil || arguments == nil {
		return
	}
	at := firstNamed(arguments)
	path := unquoted(s.text(at))
	switch {
	case function.Type() == "member_expression":
		s.stood[path] = true
		return
	case s.text(function) != "require" && function.Type() != "import", under(n, doubtful), caught(n):
		return
	}
	s.need(path, at)
	if pattern := taken(n); pattern != nil && pattern.Type() == "object_pattern" {
		s.pattern(path, pattern)
	}
}

// caught reports whether the failure of a promise is handled: "import('./a').catch(…)", ".then(…, …)".
func caught(n *sitter.Node) bool {
	parent := n.Parent()
	return parent != nil && parent.Type() == "member_expression"
}

// taken is what a call is assigned to in a declaration; nil where it is not.
func taken(n *sitter.Node) *sitter.Node {
	parent := n.Parent()
	if parent != nil && parent.Type() == "await_expression" {
		parent = parent.Parent()
	}
	if parent == nil || parent.Type() != "variable_declarator" {
		return nil
	}
	return parent.ChildByFieldName("name")
}

// pattern takes the names in "{a, b: c}"; one with a value that replaces it may be missing.
func (s *script) pattern(path string, pattern *sitter.Node) {
	for child := range children(pattern) {
		switch child.Type() {
		case "shorthand_property_identifier_pattern":
			s.take(path, child)
		case "pair_pattern":
			if key, value := child.ChildByFieldName("key"), child.ChildByFieldName("value"); key != nil && value != nil &&
				key.Type() != "computed_property_name" && value.Type() != "assignment_pattern" {
				s.take(path, key)
			}
		}
	}
}

// commonName reads a use of "module", "exports" or "define". What is no plain export may export anything.
func (s *script) commonName(n *sitter.Node) {
	left := n
	if s.text(n) == "module" {
		left = n.Parent()
		if left == nil || left.Type() != "member_expression" || s.text(left) != "module.exports" {
			s.Open = true
			return
		}
	}
	parent := left.Parent()
	switch {
	case parent == nil || s.text(n) == "define":
		s.Open = true
	case parent.Type() == "member_expression" && same(left, parent.ChildByFieldName("object")):
		s.give(parent.ChildByFieldName("property"))
	case parent.Type() == "assignment_expression" && same(left, parent.ChildByFieldName("left")):
		s.exported(parent)
	case parent.Type() == "arguments":
		s.defined(left, parent)
	default:
		s.Open = true
	}
}

// exported reads "module.exports = exports = {a, b: c}", and "module.exports = require('./a')".
func (s *script) exported(assignment *sitter.Node) {
	right := assignment.ChildByFieldName("right")
	for right != nil && right.Type() == "assignment_expression" {
		right = right.ChildByFieldName("right")
	}
	switch {
	case right == nil:
		s.Open = true
	case right.Type() == "object":
		s.object(right)
	case right.Type() == "call_expression" && s.text(right.ChildByFieldName("function")) == "require" && !under(right, doubtful):
		if path := firstNamed(right.ChildByFieldName("arguments")); path != nil && path.Type() == "string" {
			s.Reexports = append(s.Reexports, unquoted(s.text(path)))
			return
		}
		s.Open = true
	default:
		s.Open = true
	}
}

// object adds the names in "{a, b: c, d() {}}".
func (s *script) object(n *sitter.Node) {
	for child := range children(n) {
		switch child.Type() {
		case "shorthand_property_identifier":
			s.give(child)
		case "pair", "method_definition":
			name := child.ChildByFieldName("key")
			if name == nil {
				name = child.ChildByFieldName("name")
			}
			s.Open = s.Open || name == nil || name.Type() == "computed_property_name"
			s.give(name)
		case "spread_element":
			s.Open = true
		}
	}
}

// defined reads "Object.defineProperty(exports, 'a', …)".
func (s *script) defined(left, arguments *sitter.Node) {
	call := arguments.Parent()
	if call == nil || call.Type() != "call_expression" || s.text(call.ChildByFieldName("function")) != "Object.defineProperty" ||
		arguments.NamedChildCount() < 2 || !same(left, arguments.NamedChild(0)) || arguments.NamedChild(1).Type() != "string" {
		s.Open = true
		return
	}
	s.give(arguments.NamedChild(1))
}
