package proposal

import (
	"fmt"
	"slices"
	"strings"

	"forge/patch"
)

// Selection picks hunks by file path or by hunk id; the zero Selection picks every open hunk.
type Selection struct {
	Files, Hunks []string
}

// Current is a file as it is now: the open buffer, or the file on disk.
type Current struct {
	Text   string
	Exists bool
}

// PlannedEdit is one hunk as an edit of the current text.
type PlannedEdit struct {
	HunkID string
	Edit   patch.Edit // bytes of Current.Text
	Risk   Risk
}

// FilePlan applies hunks to one file as it is now. Without Edits and Conflicts, an update, a creation
// or a deletion is already done; a move without Edits is still to be made, unless Done is set.
type FilePlan struct {
	Path, From string
	Kind       patch.Kind
	Current    Current       // of From, if Kind is patch.Move and the file still exists
	Edits      []PlannedEdit // ordered, not overlapping
	Conflicts  []string      // ids of omitted hunks, because the user changed the same lines
	Want       string        // the whole text after Edits
	Done       bool          // the files already have the wanted state: there is nothing to write
}

// Plan applies exactly the named hunks to the files as they are now, with one FilePlan for each of their
// files. It changes nothing in p, and does not depend on Settle.
//
// Invariant: no edit changes a line that the user typed. A hunk is placed where its lines are now; if the user changed them, or its place
// next to lines that they typed is not clear, it is a conflict, and the other hunks are not affected. A file that was created, or
// deleted, meanwhile is a conflict too.
//
// current returns a file as it is; its error ends Plan, and so does an unknown hunk.
func (p *Proposal) Plan(hunks []string, current func(path string) (Current, error)) ([]FilePlan, error) {
	if err := p.known(Selection{Hunks: hunks}); err != nil {
		return nil, err
	}
	var plans []FilePlan
	for _, file := range p.Files {
		file.Hunks = slices.Clone(file.Hunks)
		chosen := file.choose(hunks)
		if len(chosen) == 0 {
			continue
		}
		plan, err := file.plan(chosen, current)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", file.Change.Path, err)
		}
		plans = append(plans, plan)
	}
	return plans, nil
}

// choose returns the indexes of the file's named hunks.
func (f *File) choose(ids []string) []int {
	var chosen []int
	for i, h := range f.Hunks {
		if slices.Contains(ids, h.ID) {
			chosen = append(chosen, i)
		}
	}
	return chosen
}

// plan plans a copy of the file, because it settles the hunks first.
func (f *File) plan(chosen []int, current func(string) (Current, error)) (FilePlan, error) {
	now, err := current(f.Change.Path)
	if err != nil {
		return FilePlan{}, err
	}
	plan := FilePlan{
		Path: f.Change.Path, From: f.Change.From, Kind: f.Change.Kind, Current: now, Want: now.Text,
	}
	switch f.Change.Kind {
	case patch.Create:
		f.planCreate(&plan)
	case patch.Delete:
		f.planDelete(&plan)
	case patch.Move:
		err = f.planMove(&plan, current)
	default:
		f.planUpdate(&plan, chosen)
	}
	return plan, err
}

// conflict omits the named hunks of the file from a plan.
func (f *File) conflict(plan *FilePlan, chosen ...int) {
	for _, i := range chosen {
		plan.Conflicts = append(plan.Conflicts, f.Hunks[i].ID)
	}
}

// The plans of files that are created, deleted or moved: exactly one hunk each, applied completely or not at all.

// planCreate creates a missing file. An empty file loses nothing: it may be left by a client that
// failed after creating it. It is filled, with a second look.
func (f *File) planCreate(plan *FilePlan) {
	want := f.Change.After
	switch {
	case plan.Current.Exists && plan.Current.Text == want:
		plan.Done = true
	case !blank(plan.Current.Text):
		f.conflict(plan, 0)
	default:
		plan.add(f.Hunks[0], patch.Edit{End: len(plan.Current.Text), New: want}, plan.Current.Exists)
		plan.Want = want
	}
}

// blank reports whether a text holds nothing that a user could lose. Neovim sends an empty buffer as one line break.
func blank(text string) bool { return strings.TrimSpace(text) == "" }

// planDelete deletes a file that is unchanged since the run.
func (f *File) planDelete(plan *FilePlan) {
	switch {
	case !plan.Current.Exists:
		plan.Done = true
	case plan.Current.Text != f.Change.Before:
		f.conflict(plan, 0)
	default:
		plan.add(f.Hunks[0], patch.Edit{End: len(plan.Current.Text)}, false)
		plan.Want = ""
	}
}

// planMove moves a file, with the user's edits, to a free place. plan.Current is the destination
// before the call, and the source after.
func (f *File) planMove(plan *FilePlan, current func(string) (Current, error)) error {
	source, err := current(f.Change.From)
	if err != nil {
		return err
	}
	target := plan.Current
	if !source.Exists && (settler{f}).movedTo(target) {
		plan.Done = true
		return nil
	}
	plan.Current, plan.Want = source, source.Text
	if !source.Exists || target.Exists {
		f.conflict(plan, 0)
		return nil
	}
	merged, conflicts := patch.Merge(f.Change.Before, source.Text, f.Change.After)
	if len(conflicts) > 0 {
		f.conflict(plan, 0)
		return nil
	}
	plan.add(f.Hunks[0], span(source.Text, merged), source.Text != f.Change.Before)
	plan.Want = merged
	return nil
}
