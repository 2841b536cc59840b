package treesitter

import (
	"context"
	"fmt"

	"forge/codeintel"
)

var _ codeintel.Stripper = (*Outliner)(nil)

// Strip leaves the code of a text: Go by its own scanner, other languages by their grammars. A text that its grammar does not take
// without a fault is unknown, and so is any text where there is no grammar. The error is of ctx, wrapped.
func (o *Outliner) Strip(ctx context.Context, language codeintel.Language, source string) (code string, known bool, err error) {
	if source == "" {
		return "", true, nil
	}
	if !isCode(source, maxGrammar) {
		return "", false, nil
	}
	if err := ctx.Err(); err != nil {
		return "", false, fmt.Errorf("code of a %s text: %w", language, context.Cause(ctx))
	}
	if language == codeintel.LanguageGo {
		code, known = codeintel.StripGo(source)
		return code, known, nil
	}
	code, known, err = o.strip(ctx, language, source)
	if err != nil {
		return "", false, fmt.Errorf("code of a %s text: %w", language, err)
	}
	return code, known, nil
}
