//go:build !cgo

package treesitter

import (
	"context"

	"forge/codeintel"
)

// occurrences knows nothing: there are no grammars without cgo.
func (o *Outliner) occurrences(context.Context, codeintel.Language, string, string) ([]codeintel.Occurrence, bool, error) {
	return nil, false, nil
}
