// Package proposal is a run's result as the user sees it: hunks that are previewed, accepted or
// rejected one by one, and rebased on whatever the user typed meanwhile. It is pure and knows no
// editor; fronts give it current texts and get edits back.
package proposal

import (
	"forge/engine/gate"
	"forge/engine/integrity"
	"forge/patch"
)

// State is how a hunk stands.
type State string

// The states of a hunk.
const (
	Pending  State = "pending"
	Accepted State = "accepted" // verified: its text is in the file
	Rejected State = "rejected"
	Conflict State = "conflict" // the user changed the same lines
)

// Risk says why a hunk needs a second look; empty is no risk.
type Risk string

// The risks.
const (
	RiskInexact Risk = "inexact" // matched below patch.Exact
	RiskDelete  Risk = "delete"
	RiskMove    Risk = "move"
	RiskScope   Risk = "scope"   // outside what was asked for
	RiskRebased Risk = "rebased" // merged with what the user typed meanwhile
	RiskLook    Risk = "look"    // executed when the project is built or tested: see File.Control
	RiskControl Risk = "control" // never covered by a yes to everything: see File.Control
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
	// Control says whether the file does more than be compiled or read. Named says that the request names its path.
	Control integrity.Control
	Named   bool
	Hunks   []Hunk // ordered, not overlapping; at least one
}

// Guarded reports whether a yes to the whole proposal does not cover the file.
func (f File) Guarded() bool { return f.Control.Level >= integrity.ControlAsk && !f.Named }

// Guarded lists the files that a yes to the whole proposal does not cover.
func (p *Proposal) Guarded() []File {
	var found []File
	for _, f := range p.Files {
		if f.Guarded() {
			found = append(found, f)
		}
	}
	return found
}

// Notices lists what the user should read before any hunk is accepted, a line each.
func (p *Proposal) Notices() (lines []string) {
	for _, report := range p.Gates {
		if report.Notice != "" {
			lines = append(lines, report.Notice)
		}
	}
	return lines
}

// Asked notes which files a request names by their path, in words: whoever asked for one wants it changed.
func (p *Proposal) Asked(request string) {
	for i, f := range p.Files {
		p.Files[i].Named = integrity.Named(request, f.Change.Path) && (f.Change.From == "" || integrity.Named(request, f.Change.From))
	}
}

// AskedWhole notes that every file was asked for: the proposal takes back what was there.
func (p *Proposal) AskedWhole() {
	for i := range p.Files {
		p.Files[i].Named = true
	}
}

// Proposal is a change set on its way to consent.
type Proposal struct {
	ID    string
	RunID string
	Title string // the task, one line
	Files []File
	Gates []gate.Report // what was checked on the result
	// Unverified is what speaks against the result, a line each, where the run did not accept it; empty for a result that was accepted.
	Unverified string
}
