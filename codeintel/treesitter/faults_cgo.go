//go:build cgo

package treesitter

import (
	"context"
	"slices"

	sitter "github.com/smacker/go-tree-sitter"

	"forge/codeintel"
)

// maxReported bounds the faults of one text: a grammar that has lost track finds no end of them.
const maxReported = 50

// trusted are the languages whose grammars rarely stumble over what compilers take. What macros make of C is not for a grammar.
var trusted = []codeintel.Language{
	codeintel.LanguagePython, codeintel.LanguageTypeScript, codeintel.LanguageTSX, codeintel.LanguageJavaScript, codeintel.LanguageRust,
	codeintel.LanguageJava, codeintel.LanguageBash, codeintel.LanguageRuby, codeintel.LanguagePHP,
}

// faults are the places where the tree of a text has errors; judged is false where the grammar has no say. Its error only says that ctx has ended.
func (o *Outliner) faults(ctx context.Context, language codeintel.Language, source string) (found []codeintel.Fault, judged bool, err error) {
	if !slices.Contains(trusted, language) {
		return nil, false, nil
	}
	judged, err = o.withRoot(ctx, language, source, func(_ *grammar, root *sitter.Node) { found = appendFaults(nil, root, maxLevels) })
	return found, judged, err
}

// appendFaults goes down to the innermost nodes that are missing or in error.
func appendFaults(faults []codeintel.Fault, n *sitter.Node, levels int) []codeintel.Fault {
	switch {
	case levels == 0 || len(faults) == maxReported:
		return faults
	case n.IsMissing():
		return append(faults, codeintel.Fault{Span: span(n), Message: "missing " + n.Type()})
	case n.IsError():
		return append(faults, codeintel.Fault{Span: span(n), Message: "this cannot be parsed"})
	}
	if n.HasError() {
		for child := range children(n) {
			faults = appendFaults(faults, child, levels-1)
		}
	}
	return faults
}
