package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"forge/engine/integrity"
	"forge/engine/plan"
	"forge/engine/prompt"
	"forge/patch"
)

// request is what the person asked for, and which part of it the module is.
func (m *module) request() []prompt.Section {
	sections := m.run.request()
	if m.part == nil {
		return sections
	}
	return append(sections, prompt.Section{Kind: prompt.Request, Name: "Your part of it", Text: m.assignment(), Data: true})
}

// goal is what the module is about, in words by which files are found.
func (m *module) goal() string {
	if m.part == nil {
		return m.task.Text
	}
	return strings.Join(append([]string{m.part.Title, m.part.Objective}, m.part.Files...), "\n")
}

// assignment is a part as whoever works on it sees it, with what the others do.
func (m *module) assignment() string {
	var text strings.Builder
	p := m.part
	fmt.Fprintf(&text, "%s: %s\n%s\nFiles: %s\nDone when: %s\n", p.ID, p.Title, strings.TrimSpace(p.Objective), strings.Join(p.Files, ", "), p.DoneWhen)
	for _, v := range p.Verify {
		fmt.Fprintf(&text, "- to be shown: %s\n", v)
	}
	for _, other := range m.otherParts() {
		fmt.Fprintf(&text, "Not yours: %s (%s): %s\n", other.ID, strings.Join(other.Files, ", "), strings.TrimSpace(other.Objective))
	}
	return strings.TrimRight(text.String(), "\n")
}

// otherParts are the parts of the plan that are not the module's.
func (m *module) otherParts() (others []plan.Part) {
	for _, other := range m.parts {
		if other != m && other.part != nil {
			others = append(others, *other.part)
		}
	}
	return others
}

// within keeps a part out of the files that the plan gives to another one. A file that the plan forgot, because no part has it, is the
// part's as soon as the part changes it: what two parts make of such a file is put together where they are joined.
func (m *module) within(name string) error {
	if m.part == nil || slices.Contains(m.part.Files, name) {
		return nil
	}
	for _, other := range m.otherParts() {
		if slices.Contains(other.Files, name) {
			return fmt.Errorf("%s belongs to the part %s of the plan: leave it alone, and use what that part promises", name, other.ID)
		}
	}
	return nil
}

// forgotten are files that a part has changed and that were there before, although the plan gives them to no part.
func (m *module) forgotten() (names []string) {
	for _, f := range m.made().Files {
		if f.Kind == patch.Create || m.Project.IsTest(f.Path) {
			continue
		}
		for _, name := range integrity.Paths(f) {
			if m.part != nil && !slices.Contains(m.part.Files, name) {
				names = append(names, name)
			}
		}
	}
	return names
}
