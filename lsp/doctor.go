package lsp

import (
	"context"

	"forge/api"
	"forge/engine"
	"forge/engine/event"
)

// status answers forge.status.
func (f *front) status(ctx context.Context, _ *api.NoArgs) (api.StatusResult, error) {
	alive := func(now standing) bool { return now.state == event.Running || now.state == event.Waiting }
	result := api.StatusResult{Version: f.server.options.Version, Runs: f.runInfos(alive)}
	if f.server.options.Model != nil {
		result.Model = f.server.options.Model(ctx)
	}
	return result, nil
}

// classify answers forge.classify.
func (f *front) classify(_ context.Context, a *api.ClassifyArgs) (api.Class, error) {
	return api.Classify(*a), nil
}

// doctor answers forge.doctor: what the machine has, and what this client can do.
func (f *front) doctor(ctx context.Context, _ *api.NoArgs) (api.DoctorResult, error) {
	checks := []api.DoctorCheck{}
	if e := f.server.options.Engine; e != nil {
		checks = append(checks, wireChecks(e.Doctor(ctx))...)
	}
	if more := f.server.options.ModelChecks; more != nil {
		checks = append(checks, wireChecks(more(ctx))...)
	}
	if e := f.server.options.Engine; e != nil {
		for _, folder := range onDisk(f.server.session.currentFolders()) {
			checks = append(checks, wireChecks(e.DoctorFolder(ctx, folder.Path))...)
		}
	}
	checks = append(checks, folderCheck(f.server.session.currentFolders()))
	checks = append(checks, f.server.features().checks()...)
	result := api.DoctorResult{OK: true, Checks: checks}
	for _, c := range checks {
		result.OK = result.OK && c.State != "missing"
	}
	return result, nil
}

func wireChecks(found []engine.Check) []api.DoctorCheck {
	var checks []api.DoctorCheck
	for _, c := range found {
		checks = append(checks, api.DoctorCheck{Name: c.Name, State: string(c.State), Detail: c.Detail})
	}
	return checks
}

func folderCheck(folders []Folder) api.DoctorCheck {
	local := onDisk(folders)
	if len(local) == 0 {
		return api.DoctorCheck{Name: "folder", State: "missing", Detail: "no folder is open; open the one to work on"}
	}
	return api.DoctorCheck{Name: "folder", State: "ok", Detail: folderList(local)}
}

// checks say what the client can do, and what Forge does where it cannot.
func (f features) checks() []api.DoctorCheck {
	return []api.DoctorCheck{
		check("apply edits", f.applyEdit, "missing", "yes", errCannotApply.Error()),
		check("preview", f.annotations, "warning", f.tier(), f.tier()),
		check("versioned edits", f.documentChanges, "warning", "yes",
			"no: texts are re-checked before an edit is sent, and files are neither created nor deleted"),
		check("create files", f.create, "warning", "yes", "no: new files are left out; create them empty and accept again"),
		check("progress", f.progress, "warning", "yes", "no: ask forge.status"),
		check("events and panel", f.rich, "ok", "yes", "no: questions come as messages"),
	}
}

func check(name string, can bool, otherwise, yes, no string) api.DoctorCheck {
	if can {
		return api.DoctorCheck{Name: name, State: "ok", Detail: yes}
	}
	return api.DoctorCheck{Name: name, State: otherwise, Detail: no}
}
