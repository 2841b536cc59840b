package lsp

import (
	"context"
	"errors"
	"fmt"

	"forge/api"
	"forge/engine"
	"forge/engine/gate"
	"forge/engine/workspace"
)

// Validating is what the server needs of forge/engine to have a folder checked as it is.
type Validating interface {
	// Detect finds the projects in a folder, and the gates that would check them.
	Detect(ctx context.Context, s workspace.Snapshot) (engine.Validation, error)
	// Validate runs those that are wanted in a scratch tree, and tells of each report as soon as it is there.
	Validate(ctx context.Context, s workspace.Snapshot, w engine.Wanted, tell func(gate.Report)) (engine.Validation, error)
	// DoctorFolder tells which gates would check a folder, and what they miss.
	DoctorFolder(ctx context.Context, root string) []engine.Check
}

// detectGates answers forge.gates.detect.
func (f *front) detectGates(ctx context.Context, a *api.FolderArgs) (api.GatesResult, error) {
	folder, err := f.checkable(a)
	if err != nil {
		return api.GatesResult{}, err
	}
	v, err := f.server.options.Engine.Detect(ctx, f.freeze(folder))
	return api.GatesOf(folder.Path, v), trustable(err)
}

// validate answers forge.validate. What the gates find is shown in the documents, in the place of what was found before; where only
// some of them are wanted, what others have found stays.
func (f *front) validate(ctx context.Context, a *api.ValidateArgs) (api.ValidateResult, error) {
	folder, err := f.checkable(&api.FolderArgs{InFolder: api.InFolder{Folder: a.Folder}})
	if err != nil {
		return api.ValidateResult{}, err
	}
	snapshot := f.freeze(folder)
	if len(a.Gates) == 0 {
		f.board.clear(folder)
	}
	show := func(r gate.Report) { f.board.replace(folder, source{name: r.Gate}, r.Findings) }
	v, err := f.server.options.Engine.Validate(ctx, snapshot, engine.Wanted{Files: a.Files, Dir: a.Cwd, Gates: a.Gates}, show)
	return api.ValidateOf(folder.Path, v), answerable(trustable(err))
}

// trustable says of a folder that is not trusted how a person trusts it.
func trustable(err error) error {
	if errors.Is(err, engine.ErrNotTrusted) {
		return fmt.Errorf("%w. If you trust it: forge validate --trust in a terminal, or say so when a run asks", err)
	}
	return err
}

// checkable is the folder that a command is about.
func (f *front) checkable(a *api.FolderArgs) (Folder, error) {
	if f.server.options.Engine == nil {
		return Folder{}, errNoEngine
	}
	return chooseFolder(f.server.session.currentFolders(), a.Folder, "")
}
