package proposal

import (
	"fmt"
	"slices"
	"strings"

	"forge/patch"
)

// Select returns the ids of the hunks that a selection picks, in the order of the proposal. A file selects its open
// hunks, pending or in conflict; the zero Selection selects every open hunk. A hunk picked by its id is returned in any
// state, so that the user can change their mind. An unknown file or hunk is an error that names it and lists the valid
// ones.
func (p *Proposal) Select(s Selection) ([]string, error) {
	if err := p.known(s); err != nil {
		return nil, err
	}
	everything := len(s.Files) == 0 && len(s.Hunks) == 0
	var picked []string
	for h := range p.hunks() {
		byFile := everything || slices.Contains(s.Files, h.Path)
		if byFile && h.open() || slices.Contains(s.Hunks, h.ID) {
			picked = append(picked, h.ID)
		}
	}
	return picked, nil
}

// known rejects a selection with an unknown file or hunk.
func (p *Proposal) known(s Selection) error {
	var files, ids []string
	for _, file := range p.Files {
		files = append(files, file.Change.Path)
		for _, h := range file.Hunks {
			ids = append(ids, h.ID)
		}
	}
	for _, name := range s.Files {
		if !slices.Contains(files, name) {
			return fmt.Errorf("proposal %s has no file %q; its files are %s", p.ID, name, strings.Join(files, ", "))
		}
	}
	for _, name := range s.Hunks {
		if !slices.Contains(ids, name) {
			return fmt.Errorf("proposal %s has no hunk %q; its hunks are %s", p.ID, name, strings.Join(ids, ", "))
		}
	}
	return nil
}

// hunks visits every hunk in order, as pointers into the proposal.
func (p *Proposal) hunks() func(yield func(*Hunk) bool) {
	return func(yield func(*Hunk) bool) {
		for f := range p.Files {
			for h := range p.Files[f].Hunks {
				if !yield(&p.Files[f].Hunks[h]) {
					return
				}
			}
		}
	}
}

// open reports whether the hunk is undecided.
func (h Hunk) open() bool { return h.State == Pending || h.State == Conflict }

// Open reports whether any hunk is undecided.
func (p *Proposal) Open() bool {
	for h := range p.hunks() {
		if h.open() {
			return true
		}
	}
	return false
}

// StateOf sums up the states of a file's hunks.
func StateOf(f File) State {
	count := map[State]int{}
	for _, h := range f.Hunks {
		count[h.State]++
	}
	switch all := len(f.Hunks); {
	case count[Conflict] > 0:
		return Conflict
	case count[Accepted] == all:
		return Accepted
	case count[Accepted] > 0:
		return Partial
	case count[Rejected] == all:
		return Rejected
	}
	return Pending
}

// Paths returns the paths that the proposal touches, former ones of moved files included.
func (p *Proposal) Paths() (all []string) {
	for _, f := range p.Files {
		all = append(all, f.Change.Path)
		if f.Change.From != "" {
			all = append(all, f.Change.From)
		}
	}
	return all
}

// Reject marks the named open hunks Rejected, with the user's reason, which may be empty. An accepted hunk is already in the file and
// stays as it is; undo removes it.
func (p *Proposal) Reject(hunks []string, note string) {
	for h := range p.hunks() {
		if (h.open() || h.State == Rejected && note != "") && slices.Contains(hunks, h.ID) {
			h.State, h.Note = Rejected, note
		}
	}
}

// MarkConflict marks the named open hunks as in conflict with the user's edits.
func (p *Proposal) MarkConflict(hunks []string) {
	for h := range p.hunks() {
		if h.open() && slices.Contains(hunks, h.ID) {
			h.State = Conflict
		}
	}
}

// Unified returns the whole proposal, regardless of decisions, as a unified diff with three lines of context.
func (p *Proposal) Unified() string {
	var cs patch.ChangeSet
	for _, file := range p.Files {
		cs.Files = append(cs.Files, file.Change)
	}
	return cs.Unified(3)
}

// Clone returns a copy whose states can change independently. Gate reports and matches, which are read-only, are shared.
func (p *Proposal) Clone() *Proposal {
	clone := *p
	clone.Files = slices.Clone(p.Files)
	for i := range clone.Files {
		clone.Files[i].Hunks = slices.Clone(p.Files[i].Hunks)
	}
	return &clone
}

// Count returns the number of hunks.
func (p *Proposal) Count() int {
	n := 0
	for range p.hunks() {
		n++
	}
	return n
}
