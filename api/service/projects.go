package service

import (
	"context"

	"forge/api"
	"forge/engine"
)

// Inventory is what Forge stores of folders, and which processes work on them.
type Inventory interface {
	Project(ctx context.Context, root string) (engine.ProjectInfo, error)
	Projects(ctx context.Context) ([]engine.ProjectInfo, error)
	Sessions(ctx context.Context) ([]engine.Session, error)
	// GC removes what nothing needs any more.
	GC(ctx context.Context, root string, o engine.GCOptions) (engine.GCReport, error)
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
	report, err := e.GC(ctx, in.Path, engine.GCOptions{DryRun: a.DryRun})
	return api.GCOf(report, a.DryRun), err
}
