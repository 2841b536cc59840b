package dialogue

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"forge/engine/llm"
	"forge/engine/pipeline/judge"
	"forge/engine/pipeline/work"
	"forge/engine/prompt"
	"forge/engine/step"
	"forge/patch"
)

// maxReviewed limits how much of a change a reviewer sees, in bytes.
const maxReviewed = 112 << 10

// MostReviewed returns how much of a change one prompt of the reviewer shows, in bytes: at most half of what its model takes.
func MostReviewed(env step.Env) int {
	tokens, _ := env.Room(work.NodeReview, judge.ReviewTokens)
	return min(maxReviewed, tokens*prompt.BytesPerToken/2)
}

// fewestShown is the least that is shown of a large file, in bytes, before other files are cut.
const fewestShown = 2 << 10

// maxReviewParts limits in how many parts a change is reviewed.
const maxReviewParts = 4

// ReviewParts returns the texts in which a change is reviewed, each of at most so many bytes: one, or several for a change that is larger, of
// whole files. Files that are deleted, or too large for a part, are cut, as is all that so many parts cannot hold. unseen says, for the user, what
// is not shown of files that are not deleted; empty if all is.
func ReviewParts(c patch.ChangeSet, context, most int) (texts []string, unseen string) {
	var parts []patch.ChangeSet
	size, total := 0, 0
	for _, f := range c.Files {
		n := len(numberedDiff(patch.ChangeSet{Files: []patch.FileChange{f}}, context))
		if f.Kind == patch.Delete || n > most { // deleted or, as a rule, generated
			n = min(n, fewestShown)
		}
		if total += n; len(parts) == 0 || size+n > most {
			parts, size = append(parts, patch.ChangeSet{}), 0
		}
		last := &parts[len(parts)-1]
		last.Files, size = append(last.Files, f), size+n
	}
	if total <= most || len(parts) > maxReviewParts {
		text, unseen := Reviewable(c, context, most)
		return []string{text}, unseen
	}
	var notes []string
	for i, part := range parts {
		text, note := Reviewable(part, context, most)
		texts = append(texts, fmt.Sprintf("The change is reviewed in %d parts; this is part %d. The others change these files, and are not shown: %s. Report nothing as missing that may be there.\n\n%s",
			len(parts), i+1, strings.Join(othersOf(c, part), ", "), text))
		notes = append(notes, note)
	}
	return texts, Notes(notes...)
}

// Notes joins notes of a review, without those that are empty.
func Notes(notes ...string) string {
	return strings.Join(slices.DeleteFunc(notes, func(note string) bool { return note == "" }), "\n")
}

// Sent is the request that a reviewer has answered.
type Sent struct{ made llm.Manifest }

// Keep keeps the parts of the newest request.
func (s *Sent) Keep(made llm.Manifest) { s.made = made }

// CutNote returns a note for the user if the request did not have all of the section under review; otherwise empty.
func (s *Sent) CutNote(section prompt.Section) string {
	if section.Uncut(s.made) {
		return ""
	}
	return "the end of the change was not reviewed: the context of the reviewer's model has no room for it"
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

// maxNotes limits how many files the notes about a large change name.
const maxNotes = 100

// Reviewable is numberedDiff within a limit in bytes. Of a larger change the small files are shown whole, and the ends of the large ones,
// which are usually generated or deleted, are cut; a note for each file states what is missing. unseen states it for the user, as in
// ReviewParts.
func Reviewable(c patch.ChangeSet, context, most int) (text, unseen string) {
	shown := make([]string, len(c.Files))
	order, total := make([]int, len(c.Files)), 0
	for i, f := range c.Files {
		shown[i] = numberedDiff(patch.ChangeSet{Files: []patch.FileChange{f}}, context)
		order[i] = i
		total += len(shown[i])
	}
	if total <= most {
		return strings.Join(shown, ""), ""
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(shown[a]), len(shown[b])) })
	room, left := most, len(order)
	var notes, cut []string
	for _, i := range order {
		share := max(room/left, fewestShown)
		if c.Files[i].Kind == patch.Delete && len(shown[i]) > fewestShown {
			share = fewestShown // deleted text says little
		}
		all := shown[i]
		if len(all) > share {
			shown[i] = work.Shorten(all, share) + "\n"
			had, of := strings.Count(shown[i], "\n")-1, strings.Count(all, "\n")
			notes = append(notes, fmt.Sprintf("%s: %d of %d lines of the diff are shown", c.Files[i].Path, had, of))
			if c.Files[i].Kind != patch.Delete {
				cut = append(cut, fmt.Sprintf("%s (%d of %d lines of the diff)", c.Files[i].Path, had, of))
			}
		}
		room = max(0, room-len(shown[i]))
		left--
	}
	return "The change is too large to be shown whole.\n" + strings.Join(fewest(notes, maxNotes), "\n") + "\n\n" + strings.Join(shown, ""), incomplete(cut)
}

// incomplete returns, for the user, the files of which a reviewer does not see all; empty if there are none.
func incomplete(cut []string) string {
	if len(cut) == 0 {
		return ""
	}
	return "the change is too large for one review, which saw only the beginning of " + strings.Join(fewest(cut, maxNamed), ", ")
}

// fewest returns the first of some notes about files, in their order by name, and how many more there are.
func fewest(notes []string, most int) []string {
	slices.Sort(notes)
	if n := len(notes) - most; n > 0 {
		notes = append(notes[:most], fmt.Sprintf("and %d more files", n))
	}
	return notes
}

// maxNamed limits how many files are named for the user.
const maxNamed = 5
