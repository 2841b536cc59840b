//go:build !cgo

package treesitter

import (
	"context"

	"forge/codeintel"
)

// bindings knows none: there are no grammars without cgo.
func (o *Outliner) bindings(context.Context, codeintel.Language, string) (codeintel.Bindings, error) {
	return codeintel.Bindings{}, nil
}
