//go:build cgo

package treesitter

import (
	"strings"

	sitter "github.com/smacker/go-tree-sitter"

	"forge/codeintel"
	"forge/internal/lazyregexp"
)

var (
	// pythonDynamic are ways to give a module names that cannot be seen in its text.
	pythonDynamic = lazyregexp.New(`\b(?:__getattr__|__path__|sys\.modules|setattr|globals|locals|vars|exec|eval)\b`)
	// pythonBound are names that are bound to a module from within expressions and functions.
	pythonWalrus = lazyregexp.New(`(\w+)\s*:=`)
	pythonGlobal = lazyregexp.New(`\bglobal\s+([\w, \t]+)`)
)

// bindPython reads a module. Whatever is bound in it outside of functions and classes, on any condition, is given; an import is taken
// that is made on no condition.
func bindPython(_ *grammar, root *sitter.Node, source string) codeintel.Bindings {
	b := &binding{source: source}
	b.Open = pythonDynamic.MatchString(source)
	for _, m := range pythonWalrus.FindAllStringSubmatch(source, -1) {
		b.Exports = append(b.Exports, m[1])
	}
	for _, m := range pythonGlobal.FindAllStringSubmatch(source, -1) {
		b.Exports = append(b.Exports, strings.FieldsFunc(m[1], func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })...)
	}
	b.pythonBlock(root, pythonPlace{module: true, certain: true})
	return b.Bindings
}

// pythonPlace is where a statement is.
type pythonPlace struct {
	module  bool // it binds names of the module
	certain bool // it is not within a condition, an attempt or a context manager
}

func (p pythonPlace) perhaps() pythonPlace  { p.certain = false; return p }
func (p pythonPlace) function() pythonPlace { p.module = false; return p }

func (b *binding) pythonBlock(block *sitter.Node, p pythonPlace) {
	for statement := range children(block) {
		b.pythonStatement(statement, p)
	}
}

func (b *binding) pythonStatement(n *sitter.Node, p pythonPlace) {
	switch n.Type() {
	case "import_statement":
		b.pythonImport(n, p)
	case "import_from_statement":
		b.pythonFrom(n, p)
	case "function_definition", "class_definition":
		if p.module {
			b.give(n.ChildByFieldName("name"))
		}
		if body := n.ChildByFieldName("body"); body != nil {
			b.pythonBlock(body, p.function())
		}
	case "decorated_definition":
		b.pythonBlock(n, p)
	case "block":
		b.pythonBlock(n, p)
	case "if_statement", "elif_clause", "else_clause", "for_statement", "while_statement", "try_statement", "except_clause",
		"except_group_clause", "finally_clause", "with_statement", "match_statement", "case_clause":
		b.pythonBlock(n, p.perhaps())
	default:
		if p.module {
			b.pythonNames(n)
		}
	}
}

// pythonNames returns the names that a statement, or the head of one, may bind.
func (b *binding) pythonNames(n *sitter.Node) {
	switch n.Type() {
	case "identifier":
		b.give(n)
	case "assignment", "augmented_assignment":
		b.pythonAssigned(n)
		return
	case "call", "lambda", "string", "comment", "dictionary", "attribute", "subscript":
		return
	}
	for child := range children(n) {
		b.pythonNames(child)
	}
}

// pythonAssigned reads "a = b, *c = value".
func (b *binding) pythonAssigned(n *sitter.Node) {
	if left := n.ChildByFieldName("left"); left != nil {
		b.pythonNames(left)
	}
	if right := n.ChildByFieldName("right"); right != nil && right.Type() == "assignment" {
		b.pythonAssigned(right)
	}
}

// pythonImport reads "import a.b, c as d".
func (b *binding) pythonImport(n *sitter.Node, p pythonPlace) {
	for child := range children(n) {
		path := child
		if child.Type() == "aliased_import" {
			path = child.ChildByFieldName("name")
		}
		if path == nil || path.Type() != "dotted_name" {
			continue
		}
		switch {
		case !p.module:
		case path != child:
			b.give(child.ChildByFieldName("alias"))
		default:
			first, _, _ := strings.Cut(b.text(path), ".")
			b.Exports = append(b.Exports, first)
		}
		if p.certain {
			b.need(b.text(path), path)
		}
	}
}

// pythonFrom reads "from .a import b, c as d" and "from a import *".
func (b *binding) pythonFrom(n *sitter.Node, p pythonPlace) {
	module := n.ChildByFieldName("module_name")
	if module == nil {
		return
	}
	path := strings.Join(strings.Fields(b.text(module)), "")
	if p.certain && strings.Trim(path, ".") != "" {
		b.need(path, module)
	}
	for child := range children(n) {
		if same(child, module) {
			continue
		}
		name, bound := child, child
		switch child.Type() {
		case "wildcard_import":
			if p.module {
				b.Reexports = append(b.Reexports, path)
			}
			continue
		case "aliased_import":
			name, bound = child.ChildByFieldName("name"), child.ChildByFieldName("alias")
		case "dotted_name":
		default:
			continue
		}
		if p.module {
			b.give(bound)
		}
		if p.certain && name != nil {
			b.take(path, name)
		}
	}
}
