package review

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"forge/engine/proposal"
	"forge/internal/inert"
	"forge/lsp/editor"
)

// HintSource is the source of the diagnostics that show hunks.
const HintSource = "forge"

// shownReviews is how many proposals, newest first, are shown in documents. Older ones stay open for
// commands; to place them all again at every key would make typing slow.
const shownReviews = 8

// Placed is an open hunk where it is now.
type Placed struct {
	Review   *Review
	ID       string
	Name     string // the id; with the title of the proposal if a hunk of an older one that is open has the same id
	path     string
	Where    protocol.Range
	text     string // what it puts there
	Conflict bool   // it cannot be placed, because the user changed the same lines
}

// Placer finds where the hunks of open proposals are in the texts as they are now. It owns nothing, and never calls the client.
type Placer struct {
	reviews *reviews
	folders *editor.Folders
}

// PlacedIn finds the open hunks of a file that are shown in it: all of them while a proposal is shown
// as hints, else those in conflict.
func (pl *Placer) PlacedIn(folder editor.Folder, path string) []Placed {
	var all []Placed
	list := slices.DeleteFunc(pl.reviews.list(), func(r *Review) bool { return r.folder.Path != folder.Path || r.aside.Load() })
	list = list[:min(len(list), shownReviews)]
	older := map[string]bool{} // ids of the hunks that are shown of older proposals
	for _, r := range slices.Backward(list) {
		placed, title := pl.placedOf(r, path), inert.OneLine(r.view().Title, 40)
		for i := range placed {
			h := &placed[i]
			if h.Name = h.ID; older[h.ID] {
				h.Name += " of " + title
			}
		}
		all = append(placed, all...)
		r.addShown(older)
	}
	return all
}

// addShown adds the ids of all hunks that are shown to the user.
func (r *Review) addShown(ids map[string]bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range r.p.Files {
		maps.Copy(ids, shownHunks(r.p, f.Change.Path, r.hints.Load()))
	}
}

func (pl *Placer) placedOf(r *Review, path string) []Placed {
	p := r.view()
	var wanted []string
	for id := range shownHunks(p, path, r.hints.Load()) {
		wanted = append(wanted, id)
	}
	if len(wanted) == 0 {
		return nil
	}
	now, err := textsOf(pl.folders, r.folder, p)
	if err != nil {
		return nil
	}
	plans, err := p.Plan(wanted, now.lookup)
	if err != nil {
		return nil
	}
	var all []Placed
	shift := now[path].Hidden
	index := pl.folders.Lines(now[path].Text[shift:])
	for _, plan := range plans {
		for _, e := range plan.Edits {
			where := index.Visible(max(e.Edit.Start-shift, 0), max(e.Edit.End-shift, 0))
			all = append(all, Placed{Review: r, ID: e.HunkID, path: path, Where: where, text: e.Edit.New})
		}
		for _, id := range plan.Conflicts {
			all = append(all, conflictOf(r, p, id, path, index))
		}
	}
	return all
}

// placeOfFirst is where the first hunk of a file is shown now, or the beginning of the file. Editors refuse to
// go to a line they do not have.
func (pl *Placer) placeOfFirst(r *Review, path string) protocol.Range {
	hunks := pl.placedOf(r, path)
	if len(hunks) == 0 {
		return protocol.Range{}
	}
	at := hunks[0].Where
	at.End = at.Start
	return at
}

// shownHunks are the ids of the hunks of a file that are to be shown in it.
func shownHunks(p *proposal.Proposal, path string, hints bool) map[string]bool {
	ids := map[string]bool{}
	for _, file := range p.Files {
		if file.Change.Path != path {
			continue
		}
		for _, h := range file.Hunks {
			if h.State == proposal.Conflict || hints && h.State == proposal.Pending {
				ids[h.ID] = true
			}
		}
	}
	return ids
}

func conflictOf(r *Review, p *proposal.Proposal, id, path string, index *editor.Lines) Placed {
	for _, file := range p.Files {
		for _, h := range file.Hunks {
			if h.ID == id {
				where := index.LineFrom(h.Line, 1)
				return Placed{Review: r, ID: id, path: path, Where: where, text: h.Edit.New, Conflict: true}
			}
		}
	}
	return Placed{Review: r, ID: id, path: path, Conflict: true}
}

// diagnostic shows the hunk in its file.
func (h Placed) diagnostic() protocol.Diagnostic {
	d := protocol.Diagnostic{
		Range:    h.Where,
		Severity: protocol.DiagnosticSeverityHint,
		Source:   protocol.NewOptional(HintSource),
		Code:     protocol.String(h.Name),
		Message:  protocol.String("proposed: " + sample(h.text)),
	}
	if h.Conflict {
		d.Severity = protocol.DiagnosticSeverityWarning
		d.Message = protocol.String("left out, because you changed the same lines; proposed: " + sample(h.text))
	}
	return d
}

// sample shows the beginning of what a hunk puts into the text.
func sample(text string) string {
	text = strings.TrimRight(inert.Text(text), "\n")
	if text == "" {
		return "delete these lines"
	}
	all := strings.Split(text, "\n")
	if len(all) <= 8 {
		return text
	}
	return strings.Join(all[:7], "\n") + fmt.Sprintf("\n… %d more lines", len(all)-7)
}
