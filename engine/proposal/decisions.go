package proposal

import (
	"slices"
	"strings"

	"forge/patch"
)

// Decisions are what the user has made of a proposal, apart from the proposal itself. Its names are a file format.
type Decisions struct {
	Of    string        `json:"of"` // a digest of the change as the run made it: a run that is resumed may make another
	Files []DecidedFile `json:"files"`
	Check *Check        `json:"check,omitempty"`
}

// DecidedFile are the hunks of a file, by the edits that they are now.
type DecidedFile struct {
	Path    string        `json:"path"`
	Amended bool          `json:"amended,omitempty"`
	Made    int           `json:"made"`
	Hunks   []DecidedHunk `json:"hunks"`
	// Rebased is the text that the hunks are edits of, if the run has not seen it.
	Rebased *string `json:"rebased,omitempty"`
	Kind    string  `json:"kind,omitempty"` // with Rebased
	// Seen are digests of texts that the file has had.
	Seen []string `json:"seen,omitempty"`
}

// DecidedHunk is a hunk with its state.
type DecidedHunk struct {
	ID    string `json:"id"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	New   string `json:"new"`
	Level int    `json:"level,omitempty"`
	Risk  Risk   `json:"risk,omitempty"`
	State State  `json:"state"`
	Note  string `json:"note,omitempty"`
	// Grounds are those of Hunk.
	Grounds []string `json:"grounds,omitempty"`
}

// Decisions returns what the user has made of the proposal.
func (p *Proposal) Decisions() Decisions {
	d := Decisions{Of: p.offered, Check: p.Check}
	for _, f := range p.Files {
		file := DecidedFile{Path: f.Change.Path, Amended: f.Amended, Made: f.made, Seen: f.seen}
		if f.rebased {
			before := f.Change.Before
			file.Rebased, file.Kind = &before, f.Change.Kind.String()
		}
		for _, h := range f.Hunks {
			file.Hunks = append(file.Hunks, DecidedHunk{h.ID, h.Edit.Start, h.Edit.End, h.Edit.New, int(h.Level), h.Risk, h.State, h.Note, h.Grounds})
		}
		d.Files = append(d.Files, file)
	}
	return d
}

// Decide puts the user's decisions about a change into a proposal of it. Decisions about another change have no effect, and neither
// have those about a file that they do not fit.
func (p *Proposal) Decide(d Decisions) {
	if d.Of != p.offered {
		return
	}
	p.Check = d.Check
	for _, file := range d.Files {
		i := slices.IndexFunc(p.Files, func(f File) bool { return f.Change.Path == file.Path })
		if i >= 0 && file.fits(&p.Files[i]) {
			p.Files[i].decide(file)
		}
	}
}

// fits reports whether the hunks are ordered edits of the file's text.
func (d *DecidedFile) fits(f *File) bool {
	text := f.Change.Before
	if d.Rebased != nil {
		text = *d.Rebased
		if _, known := patch.KindNamed(d.Kind); !known {
			return false
		}
	}
	at := 0
	for _, h := range d.Hunks {
		if h.Start < at || h.End < h.Start || h.End > len(text) {
			return false
		}
		at = h.End
	}
	return len(d.Hunks) > 0
}

// decide takes over decisions that fit.
func (f *File) decide(d DecidedFile) {
	f.Amended, f.made, f.seen = d.Amended, max(f.made, d.Made), d.Seen
	if d.Rebased != nil {
		f.rebased, f.Change.Before = true, *d.Rebased
		if f.Change.Kind, _ = patch.KindNamed(d.Kind); f.Change.Kind == patch.Update {
			f.Change.From = ""
		}
	}
	f.Hunks = nil
	for _, h := range d.Hunks {
		f.Hunks = append(f.Hunks, Hunk{
			ID: h.ID, Path: f.Change.Path, Edit: patch.Edit{Start: h.Start, End: h.End, New: h.New}, Line: lineAt(f.Change.Before, h.Start),
			Level: patch.Level(h.Level), Risk: h.Risk, State: h.State, Note: h.Note, Grounds: h.Grounds,
		})
	}
	if d.Amended {
		f.Change.After, f.Change.Matches = f.with(slices.Repeat([]bool{true}, len(f.Hunks))), nil
	}
}

// Rejections lists the notes of rejected hunks with their places, one per line; empty without a note.
func (p *Proposal) Rejections() string {
	var lines []string
	for h := range p.hunks() {
		if line := h.Path + ": " + h.Note; h.State == Rejected && h.Note != "" && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}
