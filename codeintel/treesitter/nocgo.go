//go:build !cgo

package treesitter

import (
	"context"

	"forge/codeintel"
)

// Without cgo there are no grammars: an outline is that of Go, or of a language that is read line by line, and all else is unknown.

func (o *Outliner) parse(_ context.Context, language codeintel.Language, source string) (codeintel.Outline, error) {
	return codeintel.OutlineByLines(language, source), nil
}

// Faults finds none.
func (o *Outliner) Faults(context.Context, codeintel.Language, string) ([]codeintel.Fault, error) {
	return nil, nil
}

// Judge judges nothing.
func (o *Outliner) Judge(context.Context, codeintel.Language, string) ([]codeintel.Fault, bool, error) {
	return nil, false, nil
}

// Bindings knows none.
func (o *Outliner) Bindings(context.Context, codeintel.Language, string) (codeintel.Bindings, error) {
	return codeintel.Bindings{}, nil
}

// Occurrences knows none.
func (o *Outliner) Occurrences(context.Context, codeintel.Language, string, string) ([]codeintel.Occurrence, bool, error) {
	return nil, false, nil
}

// Strip leaves nothing.
func (o *Outliner) Strip(context.Context, codeintel.Language, string) (string, bool, error) {
	return "", false, nil
}
