package lsp

import (
	"context"

	"forge/api"
	"forge/engine/route"
)

// models answers forge.models. Without a folder the settings of none count.
func (f *front) models(ctx context.Context, a *api.ModelsArgs) (api.ModelsResult, error) {
	survey := f.server.options.Models
	if survey == nil {
		return api.ModelsResult{}, errNoEngine
	}
	o := route.SurveyOptions{Provider: a.Provider, Local: a.Local}
	folder, err := chooseFolder(f.server.session.currentFolders(), a.Folder, "")
	if err == nil {
		o.Folder = folder.Path
	} else if a.Folder != "" {
		return api.ModelsResult{}, err
	}
	return survey(ctx, o), nil
}
