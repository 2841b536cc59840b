package service

import (
	"context"

	"forge/api"
	"forge/engine/checks"
	"forge/engine/gate"
	"forge/engine/workspace"
)

// Gates check a folder as it is.
type Gates interface {
	// Detect finds the projects in a folder, and the gates that would check them.
	Detect(ctx context.Context, s workspace.Snapshot) (checks.Validation, error)
	// Validate runs those that are wanted in a scratch tree, and reports each as soon as it has finished.
	Validate(ctx context.Context, s workspace.Snapshot, w checks.Wanted, report func(gate.Report)) (checks.Validation, error)
}

// DetectGates answers forge.gates.detect.
func DetectGates(ctx context.Context, e Gates, in Folder, _ *api.FolderArgs) (api.GatesResult, error) {
	found, err := e.Detect(ctx, in.Snapshot())
	return api.GatesOf(in.Path, found), err
}

// Validate answers forge.validate; report is called with each gate's report as soon as it has finished.
func Validate(ctx context.Context, e Gates, in Folder, report func(gate.Report), a *api.ValidateArgs) (api.ValidateResult, error) {
	found, err := e.Validate(ctx, in.Snapshot(), checks.Wanted{Files: a.Files, Dir: a.Cwd, Gates: a.Gates}, report)
	return api.ValidateOf(in.Path, found), err
}

// Machine is what runs need of the machine and of folders.
type Machine interface {
	Doctor(ctx context.Context) []checks.Check
	// DoctorFolder returns which gates would check a folder, and what they miss.
	DoctorFolder(ctx context.Context, root string) []checks.Check
}

// Doctor answers forge.doctor: it checks the machine, then models, which may be nil, then the folders, by their paths, and appends the
// front's own checks. e may be nil.
func Doctor(ctx context.Context, e Machine, models func(context.Context) []checks.Check, folders []string, own ...api.DoctorCheck) api.DoctorResult {
	var found []checks.Check
	if e != nil {
		found = append(found, e.Doctor(ctx)...)
	}
	if models != nil {
		found = append(found, models(ctx)...)
	}
	if e != nil {
		for _, root := range folders {
			found = append(found, e.DoctorFolder(ctx, root)...)
		}
	}
	result := api.DoctorResult{OK: true, Checks: []api.DoctorCheck{}}
	for _, c := range found {
		result.Checks = append(result.Checks, api.DoctorCheck{Name: c.Name, State: string(c.State), Detail: c.Detail})
	}
	result.Checks = append(result.Checks, own...)
	for _, c := range result.Checks {
		result.OK = result.OK && c.State != string(checks.CheckMissing)
	}
	return result
}
