//go:build cgo

package treesitter

import (
	"slices"
	"strings"

	sitter "github.com/smacker/go-tree-sitter"
	grammarOfKotlin "github.com/smacker/go-tree-sitter/kotlin"

	"forge/codeintel"
	"forge/codeintel/treesitter/fit"
)

var kotlin = grammar{language: grammarOfKotlin.GetLanguage, queries: []string{"kotlin"}, refine: refineKotlin, imports: withStar, guess: fit.CloseBraces}

// refineKotlin removes the backticks of a name, distinguishes constants from variables, and gives extensions the type
// that they extend. The modifiers are checked here, as a pattern for one of them costs the cube of their number.
func refineKotlin(s *codeintel.Symbol, name *sitter.Node, source string) bool {
	trimBackticks(s)
	if isType(s.Kind) && s.Kind != codeintel.Type {
		s.Detail = headerAfter(name, source, "class_body", "enum_class_body")
	}
	if s.Kind != codeintel.Function && s.Kind != codeintel.Variable {
		return true
	}
	header := source[s.Span.Start:s.NameSpan.Start]
	if s.Kind == codeintel.Variable && slices.Contains(strings.Fields(header), "const") {
		s.Kind = codeintel.Constant
		return true
	}
	if !strings.HasSuffix(strings.TrimRight(header, "` "), ".") {
		return true
	}
	declaration := name.Parent()
	if s.Kind == codeintel.Variable {
		declaration = declaration.Parent()
	} else {
		s.Kind = codeintel.Method
	}
	for i := range int(declaration.NamedChildCount()) {
		child := declaration.NamedChild(i)
		if int(child.EndByte()) <= s.NameSpan.Start && (child.Type() == "user_type" || child.Type() == "nullable_type" || child.Type() == "parenthesized_type") {
			s.Receiver = codeintel.Brief(child.Content([]byte(source)))
		}
	}
	return true
}

// trimBackticks removes the backticks of a name.
func trimBackticks(s *codeintel.Symbol) {
	if len(s.Name) > 2 && s.Name[0] == '`' {
		s.Name = s.Name[1 : len(s.Name)-1]
		s.NameSpan.Start++
		s.NameSpan.End--
	}
}

// headerAfter returns what is between the name and the body of a declaration.
func headerAfter(name *sitter.Node, source string, bodies ...string) string {
	declaration := name.Parent()
	end := int(declaration.EndByte())
	for i := range int(declaration.NamedChildCount()) {
		if child := declaration.NamedChild(i); slices.Contains(bodies, child.Type()) {
			end = int(child.StartByte())
			break
		}
	}
	return codeintel.Brief(source[name.EndByte():max(end, int(name.EndByte()))])
}
