package match

import (
	"errors"
	"slices"

	"forge/patch"
)

// Unconfirmed is a hunk that matches nowhere, with its probable place by likeness and its effect there. Two are equal only if all of that
// is equal: a confirmation is for the text that was shown, and for no other place.
type Unconfirmed struct {
	Path   string  // of the file before the patch
	Hunk   int     // from 1, in the order of the patch
	Line   int     // from 1, of the first line of Before
	Score  float64 // likeness of the lines, from 0 to 1
	Before string  // the current lines, to the byte
	After  string  // the lines that would replace them
}

// Locate returns the hunks that the user has to confirm before a patch applies, in its order; none if it applies without. If it would not
// apply with all of them confirmed, the error, one of those of Resolve, says what would then be wrong.
func Locate(p patch.Patch, files patch.Files) ([]Unconfirmed, error) {
	var located []Unconfirmed
	_, err := resolve(p, files, func(u Unconfirmed) bool {
		located = append(located, u)
		return true
	})
	if err != nil {
		return nil, err
	}
	return located, nil
}

// ResolveConfirmed is Resolve for a front that has shown hunks of Locate to the user: confirmed hunks are applied at their places. A hunk
// whose place, text or result has changed since is rejected like any hunk that does not match.
func ResolveConfirmed(p patch.Patch, files patch.Files, confirmed []Unconfirmed) (patch.ChangeSet, error) {
	return resolve(p, files, func(u Unconfirmed) bool { return slices.Contains(confirmed, u) })
}

// Unified prints the hunk's effect as a unified diff for users, with the line numbers of the file.
func (u Unconfirmed) Unified(context int) string {
	return patch.UnifiedPart(patch.FileChange{Path: u.Path, Before: u.Before, After: u.After}, u.Line, context)
}

// confirmer reports whether the user has confirmed a hunk; nil means that none is confirmed.
type confirmer func(Unconfirmed) bool

// confirmed places a hunk whose search has failed at its probable place, if the user has confirmed that.
func (t *target) confirmed(path string, l *ladder, failure error, by confirmer) bool {
	none, ok := errors.AsType[*NoMatchError](failure)
	if by == nil || !ok || none.Located == nil {
		return false
	}
	at, edit := none.Located.Line-1, none.Located.Edit
	text := l.doc.bom + l.doc.body
	u := Unconfirmed{
		Path: path, Hunk: t.number, Line: l.doc.lineAt(edit.Start-len(l.doc.bom)) + 1, Score: none.Located.Score,
		Before: text[edit.Start:edit.End], After: edit.New,
	}
	atEnd := at+len(t.old) == len(l.lines)
	if u.Before == u.After || t.hunk.EOF && !atEnd || !by(u) {
		return false
	}
	t.putAt(l.doc, at)
	return true
}
