package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"forge/engine/plan"
	"forge/engine/prompt"
)

// request is what the person asked for, and which part of it the module is.
func (j *job) request() []prompt.Section {
	sections := j.run.request()
	if j.part == nil {
		return sections
	}
	return append(sections, prompt.Section{Kind: prompt.Request, Name: "Your part of it", Text: j.assignment(), Data: true})
}

// goal is what the module is about, in words by which files are found.
func (j *job) goal() string {
	if j.part == nil {
		return j.run.task.Text
	}
	return strings.Join(append([]string{j.part.Title, j.part.Objective}, j.part.Files...), "\n")
}

// assignment is a part as whoever works on it sees it, with what the others do.
func (j *job) assignment() string {
	var text strings.Builder
	p := j.part
	fmt.Fprintf(&text, "%s: %s\n%s\nFiles: %s\nDone when: %s\n", p.ID, p.Title, strings.TrimSpace(p.Objective), strings.Join(p.Files, ", "), p.DoneWhen)
	for _, v := range p.Verify {
		fmt.Fprintf(&text, "- to be shown: %s\n", v)
	}
	for _, other := range j.otherParts() {
		fmt.Fprintf(&text, "Not yours: %s (%s): %s\n", other.ID, strings.Join(other.Files, ", "), strings.TrimSpace(other.Objective))
	}
	return strings.TrimRight(text.String(), "\n")
}

// otherParts are the parts of the plan that are not the module's.
func (j *job) otherParts() (others []plan.Part) {
	for _, other := range j.run.parts {
		if other.job != j && other.job.part != nil {
			others = append(others, *other.job.part)
		}
	}
	return others
}

// within keeps a part out of the files that the plan gives to another one. A file that the plan forgot, because no part has it, is the
// part's as soon as the part changes it: what two parts make of such a file is put together where they are joined.
func (j *job) within(name string) error {
	if j.part == nil || slices.Contains(j.part.Files, name) {
		return nil
	}
	for _, other := range j.otherParts() {
		if slices.Contains(other.Files, name) {
			return fmt.Errorf("%s belongs to the part %s of the plan: leave it alone, and use what that part promises", name, other.ID)
		}
	}
	return nil
}
