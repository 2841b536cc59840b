package service

import (
	"context"

	"forge/api"
	"forge/engine/history"
	"forge/engine/state"
)

// Inventory is what Forge stores of folders, and which processes work on them.
type Inventory interface {
	Project(ctx context.Context, root string) (state.Usage, error)
	Projects(ctx context.Context) ([]state.Usage, error)
	Sessions(ctx context.Context) ([]history.Session, error)
	// GC removes what nothing needs any more.
	GC(ctx context.Context, root string, o history.GCOptions) (history.GCReport, error)
}

// ShowProject answers forge.project.
func ShowProject(ctx context.Context, e Inventory, in Folder, _ *api.FolderArgs) (api.Project, error) {
	p, err := e.Project(ctx, in.Path)
	return api.ProjectOf(p), err
}

// ListProjects answers forge.projects.
func ListProjects(ctx context.Context, e Inventory, _ *api.NoArgs) (api.ProjectsResult, error) {
	all, err := e.Projects(ctx)
	return api.ProjectsOf(all), err
}

// ListSessions answers forge.sessions.
func ListSessions(ctx context.Context, e Inventory, _ *api.NoArgs) (api.SessionsResult, error) {
	all, err := e.Sessions(ctx)
	return api.SessionsOf(all), err
}

// GC answers forge.gc.
func GC(ctx context.Context, e Inventory, in Folder, a *api.GCArgs) (api.GCResult, error) {
	report, err := e.GC(ctx, in.Path, history.GCOptions{DryRun: a.DryRun})
	return api.GCOf(report, a.DryRun), err
}
