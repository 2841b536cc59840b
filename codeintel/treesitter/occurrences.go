package treesitter

import (
	"context"
	"fmt"
	"strings"

	"forge/codeintel"
)

var _ codeintel.Finder = (*Outliner)(nil)

// Occurrences finds where a name stands in the code of a text: Go by its own parser, other languages by their grammars. What a
// grammar cannot bear, and any text where there is no grammar, is unknown. The error is of ctx, wrapped.
func (o *Outliner) Occurrences(ctx context.Context, language codeintel.Language, source, name string) (found []codeintel.Occurrence, known bool, err error) {
	if name == "" || !strings.Contains(source, name) {
		return nil, true, nil
	}
	if !isCode(source, maxGrammar) {
		return nil, false, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, false, fmt.Errorf("names in a %s text: %w", language, context.Cause(ctx))
	}
	if language == codeintel.LanguageGo {
		found, known = codeintel.GoOccurrences(source, name)
		return found, known, nil
	}
	found, known, err = o.occurrences(ctx, language, source, name)
	if err != nil {
		return nil, false, fmt.Errorf("names in a %s text: %w", language, err)
	}
	return found, known, nil
}
