package work

import (
	"fmt"
	"slices"
	"strings"
)

// Mend fixes faults of a plan that need no question, and notes its fixes for users: dependencies on unknown parts, duplicate files,
// and parts that share a file without waiting for each other, which get an order. Direct and indirect waiting both count.
//
// The plan must have passed Check.
func Mend(p Plan) (mended Plan, notes []string) {
	mended.Parts = slices.Clone(p.Parts)
	for i := range mended.Parts {
		part := &mended.Parts[i]
		part.Files = distinct(part.Files)
		known := slices.DeleteFunc(distinct(part.DependsOn), func(id string) bool { return p.index(id) < 0 })
		for _, id := range distinct(part.DependsOn) {
			if p.index(id) < 0 {
				notes = append(notes, fmt.Sprintf("%s does not wait for %s: there is no such part", part.ID, id))
			}
		}
		part.DependsOn = known
	}
	for later := range mended.Parts {
		for earlier := range later {
			shared := common(mended.Parts[earlier].Files, mended.Parts[later].Files)
			if before := mended.before(); len(shared) == 0 || before[later][earlier] || before[earlier][later] {
				continue
			}
			mended.Parts[later].DependsOn = append(mended.Parts[later].DependsOn, mended.Parts[earlier].ID)
			notes = append(notes, fmt.Sprintf("%s waits for %s: both change %s", mended.Parts[later].ID, mended.Parts[earlier].ID, strings.Join(shared, ", ")))
		}
	}
	if n := len(mended.Parts); n > manyParts {
		notes = append(notes, fmt.Sprintf("%d parts are many: %d or fewer are easier to put together", n, manyParts))
	}
	for _, part := range mended.Parts {
		if n := len(part.Files); n > manyFiles {
			notes = append(notes, fmt.Sprintf("%s changes %d files: %d or fewer are easier to check", part.ID, n, manyFiles))
		}
	}
	return mended, notes
}

// FanOut replaces each part with sub-tasks by these: they begin when the part could have begun, and parts that waited for it wait
// for all of them. A part with one sub-task stays as it is, because nothing runs in parallel.
func FanOut(p Plan) Plan {
	var out Plan
	pieces := map[string][]string{} // of a part: the ids that replace it
	for _, part := range p.Parts {
		if len(part.SubTasks) < 2 {
			part.SubTasks = nil
			out.Parts, pieces[part.ID] = append(out.Parts, part), []string{part.ID}
			continue
		}
		for i, sub := range part.SubTasks {
			piece := part
			piece.ID, piece.Title, piece.Objective, piece.Files = part.ID+"."+sub.ID, sub.Title, sub.Objective+"\nIt is a piece of: "+part.Objective, sub.Files
			piece.SubTasks, piece.Minutes = nil, part.Minutes/len(part.SubTasks)
			if i == 0 { // unclaimed files belong to the first one
				piece.Files = slices.Concat(sub.Files, part.unclaimed())
			}
			out.Parts, pieces[part.ID] = append(out.Parts, piece), append(pieces[part.ID], piece.ID)
		}
	}
	for i := range out.Parts {
		var waits []string
		for _, id := range out.Parts[i].DependsOn {
			waits = append(waits, pieces[id]...)
		}
		out.Parts[i].DependsOn = waits
	}
	return out
}

// unclaimed returns the files of a part that none of its sub-tasks names.
func (part Part) unclaimed() []string {
	return slices.DeleteFunc(slices.Clone(part.Files), func(file string) bool {
		return slices.ContainsFunc(part.SubTasks, func(s Sub) bool { return slices.Contains(s.Files, file) })
	})
}

// distinct returns a list without duplicates, in order.
func distinct(list []string) (once []string) {
	for _, entry := range list {
		if !slices.Contains(once, entry) {
			once = append(once, entry)
		}
	}
	return once
}

func common(a, b []string) (both []string) {
	for _, entry := range a {
		if slices.Contains(b, entry) {
			both = append(both, entry)
		}
	}
	return both
}
