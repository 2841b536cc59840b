// Package proposal is a run's result as the user sees it: hunks that are previewed, accepted or
// rejected one by one, and rebased on the user's later edits. It is pure and knows no editor; fronts
// provide current texts and apply the resulting edits.
package proposal

import (
	"strings"

	"forge/engine/gate"
	"forge/engine/integrity"
	"forge/patch"
)

// State is the state of a hunk.
type State string

// The states of a hunk.
const (
	Pending  State = "pending"
	Accepted State = "accepted" // verified: its text is in the file
	Rejected State = "rejected"
	Conflict State = "conflict" // the user changed the same lines
)

// Risk is why a hunk needs a second look; empty is no risk.
type Risk string

// The risks.
const (
	RiskInexact Risk = "inexact" // matched below patch.Exact
	RiskDelete  Risk = "delete"
	RiskMove    Risk = "move"
	RiskScope   Risk = "scope"   // outside of the task
	RiskRebased Risk = "rebased" // merged with the user's later edits
	RiskLook    Risk = "look"    // building or testing the project executes it: see File.Control
	RiskControl Risk = "control" // needs its own confirmation: see File.Control
)

// Hunk is one region of one file.
type Hunk struct {
	ID    string // unique in the proposal: "f1h2"
	Path  string
	Edit  patch.Edit // bytes of the file's base text; whole lines
	Line  int        // from 1, of the edit's first line in the base text
	Level patch.Level
	Risk  Risk
	State State
}

// File is one file of a proposal.
type File struct {
	Change patch.FileChange
	// Control is whether the file does more than be compiled or read. Named means that the request contains its path.
	Control integrity.Control
	Named   bool
	Hunks   []Hunk // ordered, not overlapping; at least one
}

// Guarded reports whether the file needs its own confirmation.
func (f File) Guarded() bool { return f.Control.Level >= integrity.ControlAsk && !f.Named }

// Guarded lists the files that need their own confirmation.
func (p *Proposal) Guarded() []File {
	var found []File
	for _, f := range p.Files {
		if f.Guarded() {
			found = append(found, f)
		}
	}
	return found
}

// Notices lists what the user should read before accepting a hunk, one per line.
func (p *Proposal) Notices() (lines []string) {
	for _, report := range p.Gates {
		if report.Notice != "" {
			lines = append(lines, report.Notice)
		}
	}
	return lines
}

// Asked marks the files whose paths a request contains: the user wants them changed, but not by a deceptive text.
func (p *Proposal) Asked(request string) {
	for i, f := range p.Files {
		p.Files[i].Named = !f.Control.Deceptive && integrity.Named(request, f.Change.Path) && (f.Change.From == "" || integrity.Named(request, f.Change.From))
	}
}

// CheckPackages adds to the reasons of manifests which of their new packages no lock file of the project has. read returns the text
// of a file as it was before the change.
func (p *Proposal) CheckPackages(read func(path string) ([]byte, error)) {
	for i, f := range p.Files {
		unlocked := integrity.Unlocked(f.Change.Path, integrity.Added(f.Change), func(path string) (string, bool) {
			text, err := read(path)
			return string(text), err == nil
		})
		if len(unlocked) > 0 && f.Control.Reason != "" {
			p.Files[i].Control.Reason += "; no lock file of the project has " + strings.Join(unlocked, ", ")
		}
	}
}

// AskedWhole marks every file as requested: the proposal restores earlier texts.
func (p *Proposal) AskedWhole() {
	for i := range p.Files {
		p.Files[i].Named = true
	}
}

// Proposal is a change set before consent.
type Proposal struct {
	ID    string
	RunID string
	Title string // the task, one line
	Files []File
	Gates []gate.Report // reports on the result
	// Unverified lists the objections to the result, one per line, if the run did not accept it; empty otherwise.
	Unverified string
}
