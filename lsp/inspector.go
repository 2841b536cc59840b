package lsp

import (
	"context"

	"forge/api"
	"forge/api/service"
	"forge/lsp/editor"
	"forge/lsp/review"
)

// inspector reports on the installation, its models and the folders as they are. It owns nothing, and may call the engine's checks
// and the board.
type inspector struct {
	machine     service.Machine
	gates       service.Gates
	folders     *editor.Folders
	session     *editor.Session
	board       *review.Board
	survey      func(ctx context.Context, folder string, a api.ModelsArgs) api.ModelsResult // nil is none
	modelChecks service.ModelChecks                                                         // nil is none
}

// doctor answers forge.doctor: what the machine has, and what this client can do.
func (i *inspector) doctor(ctx context.Context, _ *api.NoArgs) (api.DoctorResult, error) {
	var roots []string
	for _, folder := range editor.OnDisk(i.folders.Current()) {
		roots = append(roots, folder.Path)
	}
	own := append([]api.DoctorCheck{folderCheck(i.folders.Current())}, clientChecks(i.session.Features())...)
	return service.Doctor(ctx, i.machine, i.modelChecks, roots, own...), nil
}

func folderCheck(folders []editor.Folder) api.DoctorCheck {
	local := editor.OnDisk(folders)
	if len(local) == 0 {
		return api.DoctorCheck{Name: "folder", State: "missing", Detail: "no folder is open; open the one to work on"}
	}
	return api.DoctorCheck{Name: "folder", State: "ok", Detail: editor.FolderList(local)}
}

// clientChecks report what the client can do, and what Forge does if it cannot.
func clientChecks(f editor.Features) []api.DoctorCheck {
	return []api.DoctorCheck{
		check("apply edits", f.ApplyEdit, "missing", "yes", review.ErrCannotApply.Error()),
		check("preview", f.Annotations, "warning", f.Tier(), f.Tier()),
		check("versioned edits", f.DocumentChanges, "warning", "yes",
			"no: texts are re-checked before an edit is sent, and files are neither created nor deleted"),
		check("create files", f.Create, "warning", "yes", "no: if it does not make a file whose text is edited, open new files empty and accept again"),
		check("progress", f.Progress, "warning", "yes", "no: ask forge.status"),
		check("events and panel", f.Rich, "ok", "yes", "no: questions come as messages"),
	}
}

func check(name string, can bool, otherwise, yes, no string) api.DoctorCheck {
	if can {
		return api.DoctorCheck{Name: name, State: "ok", Detail: yes}
	}
	return api.DoctorCheck{Name: name, State: otherwise, Detail: no}
}

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

// validate answers forge.validate. What the gates find is shown in the documents, in the place of what was found before; where only
// some of them are wanted, what others have found stays.
func (i *inspector) validate(ctx context.Context, a *api.ValidateArgs) (api.ValidateResult, error) {
	if i.gates == nil {
		return api.ValidateResult{}, editor.ErrNoEngine
	}
	folder, err := i.folders.Choose(a.Folder)
	if err != nil {
		return api.ValidateResult{}, err
	}
	if len(a.Gates) == 0 {
		i.board.Clear(folder)
	}
	return service.Validate(ctx, i.gates, i.folders.Served(folder), i.board.Shows(folder), a)
}
