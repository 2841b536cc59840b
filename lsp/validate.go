package lsp

import (
	"context"

	"forge/api"
	"forge/api/service"
	"forge/lsp/editor"
)

// validate answers forge.validate. What the gates find is shown in the documents, in the place of what was found before; where only
// some of them are wanted, what others have found stays.
func (i *inspector) validate(ctx context.Context, a *api.ValidateArgs) (api.ValidateResult, error) {
	if i.gates == nil {
		return api.ValidateResult{}, editor.ErrNoEngine
	}
	folder, err := i.folders.Choose(a.Folder)
	if err != nil {
		return api.ValidateResult{}, err
	}
	if len(a.Gates) == 0 {
		i.board.Clear(folder)
	}
	return service.Validate(ctx, i.gates, i.folders.Served(folder), i.board.Shows(folder), a)
}
