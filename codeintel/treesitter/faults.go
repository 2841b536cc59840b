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

// trusted are the languages whose grammars rarely reject valid code. C is not among them, because of macros.
var trusted = []codeintel.Language{
	codeintel.LanguagePython, codeintel.LanguageTypeScript, codeintel.LanguageTSX, codeintel.LanguageJavaScript, codeintel.LanguageRust,
	codeintel.LanguageJava, codeintel.LanguageBash, codeintel.LanguageRuby, codeintel.LanguagePHP,
}

// Faults finds what is wrong with the syntax of a text. Go is read by its own parser; other languages by their grammars, which can
// be older than what they read: a fault of theirs is a reason to look again, and no proof. A text of a language without grammar has
// no fault. The error is of ctx, wrapped.
func (o *Outliner) Faults(ctx context.Context, language codeintel.Language, source string) ([]codeintel.Fault, error) {
	faults, _, err := o.Judge(ctx, language, source)
	return faults, err
}

// Judge is Faults, and reports whether the text was judged at all: it is not if its language has no grammar that can be relied on, or
// if this grammar cannot follow the text.
func (o *Outliner) Judge(ctx context.Context, language codeintel.Language, source string) (faults []codeintel.Fault, judged bool, err error) {
	if source == "" || !isCode(source, maxGrammar) {
		return nil, false, nil
	}
	if language == codeintel.LanguageGo {
		return codeintel.GoFaults(source), true, ended(ctx, "syntax", language)
	}
	if !slices.Contains(trusted, language) {
		return nil, false, nil
	}
	judged, err = o.withRoot(ctx, "syntax", language, source, func(_ *grammar, root *sitter.Node) { faults = appendFaults(nil, root, maxLevels) })
	return faults, judged, err
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
