// Package proposal is a run's result as the user sees it: hunks that are previewed, accepted or
// rejected one by one, and rebased on the user's later edits. It is pure and knows no editor; fronts
// provide current texts and apply the resulting edits.
package proposal

import (
	"cmp"
	"fmt"
	"slices"
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
	Partial  State = "partial"  // of a file only: some of its hunks are accepted
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
	Note  string // why the user rejected it
	// Grounds are the texts that may be in its place while it is not accepted, if it replaces lines that were accepted. The first is the
	// run's; one of them is that of the base text. Usually there are none.
	Grounds []string
}

// File is one file of a proposal.
type File struct {
	Change patch.FileChange
	// Control is whether the file does more than be compiled or read. Named means that the request contains its path.
	Control integrity.Control
	Named   bool
	Amended bool   // the user has changed the proposed text
	Merged  string // how the changes of several parts of a plan became this one, for users; usually empty
	Hunks   []Hunk // ordered, not overlapping; at least one

	number  int              // in the proposal, from 1
	made    int              // hunks that have had an id
	rebased bool             // Change begins with a text that the run has not seen
	origin  patch.FileChange // Change as the run made it
	seen    []string         // digests of texts that the file has had; see seen.go
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
	for _, f := range p.Files {
		if f.Merged != "" {
			lines = append(lines, f.Change.Path+": "+f.Merged)
		}
	}
	return lines
}

// StillFailing returns which tests failed before the change and still fail; empty if none is known.
func (p *Proposal) StillFailing() string {
	var tests []string
	for _, report := range p.Gates {
		tests = append(tests, report.StillFailing...)
	}
	switch len(tests) {
	case 0:
		return ""
	case 1:
		return tests[0] + " failed before this change and still fails"
	}
	return gate.Listed(tests) + " failed before this change and still fail"
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
	// Explanation is what models say of the result in their own words, which nothing has checked; empty if they say nothing.
	Explanation string
	// Unverified lists the objections to the result, one per line, if the run did not accept it; empty otherwise.
	Unverified string
	// Missing are the parts of the plan that the result lacks; the others were joined and checked together.
	Missing []string
	// Check is the last check of a part, or of the user's own version; nil if there was none.
	Check *Check

	offered string // digest of the change as the run made it
}

// Flaw returns in two words why the result is not complete: "not complete", "not verified", or empty.
func (p *Proposal) Flaw() string {
	switch {
	case len(p.Missing) > 0:
		return "not complete"
	case p.Unverified != "":
		return "not verified"
	}
	return ""
}

// Name names the change in questions, with its flaw.
func (p *Proposal) Name() string {
	switch {
	case len(p.Missing) > 0:
		return "this incomplete change"
	case p.Unverified != "":
		return "this unverified change"
	}
	return "this change"
}

// New splits a change set into hunks, all Pending: one per edit of a changed file, exactly one for a file that is
// created, deleted or moved. inScope reports whether the task was about a path; nil means every path. Changes
// without effect are omitted. Files that need their own confirmation come first.
func New(
	id, runID, title string, cs patch.ChangeSet, gates []gate.Report, inScope func(path string) bool,
) *Proposal {
	p := &Proposal{ID: id, RunID: runID, Title: title, Gates: gates, offered: digestOf(cs)}
	for _, change := range foremost(cs.Files) {
		edits := cut(change)
		if len(edits) == 0 {
			continue
		}
		file := File{Change: change, Control: integrity.ControlOf(change), number: len(p.Files) + 1, made: len(edits), origin: change}
		level := worstLevel(change.Matches)
		risk := riskOf(file, level, inScope)
		for i, edit := range edits {
			file.Hunks = append(file.Hunks, Hunk{
				ID:    file.hunkID(i + 1),
				Path:  change.Path,
				Edit:  edit,
				Line:  lineAt(change.Before, edit.Start),
				Level: level,
				Risk:  risk,
				State: Pending,
			})
		}
		p.Files = append(p.Files, file)
	}
	return p
}

// IDOf returns the id of the proposal of a run, and RunOf the run of such an id.
func IDOf(run string) string { return idPrefix + strings.TrimPrefix(run, runPrefix) }

// RunOf reverses IDOf.
func RunOf(id string) string { return runPrefix + strings.TrimPrefix(id, idPrefix) }

const (
	idPrefix  = "p-"
	runPrefix = "r-"
)

// hunkID is the id of the n-th hunk that the file has had.
func (f *File) hunkID(n int) string { return fmt.Sprintf("f%dh%d", f.number, n) }

// lineAt returns the line, from 1, at an offset.
func lineAt(text string, offset int) int { return 1 + len(patch.SplitLines(text[:offset])) }

// foremost returns changes in their order, but those first that need their own confirmation.
func foremost(files []patch.FileChange) []patch.FileChange {
	ordered := slices.Clone(files)
	slices.SortStableFunc(ordered, func(a, b patch.FileChange) int {
		return cmp.Compare(max(integrity.ControlOf(b).Level, integrity.ControlLook), max(integrity.ControlOf(a).Level, integrity.ControlLook))
	})
	return ordered
}

// cut returns a change's hunks as edits of its base text.
func cut(change patch.FileChange) []patch.Edit {
	if change.Kind == patch.Update {
		return joinTouching(patch.Diff(change.Before, change.After))
	}
	return []patch.Edit{span(change.Before, change.After)}
}

// joinTouching joins edits without an unchanged line between them. Invariant: between two hunks of a
// file at least one line is unchanged; only then can they be accepted independently.
func joinTouching(edits []patch.Edit) []patch.Edit {
	var joined []patch.Edit
	for _, edit := range edits {
		if n := len(joined); n > 0 && joined[n-1].End == edit.Start {
			joined[n-1].End = edit.End
			joined[n-1].New += edit.New
			continue
		}
		joined = append(joined, edit)
	}
	return joined
}

// span returns the smallest single whole-line edit from before to after.
func span(before, after string) patch.Edit {
	a, b := patch.SplitLines(before), patch.SplitLines(after)
	start := 0
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		start += len(a[0])
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return patch.Edit{Start: start, End: start + len(strings.Join(a, "")), New: strings.Join(b, "")}
}

func worstLevel(matches []patch.Match) patch.Level {
	worst := patch.Exact
	for _, m := range matches {
		worst = max(worst, m.Level)
	}
	return worst
}

// riskOf returns the most serious reason for a second look.
func riskOf(f File, level patch.Level, inScope func(string) bool) Risk {
	switch {
	case f.Control.Level >= integrity.ControlAsk:
		return RiskControl
	case f.Change.Kind == patch.Delete:
		return RiskDelete
	case f.Change.Kind == patch.Move:
		return RiskMove
	case inScope != nil && !inScope(f.Change.Path):
		return RiskScope
	case f.Control.Level == integrity.ControlLook:
		return RiskLook
	case level > patch.Exact:
		return RiskInexact
	default:
		return ""
	}
}
