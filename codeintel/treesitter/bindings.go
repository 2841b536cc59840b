package treesitter

import (
	"context"
	"fmt"

	"forge/codeintel"
)

var _ codeintel.Binder = (*Outliner)(nil)

// Bindings reads what a text of JavaScript, TypeScript or Python takes out of other files and gives them. A text that its grammar
// does not take without a fault is unknown, and so is any text where there is no grammar. The error is of ctx, wrapped.
func (o *Outliner) Bindings(ctx context.Context, language codeintel.Language, source string) (codeintel.Bindings, error) {
	if !isCode(source, maxGrammar) {
		return codeintel.Bindings{}, nil
	}
	if err := ctx.Err(); err != nil {
		return codeintel.Bindings{}, fmt.Errorf("bindings of a %s text: %w", language, context.Cause(ctx))
	}
	found, err := o.bindings(ctx, language, source)
	if err != nil {
		return codeintel.Bindings{}, fmt.Errorf("bindings of a %s text: %w", language, err)
	}
	return found, nil
}
