package proposal

import (
	"fmt"
	"slices"

	"forge/patch"
)

// Selection picks hunks by file path or by hunk id; the zero Selection picks every open hunk.
type Selection struct {
	Files, Hunks []string
}

// Current is a file as it is now: the buffer if one is open, else the disk.
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

// FilePlan brings hunks into one file as it is now. Without Edits and Conflicts, an update, a creation
// or a deletion is done already; a move without Edits still has to be made, unless Done says otherwise.
type FilePlan struct {
	Path, From string
	Kind       patch.Kind
	Current    Current       // of From, when Kind is patch.Move and there still is such a file
	Edits      []PlannedEdit // ordered, not overlapping
	Conflicts  []string      // ids of hunks left out, because the user changed the same lines
	Want       string        // the whole text after Edits
	Done       bool          // the files already are as wanted: nothing is to be written
}

// Plan brings exactly the named hunks into the files as they are now, one FilePlan for each file that has
// one of them. It changes nothing in p, and does not depend on Settle having been called.
//
// Invariant: no line the user typed is in an edit's way. A hunk goes where its lines are now; one whose
// lines, or the lines that touch them, the user changed is a conflict and does not hold up the others.
// A file that was created, or deleted, meanwhile is a conflict too.
//
// current returns a file as it is; its error ends Plan, as does a hunk the proposal does not have.
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

// choose returns the indexes of the file's hunks that are named.
func (f *File) choose(ids []string) []int {
	var chosen []int
	for i, h := range f.Hunks {
		if slices.Contains(ids, h.ID) {
			chosen = append(chosen, i)
		}
	}
	return chosen
}

// plan works on a file whose Hunks are its own, because it settles them first.
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

// conflict leaves the named hunks of the file out of a plan.
func (f *File) conflict(plan *FilePlan, chosen ...int) {
	for _, i := range chosen {
		plan.Conflicts = append(plan.Conflicts, f.Hunks[i].ID)
	}
}
