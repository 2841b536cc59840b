package lsp

import (
	"context"

	"forge/api"
	"forge/api/service"
	"forge/engine"
	"forge/engine/route"
)

// inspector reports on the installation, its models and the folders as they are. It owns nothing, and may call the engine's checks
// and the board.
type inspector struct {
	machine     service.Machine
	gates       service.Gates
	folders     *folders
	session     *session
	board       *board
	survey      func(ctx context.Context, o route.SurveyOptions) api.ModelsResult // nil is none
	modelChecks func(ctx context.Context) []engine.Check                          // nil is none
}

func (i *inspector) commands() commands {
	return commands{
		api.Doctor:       handler(i.doctor),
		api.Models:       handler(i.models),
		api.Validate:     handler(i.validate),
		api.ClassifyTask: handler(func(_ context.Context, a *api.ClassifyArgs) (api.Class, error) { return api.Classify(*a), nil }),
	}
}

// doctor answers forge.doctor: what the machine has, and what this client can do.
func (i *inspector) doctor(ctx context.Context, _ *api.NoArgs) (api.DoctorResult, error) {
	var roots []string
	for _, folder := range onDisk(i.folders.current()) {
		roots = append(roots, folder.Path)
	}
	own := append([]api.DoctorCheck{folderCheck(i.folders.current())}, i.session.features().checks()...)
	return service.Doctor(ctx, i.machine, i.modelChecks, roots, own...), nil
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
