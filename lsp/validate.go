package lsp

import (
	"context"

	"forge/api"
	"forge/api/service"
	"forge/engine/gate"
)

// validate answers forge.validate. What the gates find is shown in the documents, in the place of what was found before; where only
// some of them are wanted, what others have found stays.
func (i *inspector) validate(ctx context.Context, a *api.ValidateArgs) (api.ValidateResult, error) {
	if i.gates == nil {
		return api.ValidateResult{}, errNoEngine
	}
	folder, err := i.folders.choose(a.Folder)
	if err != nil {
		return api.ValidateResult{}, err
	}
	if len(a.Gates) == 0 {
		i.board.clear(folder)
	}
	show := func(r gate.Report) { i.board.replace(folder, source{name: r.Gate}, r.Findings) }
	return service.Validate(ctx, i.gates, i.folders.served(folder), show, a)
}
