//go:build !cgo

package treesitter

import (
	"context"

	"forge/codeintel"
)

// faults finds none: there are no grammars without cgo.
func (o *Outliner) faults(context.Context, codeintel.Language, string) ([]codeintel.Fault, bool, error) {
	return nil, false, nil
}
