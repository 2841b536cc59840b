package lsp

import (
	"context"
	"slices"

	"go.lsp.dev/uri"

	"forge/api"
	"forge/api/service"
	"forge/engine/event"
	"forge/lsp/editor"
	"forge/lsp/transport"
)

// runHistory reports on runs: those of the session, and those that are stored. It owns nothing, and never calls the client.
type runHistory struct {
	runs    *editor.Runs
	store   service.RunStore
	reader  service.RunReader
	folders *editor.Folders
	version string
	model   func(ctx context.Context) string // the model that a run would use; nil is none
}

// status answers forge.status.
func (h *runHistory) status(ctx context.Context, _ *api.NoArgs) (api.StatusResult, error) {
	result := api.StatusResult{Version: h.version, Runs: h.runInfos(alive)}
	if h.model != nil {
		result.Model = h.model(ctx)
	}
	return result, nil
}

// alive reports whether a run is at work, or waits for an answer.
func alive(now event.Standing) bool { return now.State == event.Running || now.State == event.Waiting }

func (h *runHistory) runInfos(want func(event.Standing) bool) []api.RunInfo {
	infos := []api.RunInfo{}
	for _, r := range h.runs.List() {
		now := r.Standing()
		if want(now) {
			info := api.RunInfo{
				RunID: r.ID, Task: r.Task, Recipe: now.Way.Recipe, Mode: now.Way.Mode, Profile: now.Way.Profile, State: string(now.State), Reason: now.Reason,
				Folder: string(r.Folder.URI), ProposalID: now.Proposal.ProposalID, Progress: api.ProgressOf(now.Progress), Tokens: int(now.Spent.Tokens), CachedTokens: now.Spent.Usage.CacheRead,
			}
			if w, waits := now.Batch(); waits && alive(now) {
				info.Batch = w.String()
			}
			if now.Spent.Tokens > 0 {
				cost := api.CostOf(now.Spent.Cost)
				info.Cost = &cost
			}
			infos = append(infos, info)
		}
	}
	return infos
}

// runsHere describes the runs of this session, of one folder or of all.
func (h *runHistory) runsHere(only uri.URI) []api.RunInfo {
	all := h.runInfos(func(event.Standing) bool { return true })
	if only == "" {
		return all
	}
	return slices.DeleteFunc(all, func(r api.RunInfo) bool { return editor.Key(uri.URI(r.Folder)) != editor.Key(only) })
}

// listRuns answers forge.runs.
func (h *runHistory) listRuns(ctx context.Context, a *api.RunsArgs) (api.RunsResult, error) {
	if a.All && h.store == nil {
		return api.RunsResult{}, editor.ErrNoEngine
	}
	if !a.All && a.Folder == "" {
		return api.RunsResult{Runs: h.runsHere("")}, nil
	}
	folder, err := h.folders.Choose(a.Folder)
	if err != nil {
		return api.RunsResult{}, err
	}
	only := folder.URI
	if a.Folder == "" {
		only = ""
	}
	if !a.All {
		return api.RunsResult{Runs: h.runsHere(only)}, nil
	}
	stored, err := service.ListRuns(ctx, h.store, h.folders.Served(folder), &api.RunsArgs{})
	if err != nil {
		return api.RunsResult{}, err
	}
	result := api.RunsResult{Runs: h.runsHere(only)} // of a run that ends while the stored ones are read, the session knows more
	others := slices.DeleteFunc(stored.Runs, func(r api.RunInfo) bool {
		return slices.ContainsFunc(result.Runs, func(here api.RunInfo) bool { return here.RunID == r.RunID })
	})
	if a.Limit > 0 && len(others) > a.Limit {
		others = others[:a.Limit]
	}
	for _, run := range others {
		run.Folder = string(folder.URI)
		result.Runs = append(result.Runs, run)
	}
	return result, nil
}

// events answers forge.events: of a run of this session, or of any that is stored.
func (h *runHistory) events(ctx context.Context, a *api.EventsArgs) (api.EventsResult, error) {
	all, err := h.eventsOf(ctx, a.RunID, 0)
	later := slices.DeleteFunc(event.Replayed(all), func(e event.Event) bool { return e.Seq <= a.SinceSeq })
	return api.EventsResult{Events: api.EventsOf(later)}, err
}

func (h *runHistory) eventsOf(ctx context.Context, id string, since int) ([]event.Event, error) {
	r, err := h.runs.Find(id)
	switch {
	case err == nil && h.store != nil && r.HasSuite():
		return h.store.Events(ctx, r.ID, since) // which continue after the log of the run has ended
	case err == nil:
		return r.Log.Since(since), nil
	}
	if h.store == nil || id == "" {
		return nil, err
	}
	return h.store.Events(ctx, id, since)
}

// log answers forge.log.
func (h *runHistory) log(ctx context.Context, a *api.LogArgs) (api.LogResult, error) {
	id, err := h.runToReport(ctx, a)
	if err != nil {
		return api.LogResult{}, err
	}
	events, err := h.eventsOf(ctx, id, 0)
	if err != nil {
		return api.LogResult{}, err
	}
	return service.Log(id, events, a), nil
}

// show answers forge.runs.show.
func (h *runHistory) show(ctx context.Context, a *api.RunShowArgs) (api.RunShown, error) {
	if h.reader == nil {
		return api.RunShown{}, editor.ErrNoEngine
	}
	named := *a
	id, err := h.runToReport(ctx, &api.LogArgs{RunID: a.RunID, InFolder: a.InFolder})
	if err != nil {
		return api.RunShown{}, err
	}
	named.RunID = id
	return service.ShowRun(ctx, h.reader, &named)
}

// runToReport is the run that is named, or else the newest: of this session, or else of the folder.
func (h *runHistory) runToReport(ctx context.Context, a *api.LogArgs) (string, error) {
	if a.RunID != "" {
		return a.RunID, nil
	}
	if r, err := h.runs.Find(""); err == nil && a.Folder == "" {
		return r.ID, nil
	}
	if h.store == nil {
		return "", editor.ErrNoEngine
	}
	folder, err := h.folders.Choose(a.Folder)
	if err != nil {
		return "", err
	}
	runs, err := h.store.Runs(ctx, folder.Path)
	if err == nil && len(runs) == 0 {
		err = transport.InvalidParams("There has been no run in %s yet. Start one.", folder.URI)
	}
	if err != nil {
		return "", err
	}
	return runs[0].ID, nil
}
