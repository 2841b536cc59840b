package codeintel

import (
	"context"
	"errors"
	"go/parser"
	"go/scanner"
	"go/token"
)

// Fault is a syntax error in a text.
type Fault struct {
	Span    Span
	Message string // "expected ')', found newline"
}

// Checker finds what is wrong with the syntax of a text, in order of the source. It checks no semantics: everything
// that parses is valid. A text of an unknown language, and one that is more than can be parsed, has no fault. The error
// is of ctx. It may be called by several goroutines.
type Checker interface {
	Faults(ctx context.Context, language Language, source string) ([]Fault, error)
}

// Judge is a Checker that also reports whether it has judged a text at all: if it could not read the text, finding no fault proves nothing.
type Judge interface {
	Checker
	Judge(ctx context.Context, language Language, source string) (faults []Fault, judged bool, err error)
}

// GoFaults finds the syntax errors of a Go file. No text at all has none.
func GoFaults(source string) (faults []Fault) {
	if source == "" {
		return nil
	}
	_, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
	var list scanner.ErrorList
	if !errors.As(err, &list) {
		return nil
	}
	for _, e := range list {
		at := min(max(e.Pos.Offset, 0), len(source))
		faults = append(faults, Fault{Span: Span{Start: at, End: at}, Message: e.Msg})
	}
	return faults
}
