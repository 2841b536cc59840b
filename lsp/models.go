package lsp

import (
	"context"

	"forge/api"
	"forge/engine/route"
	"forge/lsp/command"
)

// models answers forge.models. Without a folder the settings of none count.
func (i *inspector) models(ctx context.Context, a *api.ModelsArgs) (api.ModelsResult, error) {
	if i.survey == nil {
		return api.ModelsResult{}, command.ErrNoEngine
	}
	o := route.SurveyOptions{Provider: a.Provider, Local: a.Local}
	folder, err := i.folders.Choose(a.Folder)
	if err == nil {
		o.Folder = folder.Path
	} else if a.Folder != "" {
		return api.ModelsResult{}, err
	}
	return i.survey(ctx, o), nil
}
