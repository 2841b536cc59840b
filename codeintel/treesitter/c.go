//go:build cgo

package treesitter

import (
	"strings"

	sitter "github.com/smacker/go-tree-sitter"
	grammarOfC "github.com/smacker/go-tree-sitter/c"
	grammarOfCPP "github.com/smacker/go-tree-sitter/cpp"

	"forge/codeintel"
	"forge/codeintel/treesitter/fit"
)

// Nearly half of the files of a large C project have a macro or an #if in them that makes the rest of the file, or a class, an error.
var (
	c = grammar{
		language: grammarOfC.GetLanguage, queries: []string{"c"},
		names: declaratorNames, refine: refineC, guess: fit.WithoutPreprocessor,
	}
	cpp = grammar{
		language: grammarOfCPP.GetLanguage, queries: []string{"cpp", "c"},
		names: declaratorNames, refine: refineC, place: placeCPP, guess: fit.WithoutPreprocessor,
	}
)

// declaratorNames returns the name in a declarator: that of "*a[2]" and "(*a)(int)" is a.
func declaratorNames(declarator *sitter.Node) []*sitter.Node {
	for n := declarator; n != nil; {
		switch n.Type() {
		case "identifier", "field_identifier", "type_identifier", "destructor_name", "operator_name":
			return []*sitter.Node{n}
		case "operator_cast":
			return []*sitter.Node{n}
		case "qualified_identifier", "template_function", "template_method":
			n = n.ChildByFieldName("name")
		case "parenthesized_declarator", "reference_declarator", "attributed_declarator":
			n = firstDeclarator(n)
		default:
			next := n.ChildByFieldName("declarator")
			if next == nil && strings.HasSuffix(n.Type(), "_declarator") {
				next = firstDeclarator(n)
			}
			n = next
		}
	}
	return nil
}

func firstDeclarator(n *sitter.Node) *sitter.Node {
	for i := range int(n.NamedChildCount()) {
		if child := n.NamedChild(i); strings.HasSuffix(child.Type(), "declarator") || strings.HasSuffix(child.Type(), "identifier") ||
			strings.HasSuffix(child.Type(), "_name") {
			return child
		}
	}
	return nil
}

// refineC distinguishes functions, constants and variables, which are declared alike, and finds the owner of a
// method "A::b".
func refineC(s *codeintel.Symbol, name *sitter.Node, source string) bool {
	if s.Kind != codeintel.Variable && s.Kind != codeintel.Field && s.Kind != codeintel.Function {
		return true
	}
	first := name
	for n := name.Parent(); n != nil && (n.Type() == "qualified_identifier" || strings.HasPrefix(n.Type(), "template_")); n = n.Parent() {
		first = n
	}
	if from := int(first.StartByte()); from < s.NameSpan.Start && s.Kind == codeintel.Function {
		s.Kind, s.Receiver = codeintel.Method, strings.TrimSuffix(source[from:s.NameSpan.Start], "::")
	}
	if name.Type() == "operator_cast" {
		s.NameSpan.End = s.NameSpan.Start + len(strings.TrimRight(before(source[s.NameSpan.Start:s.NameSpan.End], "("), " "))
		s.Name = source[s.NameSpan.Start:s.NameSpan.End]
	}
	if s.Kind == codeintel.Function || s.Kind == codeintel.Method {
		return true
	}
	return refineValue(s, name, source)
}

func before(text, mark string) string {
	text, _, _ = strings.Cut(text, mark)
	return text
}

// refineValue is for declarations without a body. What is declared here and defined elsewhere is left out, but not a
// function: its header has more.
func refineValue(s *codeintel.Symbol, name *sitter.Node, source string) bool {
	w := wrappingOf(name)
	header := source[s.Span.Start:s.NameSpan.Start]
	switch {
	case w.function:
		s.Kind = codeintel.Function
		return true
	case strings.HasPrefix(header, "extern ") || strings.HasPrefix(header, "friend "):
		return false
	case strings.Contains(header, "const ") && w.stars == "" || strings.Contains(header, "constexpr "):
		s.Kind = codeintel.Constant
	}
	if w.declaration == nil { // in broken source
		return true
	}
	if kind := w.declaration.ChildByFieldName("type"); kind != nil && !w.pointer {
		text := before(kind.Content([]byte(source)), "{")
		s.Detail = codeintel.Brief(strings.TrimSpace(text) + strings.TrimRight(" "+w.stars, " "))
	}
	return true
}

// wrapping is what is around a name up to its declaration.
type wrapping struct {
	declaration *sitter.Node
	stars       string // of pointers
	function    bool   // the name is that of a function
	pointer     bool   // it is a pointer to a function, or to an array
}

// wrappingOf reads the declarators around a name from the inside out.
func wrappingOf(name *sitter.Node) wrapping {
	w := wrapping{function: name.Type() == "operator_cast" || name.Type() == "destructor_name"}
	n := name.Parent()
	for ; n != nil && !strings.HasSuffix(n.Type(), "declaration") && n.Type() != "function_definition"; n = n.Parent() {
		switch n.Type() {
		case "function_declarator":
			w.function = w.function || !w.pointer
		case "parenthesized_declarator":
			w.pointer = w.pointer || w.stars != ""
		case "pointer_declarator":
			w.stars += "*"
		}
	}
	w.declaration = n
	return w
}

// kindMaker is for what is declared like a constructor.
const kindMaker codeintel.Kind = "maker"

func placeCPP(s *codeintel.Symbol, p place) bool {
	if s.Kind == kindMaker {
		s.Kind = codeintel.Constructor
		return p.In != nil && p.In.Name == s.Name
	}
	if !placeByDefault(s, p) {
		return false
	}
	if s.Kind == codeintel.Method && p.In != nil && p.In.Name == s.Name {
		s.Kind = codeintel.Constructor
	}
	return true
}
