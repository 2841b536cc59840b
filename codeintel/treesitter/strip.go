//go:build cgo

package treesitter

import (
	"context"
	"slices"
	"strings"

	sitter "github.com/smacker/go-tree-sitter"

	"forge/codeintel"
)

// Strip leaves the code of a text: Go by its own scanner, other languages by their grammars. A text that its grammar does not take
// without a fault is unknown, and so is a text of a language without one. The error is of ctx, wrapped.
func (o *Outliner) Strip(ctx context.Context, language codeintel.Language, source string) (code string, known bool, err error) {
	if source == "" {
		return "", true, nil
	}
	if language == codeintel.LanguageGo && isCode(source, maxGrammar) {
		code, known = codeintel.StripGo(source)
		return code, known, ended(ctx, "code", language)
	}
	_, err = o.withRoot(ctx, "code", language, source, func(g *grammar, root *sitter.Node) {
		if root.HasError() {
			return
		}
		s := stripping{source: source, docstrings: g == &python}
		s.inside(root)
		code, known = s.left.String(), true
	})
	return code, known, err
}

// stripping writes down the words of a text and how they are nested: where there is no bracket, a blank or the end of a line may
// be what nests them.
type stripping struct {
	source     string
	docstrings bool
	left       strings.Builder
}

// inside writes what a node is made of. What is between its children, such as the text of a string, is code, too.
func (s *stripping) inside(n *sitter.Node) {
	at := n.StartByte()
	for child := range children(n) {
		s.put(s.source[at:child.StartByte()])
		at = child.EndByte()
		switch kind := child.Type(); {
		case s.isForReaders(child):
		case child.ChildCount() == 0 || isText(kind):
			s.put(s.source[child.StartByte():child.EndByte()])
		default:
			s.left.WriteString("(" + kind + "\n")
			s.inside(child)
			s.left.WriteString(")\n")
		}
	}
	s.put(s.source[at:n.EndByte()])
}

func (s *stripping) put(text string) {
	if strings.TrimSpace(text) != "" {
		s.left.WriteString(text + "\n")
	}
}

// isForReaders reports whether a node is a comment that no tool obeys, or a docstring.
func (s *stripping) isForReaders(n *sitter.Node) bool {
	text := s.source[n.StartByte():n.EndByte()]
	return strings.Contains(n.Type(), "comment") && !codeintel.IsObeyed(text) || s.docstrings && isDocstring(n)
}

// isDocstring reports whether a node of Python is a string alone, first in a module, a class or a function.
func isDocstring(n *sitter.Node) bool {
	if n.Type() != "expression_statement" || n.NamedChildCount() != 1 || n.NamedChild(0).Type() != "string" {
		return false
	}
	for part := range children(n.NamedChild(0)) {
		if part.Type() == "interpolation" { // it is executed
			return false
		}
	}
	for before := n.PrevNamedSibling(); before != nil; before = before.PrevNamedSibling() {
		if before.Type() != "comment" {
			return false
		}
	}
	around := n.Parent()
	if around.Type() == "block" {
		around = around.Parent()
	}
	return slices.Contains([]string{"module", "class_definition", "function_definition"}, around.Type())
}

// textKinds are parts of the names of nodes in which each blank counts.
var textKinds = []string{"string", "heredoc", "char", "regex", "text", "quoted"}

// isText reports whether blanks in a node of a kind belong to its text.
func isText(kind string) bool {
	return slices.ContainsFunc(textKinds, func(part string) bool { return strings.Contains(kind, part) })
}
