package api

import (
	"forge/engine/checks"
)

// GatesResult lists the gates that would check a folder.
type GatesResult struct {
	Folder   string        `json:"folder" doc:"URI"`
	Projects []GateProject `json:"projects" doc:"those in the folder, each of one language"`
	Gates    []string      `json:"gates" doc:"in the order in which they run"`
	Waived   []string      `json:"waived" doc:"gates that the user's settings leave out"`
	Known    []string      `json:"known" doc:"the languages whose projects are found"`
}

// GateProject is a project in a folder.
type GateProject struct {
	Language string   `json:"language"`
	Dir      string   `json:"dir" doc:"relative to the folder; empty is the folder itself"`
	Gates    []string `json:"gates"`
}

// ValidateArgs say what is to be validated.
type ValidateArgs struct {
	InFolder
	Files []string `json:"files,omitempty" doc:"files that must be there, relative to the folder"`
	Cwd   string   `json:"cwd,omitempty" doc:"where in the folder is checked: the projects in it, or else those that it lies in. The verdict is error where it is not there"`
	Gates []string `json:"gates,omitempty" doc:"only these, by the names that forge.gates.detect gives; without it all"`
}

// ValidateResult reports the gates' verdicts on a folder as it is.
type ValidateResult struct {
	Folder  string      `json:"folder" doc:"URI"`
	Verdict string      `json:"verdict" doc:"of all together; not-run where nothing was checked" enum:"pass,fail,error,not-run"`
	Found   GatesResult `json:"found"`
	Gates   []Gate      `json:"gates"`
	Skipped []string    `json:"skipped" doc:"files that are too large for the gates to see"`
}

// GatesOf is what is detected in a folder, as it goes over the wire.
func GatesOf(root string, v checks.Validation) GatesResult {
	r := GatesResult{Folder: FileURI(root), Projects: []GateProject{}, Gates: some(v.Gates), Waived: some(v.Waived), Known: some(v.Known)}
	for _, u := range v.Units {
		r.Projects = append(r.Projects, GateProject{Language: u.Language, Dir: u.Dir, Gates: some(u.Gates)})
	}
	return r
}

// ValidateOf is a validation, as it goes over the wire.
func ValidateOf(root string, v checks.Validation) ValidateResult {
	r := ValidateResult{Folder: FileURI(root), Verdict: v.Verdict().String(), Found: GatesOf(root, v), Gates: []Gate{}, Skipped: some(v.Skipped)}
	for _, report := range v.Reports {
		r.Gates = append(r.Gates, GateOf(report))
	}
	return r
}

// some is a list that is never null on the wire.
func some(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
