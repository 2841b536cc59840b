//go:build cgo

package treesitter

import (
	"context"
	"slices"

	sitter "github.com/smacker/go-tree-sitter"

	"forge/codeintel"
)

// binders read the bindings of a text without faults, by its tree.
var binders = map[codeintel.Language]func(g *grammar, root *sitter.Node, source string) codeintel.Bindings{
	codeintel.LanguagePython:     bindPython,
	codeintel.LanguageJavaScript: bindScript,
	codeintel.LanguageTypeScript: bindScript,
	codeintel.LanguageTSX:        bindScript,
}

// Bindings reads the imports and exports of a text of JavaScript, TypeScript or Python. A text that its grammar
// does not take without a fault is unknown, and so is a text of another language. The error is of ctx, wrapped.
func (o *Outliner) Bindings(ctx context.Context, language codeintel.Language, source string) (found codeintel.Bindings, err error) {
	bind := binders[language]
	if bind == nil {
		return codeintel.Bindings{}, nil
	}
	_, err = o.withRoot(ctx, "bindings", language, source, func(g *grammar, root *sitter.Node) {
		if root.HasError() {
			return
		}
		found = bind(g, root, source)
		found.Known = true
	})
	slices.Sort(found.Exports)
	found.Exports = slices.Compact(found.Exports)
	slices.SortStableFunc(found.Imports, func(a, b codeintel.ImportedName) int { return a.Span.Start - b.Span.Start })
	return found, err
}

// binding collects the bindings of one text.
type binding struct {
	codeintel.Bindings
	source string
}

// text is that of a node; of none it is empty.
func (b *binding) text(n *sitter.Node) string {
	if n == nil {
		return ""
	}
	return b.source[n.StartByte():n.EndByte()]
}

// give adds the names of nodes; a missing node adds nothing.
func (b *binding) give(names ...*sitter.Node) {
	for _, n := range names {
		if n != nil {
			b.Exports = append(b.Exports, unquoted(b.text(n)))
		}
	}
}

// take adds a name that is imported from a file.
func (b *binding) take(path string, name *sitter.Node) {
	b.Imports = append(b.Imports, codeintel.ImportedName{Path: path, Name: unquoted(b.text(name)), Span: span(name)})
}

// need adds a file that must be there.
func (b *binding) need(path string, at *sitter.Node) {
	b.Imports = append(b.Imports, codeintel.ImportedName{Path: path, Span: span(at)})
}

// under reports whether a node is in a node of one of some types, at any height.
func under(n *sitter.Node, types map[string]bool) bool {
	for n = n.Parent(); n != nil; n = n.Parent() {
		if types[n.Type()] {
			return true
		}
	}
	return false
}
