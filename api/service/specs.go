package service

import (
	"context"

	"forge/api"
	"forge/memory"
)

// SpecStore stores the versions of a folder's specification.
type SpecStore interface {
	Spec(ctx context.Context, root string, version int) (memory.Spec, error)
	SpecDiff(ctx context.Context, root string, from, to int) (a, b int, diff string, err error)
	RollbackSpec(ctx context.Context, root string, version int) (memory.Spec, error)
}

// ShowSpec answers forge.spec.get.
func ShowSpec(ctx context.Context, e SpecStore, in Folder, a *api.SpecArgs) (api.SpecResult, error) {
	spec, err := e.Spec(ctx, in.Path, a.Version)
	return api.SpecOf(spec), Missing(Specs, "", in, err)
}

// DiffSpec answers forge.spec.diff.
func DiffSpec(ctx context.Context, e SpecStore, in Folder, a *api.SpecDiffArgs) (r api.SpecDiffResult, err error) {
	r.From, r.To, r.Diff, err = e.SpecDiff(ctx, in.Path, a.From, a.To)
	return r, Missing(Specs, "", in, err)
}

// RollbackSpec answers forge.spec.rollback.
func RollbackSpec(ctx context.Context, e SpecStore, in Folder, a *api.SpecArgs) (api.SpecResult, error) {
	spec, err := e.RollbackSpec(ctx, in.Path, a.Version)
	return api.SpecOf(spec), Missing(Specs, "", in, err)
}
