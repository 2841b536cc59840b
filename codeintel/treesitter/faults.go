package treesitter

import (
	"context"
	"fmt"

	"forge/codeintel"
)

var _ codeintel.Judge = (*Outliner)(nil)

// Faults finds what is wrong with the syntax of a text. Go is read by its own parser; other languages by their grammars, which can
// be older than what they read: a fault of theirs is a reason to look again, and no proof. Where there is no grammar there is
// no fault. The error is of ctx, wrapped.
func (o *Outliner) Faults(ctx context.Context, language codeintel.Language, source string) ([]codeintel.Fault, error) {
	faults, _, err := o.Judge(ctx, language, source)
	return faults, err
}

// Judge is Faults, and says whether the text was judged at all: it is not where there is no grammar that can be relied on, or the text is
// nothing that this grammar can follow.
func (o *Outliner) Judge(ctx context.Context, language codeintel.Language, source string) (faults []codeintel.Fault, judged bool, err error) {
	if !isCode(source, maxGrammar) || source == "" {
		return nil, false, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, false, fmt.Errorf("syntax of a %s text: %w", language, context.Cause(ctx))
	}
	if language == codeintel.LanguageGo {
		return codeintel.GoFaults(source), true, nil
	}
	faults, judged, err = o.faults(ctx, language, source)
	if err != nil {
		return nil, false, fmt.Errorf("syntax of a %s text: %w", language, err)
	}
	return faults, judged, nil
}
