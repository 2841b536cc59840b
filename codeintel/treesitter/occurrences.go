//go:build cgo

package treesitter

import (
	"context"
	"slices"
	"strings"

	sitter "github.com/smacker/go-tree-sitter"

	"forge/codeintel"
	"forge/codeintel/treesitter/fit"
)

// Occurrences finds where a name is in the code of a text: Go by its own parser, other languages by their grammars. What a
// grammar cannot bear, and a text of a language without one, is unknown. The error is of ctx, wrapped.
func (o *Outliner) Occurrences(ctx context.Context, language codeintel.Language, source, name string) (found []codeintel.Occurrence, known bool, err error) {
	if name == "" || !strings.Contains(source, name) {
		return nil, true, nil
	}
	if language == codeintel.LanguageGo && isCode(source, maxGrammar) {
		found, known = codeintel.GoOccurrences(source, name)
		return found, known, ended(ctx, "names", language)
	}
	known, err = o.withRoot(ctx, "names", language, source, func(_ *grammar, root *sitter.Node) {
		n := naming{language: fit.Dialect(language, source), source: source, name: name}
		n.walk(root, "")
		found = n.resolved()
	})
	return found, known, err
}

// naming collects the places of a name in a tree.
type naming struct {
	language     codeintel.Language
	source, name string

	way   []crossing // from the root to the node that is visited
	found []codeintel.Occurrence
	in    [][]codeintel.Span      // the scopes around each that was found, the innermost last
	held  []codeintel.Span        // the scopes that declare the name
	free  map[codeintel.Span]bool // scopes in which the name is declared to be that of the file ("global x")
}

// crossing is a node on the way, and the field of its parent that it is.
type crossing struct {
	node  *sitter.Node
	kind  string
	field string
}

// walk goes down as deep as the tree is, which was looked at before.
func (n *naming) walk(node *sitter.Node, field string) {
	n.way = append(n.way, crossing{node, node.Type(), field})
	defer func() { n.way = n.way[:len(n.way)-1] }()
	if node.ChildCount() == 0 {
		n.leaf(node)
		return
	}
	if !strings.Contains(n.source[node.StartByte():node.EndByte()], n.name) {
		return
	}
	cursor := sitter.NewTreeCursor(node)
	defer cursor.Close()
	for ok := cursor.GoToFirstChild(); ok; ok = cursor.GoToNextSibling() {
		n.walk(cursor.CurrentNode(), cursor.CurrentFieldName())
	}
}

// leaf adds a token that is the name. Keywords have no name in a grammar, and words of strings and comments are no tokens of their own.
func (n *naming) leaf(node *sitter.Node) {
	kind := node.Type()
	if !node.IsNamed() || strings.Contains(kind, "comment") || isText(kind) || n.source[node.StartByte():node.EndByte()] != n.name {
		return
	}
	if n.under("variable_name") && n.language == codeintel.LanguagePHP { // $name is another thing than name
		return
	}
	o := codeintel.Occurrence{Span: span(node), Short: strings.HasPrefix(kind, "shorthand_property_identifier")}
	o.Imports = slices.ContainsFunc(n.way, func(c crossing) bool { return strings.HasPrefix(c.kind, "import_") })
	declared, at := n.declares()
	if n.under("global_statement") || n.under("nonlocal_statement") {
		if scopes := n.scopes(len(n.way)); len(scopes) > 0 {
			if n.free == nil {
				n.free = map[codeintel.Span]bool{}
			}
			n.free[scopes[len(scopes)-1]] = true
		}
	}
	scopes := n.scopes(len(n.way))
	if declared {
		scopes = n.scopes(at)
		o.Defines = true
		if holder, is := n.holder(at); is {
			o.Member, o.Holder, scopes = true, holder, nil
		} else if len(scopes) > 0 {
			n.held = append(n.held, scopes[len(scopes)-1])
		}
	} else {
		o.Member = n.isMember(kind)
		o.Holder, _ = n.holder(len(n.way))
	}
	n.found, n.in = append(n.found, o), append(n.in, scopes)
}

// under reports whether the parent of the node that is visited is of a kind.
func (n *naming) under(kind string) bool {
	return len(n.way) > 1 && n.way[len(n.way)-2].kind == kind
}

// scopes are the spans of functions and, where the language has them, of blocks among the first nodes of the way, but for those in which
// a type is closer.
func (n *naming) scopes(upTo int) (around []codeintel.Span) {
	for _, c := range n.way[:upTo] {
		if n.isScope(c.kind) && c.node.ChildCount() > 0 {
			around = append(around, span(c.node))
		}
	}
	return around
}

// holder is the type whose body a declaration is in, if no function is between.
func (n *naming) holder(upTo int) (codeintel.Span, bool) {
	for _, c := range slices.Backward(n.way[:upTo]) {
		switch {
		case isHolder(c.kind) && c.node.ChildCount() > 0:
			return span(c.node), true
		case n.isScope(c.kind):
			return codeintel.Span{}, false
		}
	}
	return codeintel.Span{}, false
}

// isMember reports whether the node that is visited, which declares nothing, names a member of something.
func (n *naming) isMember(kind string) bool {
	c := n.way[len(n.way)-1]
	if kind == "field_identifier" || kind == "property_identifier" {
		return true
	}
	switch c.field {
	case "attribute", "property", "field", "key":
		return true
	case "name":
		parent := n.way[len(n.way)-2].kind
		return strings.Contains(parent, "access") || strings.Contains(parent, "invocation") || strings.Contains(parent, "keyword_argument") || strings.Contains(parent, "scoped")
	case "method":
		return n.way[len(n.way)-2].node.ChildByFieldName("receiver") != nil
	}
	return strings.HasPrefix(n.way[len(n.way)-2].kind, "navigation")
}

// resolved returns what was found with the numbers of local declarations: a name is that of the innermost scope which declares it.
func (n *naming) resolved() []codeintel.Occurrence {
	numbers := map[codeintel.Span]int{}
	for i := range n.found {
		o := &n.found[i]
		if o.Member {
			continue
		}
		for _, scope := range slices.Backward(n.in[i]) {
			if n.free[scope] {
				break
			}
			if !slices.Contains(n.held, scope) {
				continue
			}
			if numbers[scope] == 0 {
				numbers[scope] = len(numbers) + 1
			}
			o.Local, o.Scope = numbers[scope], scope
			break
		}
	}
	return n.found
}
