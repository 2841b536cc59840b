package service

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"forge/api"
	"forge/engine"
	"forge/engine/checks"
	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/history"
	"forge/engine/state"
	"forge/engine/workspace"
)

// Gates detect and run the gates of a folder.
type Gates interface {
	// Detect finds the projects in a folder, and the gates that would check them.
	Detect(ctx context.Context, s workspace.Snapshot) (checks.Validation, error)
	// Validate runs the wanted gates in a scratch tree, and reports each when it has finished.
	Validate(ctx context.Context, s workspace.Snapshot, w checks.Wanted, report func(gate.Report)) (checks.Validation, error)
	// Try runs the gates that a change concerns on the folder with it, in a scratch tree, and reports each when it has finished.
	Try(ctx context.Context, s workspace.Snapshot, t checks.Trial, report func(gate.Report)) ([]gate.Report, error)
}

// DetectGates answers forge.gates.detect.
func DetectGates(ctx context.Context, e Gates, in Folder, _ *api.FolderArgs) (api.GatesResult, error) {
	found, err := e.Detect(ctx, in.Snapshot())
	return gatesOf(in.Path, found), err
}

// Validate answers forge.validate; it calls report with each gate's report as soon as that gate has finished.
func Validate(ctx context.Context, e Gates, in Folder, report func(gate.Report), a *api.ValidateArgs) (api.ValidateResult, error) {
	found, err := e.Validate(ctx, in.Snapshot(), checks.Wanted{Files: a.Files, Dir: a.Cwd, Gates: a.Gates}, report)
	return validateOf(in.Path, found), err
}

// Machine checks the requirements of runs on the machine and in folders.
type Machine interface {
	Doctor(ctx context.Context) []checks.Check
	// DoctorFolder returns which gates would check a folder, and which tools they miss.
	DoctorFolder(ctx context.Context, root string) []checks.Check
}

// ModelChecks are the checks of providers, keys and settings.
type ModelChecks func(ctx context.Context) []checks.Check

// Doctor answers forge.doctor: it checks the machine, the models (models may be nil), the folders (by path), and appends the
// front's own checks. e may be nil.
func Doctor(ctx context.Context, e Machine, models ModelChecks, folders []string, own ...api.DoctorCheck) api.DoctorResult {
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

// Explorer queries one provider of a folder.
type Explorer interface {
	Explore(ctx context.Context, s workspace.Snapshot, provider string, args json.RawMessage) (engine.Explored, error)
}

// Explore answers forge.explore.
func Explore(ctx context.Context, e Explorer, in Folder, a *api.ExploreArgs) (api.ExploreResult, error) {
	args, err := json.Marshal(a) // providers ignore arguments that are not theirs
	if err != nil {
		return api.ExploreResult{}, fmt.Errorf("encode arguments: %w", err)
	}
	r, err := e.Explore(ctx, in.Snapshot(), a.Provider, args)
	if err != nil {
		return api.ExploreResult{}, err
	}
	return api.ExploreResult{Folder: in.URI, Provider: a.Provider, Text: r.Text, Failed: r.Failed, Cut: r.Cut}, nil
}

// SkillStore lists the skills that runs in a folder can use.
type SkillStore interface {
	Skills(ctx context.Context, root string) (engine.Skills, error)
}

// ListSkills answers forge.skills.
func ListSkills(ctx context.Context, e SkillStore, in Folder, a *api.SkillsArgs) (api.SkillsResult, error) {
	found, err := e.Skills(ctx, in.Path)
	return skillsOf(found, a.Type), err
}

// Inventory reports the stored data of folders and the processes that use them.
type Inventory interface {
	Usage(ctx context.Context, root string) (state.Usage, error)
	Usages(ctx context.Context) ([]state.Usage, error)
	Sessions(ctx context.Context) ([]history.Session, error)
	// GC deletes data that nothing needs any more.
	GC(ctx context.Context, root string, dryRun bool) (history.GCReport, error)
}

// ShowProject answers forge.project.
func ShowProject(ctx context.Context, e Inventory, in Folder, _ *api.FolderArgs) (api.Project, error) {
	p, err := e.Usage(ctx, in.Path)
	return projectOf(p), err
}

// ListProjects answers forge.projects.
func ListProjects(ctx context.Context, e Inventory, _ *api.NoArgs) (api.ProjectsResult, error) {
	all, err := e.Usages(ctx)
	return projectsOf(all), err
}

// ListSessions answers forge.sessions.
func ListSessions(ctx context.Context, e Inventory, _ *api.NoArgs) (api.SessionsResult, error) {
	all, err := e.Sessions(ctx)
	return sessionsOf(all), err
}

// GC answers forge.gc.
func GC(ctx context.Context, e Inventory, in Folder, a *api.GCArgs) (api.GCResult, error) {
	report, err := e.GC(ctx, in.Path, a.DryRun)
	return gCOf(report, a.DryRun), err
}

// VerdictOf describes the reports of gates on something, such as "your version", in a sentence. passed is false if one failed or broke,
// or if none ran.
func VerdictOf(what string, reports []gate.Report) (text string, passed bool) {
	var bad, skipped []string
	for _, report := range reports {
		switch report.Verdict {
		case gate.Fail, gate.Error:
			bad = append(bad, report.Gate)
		case gate.NotRun:
			skipped = append(skipped, report.Gate)
		}
	}
	if len(bad) > 0 {
		return what + " does not pass " + strings.Join(bad, ", "), false
	}
	if len(skipped) == len(reports) {
		return what + " was not checked: no gate ran: " + strings.Join(skipped, ", "), false
	}
	text = what + " is checked: " + event.Count(len(reports)-len(skipped), "gate") + " passed"
	if len(skipped) > 0 {
		text += ", not run: " + strings.Join(skipped, ", ")
	}
	return text, true
}
