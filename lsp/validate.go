package lsp

import (
	"context"

	"forge/engine"
	"forge/engine/gate"
	"forge/engine/workspace"
	"forge/lsp/command"
)

// Validating is what the server needs of forge/engine to have a folder checked as it is.
type Validating interface {
	// Detect finds the projects in a folder, and the gates that would check them.
	Detect(ctx context.Context, s workspace.Snapshot) (engine.Validation, error)
	// Validate runs them in a scratch tree, and tells of each report as soon as it is there.
	Validate(ctx context.Context, s workspace.Snapshot, tell func(gate.Report)) (engine.Validation, error)
	// DoctorFolder tells which gates would check a folder, and what they miss.
	DoctorFolder(ctx context.Context, root string) []engine.Check
}

// detectGates answers forge.gates.detect.
func (f *front) detectGates(ctx context.Context, a *command.FolderArgs) (command.GatesResult, error) {
	folder, err := f.checkable(a)
	if err != nil {
		return command.GatesResult{}, err
	}
	v, err := f.server.options.Engine.Detect(ctx, f.freeze(folder))
	return command.GatesOf(folder.Path, v), err
}

// validate answers forge.validate. What the gates find is shown in the documents, in the place of what was found before.
func (f *front) validate(ctx context.Context, a *command.FolderArgs) (command.ValidateResult, error) {
	folder, err := f.checkable(a)
	if err != nil {
		return command.ValidateResult{}, err
	}
	snapshot := f.freeze(folder)
	f.board.clear(folder)
	v, err := f.server.options.Engine.Validate(ctx, snapshot, func(r gate.Report) { f.board.replace(folder, r.Gate, r.Findings) })
	return command.ValidateOf(folder.Path, v), err
}

// checkable is the folder that a command is about.
func (f *front) checkable(a *command.FolderArgs) (Folder, error) {
	if f.server.options.Engine == nil {
		return Folder{}, errNoEngine
	}
	return chooseFolder(f.server.session.currentFolders(), a.Folder, "")
}
