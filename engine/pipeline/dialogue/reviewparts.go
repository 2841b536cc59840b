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

// maxReviewParts limits in how many parts a change is reviewed.
const maxReviewParts = 4

// ReviewParts returns the texts in which a change is reviewed, each within the limit of Reviewable: one, or several for a change that is larger, of
// whole files. Files that are deleted, or too large for a part, are cut, as is all that so many parts cannot hold.
func ReviewParts(c patch.ChangeSet, context int) []string {
	var parts []patch.ChangeSet
	size, total := 0, 0
	for _, f := range c.Files {
		n := len(numberedDiff(patch.ChangeSet{Files: []patch.FileChange{f}}, context))
		if f.Kind == patch.Delete || n > maxReviewed { // deleted or, as a rule, generated
			n = min(n, fewestShown)
		}
		if total += n; len(parts) == 0 || size+n > maxReviewed {
			parts, size = append(parts, patch.ChangeSet{}), 0
		}
		last := &parts[len(parts)-1]
		last.Files, size = append(last.Files, f), size+n
	}
	if total <= maxReviewed || len(parts) > maxReviewParts {
		return []string{Reviewable(c, context)}
	}
	texts := make([]string, len(parts))
	for i, part := range parts {
		texts[i] = fmt.Sprintf("The change is reviewed in %d parts; this is part %d. The others change these files, and are not shown: %s. Report nothing as missing that may be there.\n\n%s",
			len(parts), i+1, strings.Join(othersOf(c, part), ", "), Reviewable(part, context))
	}
	return texts
}

// othersOf returns the paths of a change that are not in a part of it, up to a hundred.
func othersOf(c, part patch.ChangeSet) (paths []string) {
	in := work.ChangedPaths(part)
	for _, path := range work.ChangedPaths(c) {
		if !slices.Contains(in, path) {
			paths = append(paths, path)
		}
	}
	if n := len(paths) - maxNotes; n > 0 {
		paths = append(paths[:maxNotes], fmt.Sprintf("and %d more", n))
	}
	return paths
}

// maxNotes limits how many files are named in what is said of a large change.
const maxNotes = 100

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
	if n := len(notes) - maxNotes; n > 0 {
		notes = append(notes[:maxNotes], fmt.Sprintf("and %d more files", n))
	}
	return "The change is too large to be shown whole.\n" + strings.Join(notes, "\n") + "\n\n" + strings.Join(shown, "")
}
