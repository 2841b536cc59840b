package treesitter

import (
	"context"
	"fmt"

	"forge/codeintel"
)

var _ codeintel.Checker = (*Outliner)(nil)

// Faults finds what is wrong with the syntax of a text. Go is read by its own parser; other languages by their grammars, which can
// be older than what they read: a fault of theirs is a reason to look again, and no proof. Where there is no grammar there is
// no fault. The error is of ctx, wrapped.
func (o *Outliner) Faults(ctx context.Context, language codeintel.Language, source string) ([]codeintel.Fault, error) {
	if !isCode(source) || source == "" {
		return nil, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("syntax of a %s text: %w", language, context.Cause(ctx))
	}
	if language == codeintel.LanguageGo {
		return codeintel.GoFaults(source), nil
	}
	faults, err := o.faults(ctx, language, source)
	if err != nil {
		return nil, fmt.Errorf("syntax of a %s text: %w", language, err)
	}
	return faults, nil
}
