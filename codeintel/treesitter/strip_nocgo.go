//go:build !cgo

package treesitter

import (
	"context"

	"forge/codeintel"
)

// strip knows nothing: there are no grammars without cgo.
func (o *Outliner) strip(context.Context, codeintel.Language, string) (string, bool, error) {
	return "", false, nil
}
