package proposal

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

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

// Check is what gates said of a part of a proposal, or of the user's own version.
type Check struct {
	Of      string        `json:"of"` // a digest of the hunks that were in the text
	Reports []gate.Report `json:"reports"`
}

// Taken returns a digest of the hunks that the user takes: those that are accepted, or before that all that are not rejected. With open
// it is always the latter.
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
	for h := range p.hunks() {
		if h.State == Accepted && !open {
			return func(h *Hunk) bool { return h.State == Accepted }
		}
	}
	return func(h *Hunk) bool { return h.State == Accepted || h.State == Pending }
}

// Checked returns how much of the proposal the user takes, and what gates said of exactly that. Without reports it was not checked.
func (p *Proposal) Checked() (Extent, []gate.Report) {
	of := p.extent()
	switch {
	case p.Check != nil && p.Check.Of == p.Taken(false):
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
