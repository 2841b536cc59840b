// Package prompt is the document a model is sent: named sections in a fixed order, what is stable
// first, fitted to a budget of tokens. What a document becomes is a function of its sections and the
// budget alone: the same sections give the same bytes.
//
//	system   role, output, mode, the rule about data             stable for a node
//	user     guides, map, lessons                                stable for a run; ends with the mark for caches
//	user     request, targets, dependencies, interfaces,         what changes with attempts is last
//	         explored, errors
//
// Invariants: text from the workspace, from memory or from a model is data. It stands inside a fence that its
// own content cannot close, and never among the instructions. What changes with an attempt does not change what
// stands before the mark, unless nothing else is left to be cut.
//
// # Skills
//
// A Skill is reusable knowledge of how work is done: folders with a SKILL.md in them, which has a front
// matter (name, description, category) and a body for models. They are found in the user's own folders and in a
// workspace, whoever comes first in that order of search wins, and they are matched with what a node of a run is for.
//
// Invariant: a skill is text. It names no program, widens no permission and is shown to models as data; what its front
// matter says beside the three fields is not read.
package prompt

import "forge/engine/llm"

// Kind is a section's place: a document is always in this order, whoever adds what when. What is stable for a folder comes first,
// then what is stable for a task, then what changes with every attempt, so that caches of providers hit.
type Kind int

// The kinds, after the instructions (who the model is, and what it answers).
const (
	Guides       Kind = iota + 1 // what the project and the person want of every change: AGENTS.md, skills
	Map                          // of the folder
	Lessons                      // playbooks, and what gates taught earlier runs
	Request                      // the task, what the person pointed at, the specification
	Targets                      // files that are to be changed, whole
	Dependencies                 // files that those need, whole
	Interfaces                   // signatures of what those need in turn
	Explored                     // what was asked of the tree
	Errors                       // why the last attempt was not accepted, and what is wrong with the last answer
)

var kinds = map[Kind]string{
	Guides: "guides", Map: "map", Lessons: "lessons", Request: "request", Targets: "targets", Dependencies: "dependencies",
	Interfaces: "interfaces", Explored: "explored", Errors: "errors",
}

// String is the kind as manifests name it; "other" is none of them.
func (k Kind) String() string {
	if name, known := kinds[k]; known {
		return name
	}
	return "other"
}

// place is where the kind stands; what has none stands with the request.
func (k Kind) place() Kind {
	if k < Guides || k > Errors {
		return Request
	}
	return k
}

// stable reports whether a section of the kind stands before the mark for caches.
func (k Kind) stable() bool { return k >= Guides && k <= Lessons }

// Section is one named part of a document.
type Section struct {
	Kind Kind
	Name string // its heading: "Task"
	// Note is what Forge says of the text, before it; mostly empty.
	Note string
	Text string
	// Source is where the text is from, for people: a path, an id of memory. Empty is Forge itself, or what Name says.
	Source string
	// Data marks text that was not written by Forge; it is fenced.
	Data bool
	// Cut orders what is shortened when the document is larger than its budget: 0 never. Of what may be cut, the
	// kind decides first (see rank), then the highest Cut, then the last in order.
	Cut int
}

// Document is what one call of a model says. Nothing else reaches the model.
type Document struct {
	// Instructions say who the model is, and, where Output does not, what it answers. The same over attempts, so
	// that caches hit; never cut.
	Instructions string
	Output       string // the form of the answer; may be empty
	Mode         string // what the mode of the run adds; may be empty
	// Sections come in any order: Assemble puts them in the order of their kinds.
	Sections []Section
}

// With returns the document with more sections, each at the end of its kind.
func (d Document) With(sections ...Section) Document {
	d.Sections = append(d.Sections[:len(d.Sections):len(d.Sections)], sections...)
	return d
}

// Tokens estimates how many tokens a text costs: four bytes each, rounded up.
func Tokens(text string) int { return (len(text) + 3) / 4 }

// instruction is one part of what the system says.
type instruction struct{ kind, name, text string }

// system are the parts of what the system says, in order, as they stand in the message.
func (d Document) system() []instruction {
	var all []instruction
	for _, part := range []instruction{
		{"role", "Instructions", d.Instructions}, {"output", "Output", d.Output}, {"mode", "Mode", d.Mode}, {"rule", "Data", dataRule},
	} {
		if part.text == "" {
			continue
		}
		if len(all) > 0 {
			part.text = "\n\n" + part.text
		}
		all = append(all, part)
	}
	return all
}

// message joins what the system says.
func message(parts []instruction) llm.Message {
	text := ""
	for _, part := range parts {
		text += part.text
	}
	return llm.Message{Role: llm.System, Text: text}
}
