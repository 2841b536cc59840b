//go:build cgo

package treesitter

import (
	"strings"

	sitter "github.com/smacker/go-tree-sitter"
	grammarOfPython "github.com/smacker/go-tree-sitter/python"

	"forge/codeintel"
	"forge/codeintel/treesitter/fit"
)

var python = grammar{
	language: grammarOfPython.GetLanguage,
	queries:  []string{"python"},
	names:    pythonNames,
	whole:    pythonWhole,
	place:    placePython,
	start:    fit.PythonStart,
}

// pythonNames returns the names that an assignment to a pattern binds; "a.b" and "a[0]" in it bind none.
func pythonNames(pattern *sitter.Node) []*sitter.Node {
	switch pattern.Type() {
	case "identifier":
		return []*sitter.Node{pattern}
	case "pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern":
		return inChildren(pattern, pythonNames)
	default:
		return nil
	}
}

// pythonWhole takes the decorators in, and of "a = b = 1" all.
func pythonWhole(definition *sitter.Node) *sitter.Node {
	for {
		parent := definition.Parent()
		if parent == nil || parent.Type() != "decorated_definition" && parent.Type() != "assignment" {
			return definition
		}
		definition = parent
	}
}

func placePython(s *codeintel.Symbol, p place) bool {
	if !placeByDefault(s, p) {
		return false
	}
	switch {
	case s.Kind == codeintel.Method && s.Name == "__init__":
		s.Kind = codeintel.Constructor
	case s.Kind == codeintel.Variable && isAllCaps(s.Name):
		s.Kind = codeintel.Constant
	}
	return true
}

// isAllCaps reports whether a name is written as constants are: with capitals, without small letters.
func isAllCaps(name string) bool {
	return strings.ToUpper(name) == name && strings.ToLower(name) != name
}

// inChildren collects what a hook finds in the children of a node.
func inChildren(n *sitter.Node, find func(*sitter.Node) []*sitter.Node) []*sitter.Node {
	var all []*sitter.Node
	for child := range children(n) {
		all = append(all, find(child)...)
	}
	return all
}
