package dialogue

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"forge/engine/pipeline/work"
	"forge/patch"
)

// maxReviewed limits how much of a change a reviewer sees, in bytes: a third of the largest prompt.
const maxReviewed = 112 << 10

// fewestShown is the least that is shown of a large file, in bytes, before other files are cut.
const fewestShown = 2 << 10

// Reviewable is numberedDiff within the limit. Of a larger change the small files are shown whole, and the ends of the large ones,
// which are usually generated or deleted, are cut; a note for each file says what is missing.
func Reviewable(c patch.ChangeSet, context int) string {
	shown := make([]string, len(c.Files))
	order, total := make([]int, len(c.Files)), 0
	for i, f := range c.Files {
		shown[i] = numberedDiff(patch.ChangeSet{Files: []patch.FileChange{f}}, context)
		order[i] = i
		total += len(shown[i])
	}
	if total <= maxReviewed {
		return strings.Join(shown, "")
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(shown[a]), len(shown[b])) })
	room, left := maxReviewed, len(order)
	var notes []string
	for _, i := range order {
		share := max(room/left, fewestShown)
		if c.Files[i].Kind == patch.Delete && len(shown[i]) > fewestShown {
			share = fewestShown // deleted text says little
		}
		all := shown[i]
		if len(all) > share {
			shown[i] = work.Shorten(all, share) + "\n"
			notes = append(notes, fmt.Sprintf("%s: %d of %d lines of the diff are shown", c.Files[i].Path, strings.Count(shown[i], "\n")-1, strings.Count(all, "\n")))
		}
		room = max(0, room-len(shown[i]))
		left--
	}
	slices.Sort(notes)
	const mostNotes = 100
	if n := len(notes) - mostNotes; n > 0 {
		notes = append(notes[:mostNotes], fmt.Sprintf("and %d more files", n))
	}
	return "The change is too large to be shown whole.\n" + strings.Join(notes, "\n") + "\n\n" + strings.Join(shown, "")
}
