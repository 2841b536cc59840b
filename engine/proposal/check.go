package proposal

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"

	"forge/engine/gate"
	"forge/patch"
)

// Extent is how much of what a run made the user takes.
type Extent string

// The extents.
const (
	Whole   Extent = "whole"
	Part    Extent = "part"
	Amended Extent = "amended" // the user has changed a proposed text
)

// Check is the verdict of gates on a part of a proposal, or of the user's own version.
type Check struct {
	Of      string        `json:"of"` // a digest of the hunks that were in the text
	Reports []gate.Report `json:"reports"`
}

// Taken returns a digest of the hunks that the user takes: those that are accepted; before that, and while a version of the user's own is
// open, all that are not rejected. With open it is always the latter.
func (p *Proposal) Taken(open bool) string {
	sum := sha256.New()
	wanted := p.wanted(open)
	for h := range p.hunks() {
		if wanted(h) {
			fmt.Fprintf(sum, "%s %d %d %q\n", h.Path, h.Edit.Start, h.Edit.End, h.Edit.New)
		}
	}
	return encoded(sum)
}

// wanted returns which hunks the user takes.
func (p *Proposal) wanted(open bool) func(h *Hunk) bool {
	if !open && !p.TakesOpen() {
		return func(h *Hunk) bool { return h.State == Accepted }
	}
	return func(h *Hunk) bool { return h.State == Accepted || h.State == Pending }
}

// TakesOpen reports whether the user takes hunks that are open: nothing is accepted yet, or a file has a version of the user's own that is
// not accepted.
func (p *Proposal) TakesOpen() bool {
	accepts := false
	for _, f := range p.Files {
		for _, h := range f.Hunks {
			if f.Amended && h.open() {
				return true
			}
			accepts = accepts || h.State == Accepted
		}
	}
	return !accepts
}

// Checked returns how much of the proposal the user takes, and the reports of gates on exactly that. Without reports it was not checked.
func (p *Proposal) Checked() (Extent, []gate.Report) {
	of := p.extent()
	switch {
	case p.Check != nil && (p.Check.Of == p.Taken(false) || p.Check.Of == p.Taken(true)):
		return of, p.Check.Reports
	case of == Whole:
		return of, p.Gates
	}
	return of, nil
}

func (p *Proposal) extent() Extent {
	for _, f := range p.Files {
		if f.Amended {
			return Amended
		}
	}
	wanted := p.wanted(false)
	for h := range p.hunks() {
		if !wanted(h) {
			return Part
		}
	}
	return Whole
}

// With returns what is missing in the files for all of the proposal that is not rejected and has a place.
func (p *Proposal) With(current func(path string) (Current, error)) (cs patch.ChangeSet, err error) {
	var pending []string
	for h := range p.hunks() {
		if h.State == Pending {
			pending = append(pending, h.ID)
		}
	}
	plans, err := p.Plan(pending, current)
	for _, plan := range plans {
		if len(plan.Edits) > 0 {
			cs.Files = append(cs.Files, patch.FileChange{Kind: plan.Kind, Path: plan.Path, From: plan.From, Before: plan.Current.Text, After: plan.Want})
		}
	}
	return cs, err
}

// Without returns what takes the accepted hunks out of the files, and leaves what the user typed where that is possible.
func (p *Proposal) Without(current func(path string) (Current, error)) (cs patch.ChangeSet, err error) {
	for _, f := range p.Files {
		if !f.taken() {
			continue
		}
		now, err := current(f.Change.Path)
		if err != nil {
			return cs, fmt.Errorf("read %s: %w", f.Change.Path, err)
		}
		cs.Files = append(cs.Files, f.without(now))
	}
	return cs, nil
}

// taken reports whether something of the file's change is in the file.
func (f *File) taken() bool {
	made := f.origin.Kind == patch.Create || f.origin.Kind == patch.Move
	if made && f.Change.Kind == patch.Update {
		return true
	}
	return slices.ContainsFunc(f.Hunks, func(h Hunk) bool {
		ground := h.Edit.End <= len(f.Change.Before) && len(h.Grounds) > 0 && f.Change.Before[h.Edit.Start:h.Edit.End] != h.Grounds[0]
		return h.State == Accepted || ground && f.Change.Kind == patch.Update
	})
}

// without returns what takes the accepted hunks of the file back.
func (f *File) without(now Current) patch.FileChange {
	back := patch.FileChange{Kind: patch.Update, Path: f.Change.Path, Before: now.Text, After: f.original()}
	switch f.origin.Kind {
	case patch.Create:
		back.Kind, back.After = patch.Delete, ""
	case patch.Delete:
		back.Kind = patch.Create
	case patch.Move:
		back.Kind, back.Path, back.From, back.After = patch.Move, f.origin.From, f.Change.Path, f.origin.Before
	default:
		if merged, conflicts := patch.Merge(f.with(f.in(Accepted)), now.Text, back.After); len(conflicts) == 0 {
			back.After = merged
		}
	}
	return back
}

// digestOf identifies a change.
func digestOf(cs patch.ChangeSet) string {
	sum := sha256.New()
	for _, f := range cs.Files {
		fmt.Fprintf(sum, "%d %q %q %q %q\n", f.Kind, f.Path, f.From, f.Before, f.After)
	}
	return encoded(sum)
}

func encoded(sum interface {
	io.Writer
	Sum(b []byte) []byte
}) string {
	return hex.EncodeToString(sum.Sum(nil)[:16])
}
