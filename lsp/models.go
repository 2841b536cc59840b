package lsp

import (
	"context"

	"forge/api"
	"forge/lsp/editor"
)

// models answers forge.models. Without a folder the settings of none count.
func (i *inspector) models(ctx context.Context, a *api.ModelsArgs) (api.ModelsResult, error) {
	if i.survey == nil {
		return api.ModelsResult{}, editor.ErrNoEngine
	}
	folder, err := i.folders.Choose(a.Folder)
	if err != nil && a.Folder != "" {
		return api.ModelsResult{}, err
	}
	return i.survey(ctx, folder.Path, *a), nil
}
