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

func (o *Outliner) faults(context.Context, codeintel.Language, string) ([]codeintel.Fault, bool, error) {
	return nil, false, nil
}

func (o *Outliner) bindings(context.Context, codeintel.Language, string) (codeintel.Bindings, error) {
	return codeintel.Bindings{}, nil
}

func (o *Outliner) occurrences(context.Context, codeintel.Language, string, string) ([]codeintel.Occurrence, bool, error) {
	return nil, false, nil
}

func (o *Outliner) strip(context.Context, codeintel.Language, string) (string, bool, error) {
	return "", false, nil
}
