package proposal

import "forge/patch"

// Selection picks hunks by file path or by hunk id; the zero Selection picks every pending hunk.
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

// FilePlan brings hunks into one file as it is now.
type FilePlan struct {
	Path, From string
	Kind       patch.Kind
	Current    Current
	Edits      []PlannedEdit // ordered, not overlapping
	Conflicts  []string      // ids of hunks left out, because the person changed the same lines
	Want       string        // the whole text after Edits
}
