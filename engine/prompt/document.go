// Package prompt is the document for a model: named sections in a fixed order, the stable ones first,
// cut to a budget of tokens. The result is a function of the sections and the budget: the same
// sections give the same bytes.
//
//	system   role, output, mode, the rule about data             stable for a node
//	user     guides, map, lessons                                stable for a run; ends with the mark for caches
//	user     request, targets, dependencies, interfaces,         what changes with attempts is last
//	         explored, errors
//
// Invariants: text from the workspace, from memory or from a model is data. It is inside a fence that its own
// content cannot close, and never among the instructions. Changes between attempts do not change the text
// before the cache mark, unless nothing else can be cut.
//
// # Skills
//
// A Skill is reusable knowledge of how to do work: a folder with a SKILL.md, which has a front matter (name,
// description, category) and a body for models. Skills are in the user's own folders and in a workspace; the first one
// of a name in the search order wins, and nodes of a run get those that match their purpose.
//
// Invariant: a skill is text. It names no program, extends no permission and is data for models; other fields of its
// front matter are ignored.
package prompt

import "forge/engine/llm"

// Kind is a section's place: a document is always in this order. Sections that are stable for a folder come first, then those
// that are stable for a task, then those that change with every attempt, so that providers can cache the beginning.
type Kind int

// The kinds, after the instructions (who the model is, and what it answers).
const (
	Guides       Kind = iota + 1 // what the project and the user want of every change: AGENTS.md, skills
	Map                          // of the folder
	Lessons                      // playbooks, and lessons from gates of earlier runs
	Request                      // the task, the user's focus, the specification
	Targets                      // files to change, whole
	Dependencies                 // files that the targets need, whole
	Interfaces                   // signatures of what the dependencies need
	Explored                     // results of explorations
	Errors                       // why the last attempt was rejected, and faults of the last answer
)

var kinds = map[Kind]string{
	Guides: "guides", Map: "map", Lessons: "lessons", Request: "request", Targets: "targets", Dependencies: "dependencies",
	Interfaces: "interfaces", Explored: "explored", Errors: "errors",
}

// String returns the name in manifests; "other" is an unknown kind.
func (k Kind) String() string {
	if name, known := kinds[k]; known {
		return name
	}
	return "other"
}

// place returns the position of the kind; an unknown kind is placed with the request.
func (k Kind) place() Kind {
	if k < Guides || k > Errors {
		return Request
	}
	return k
}

// stable reports whether sections of the kind precede the cache mark.
func (k Kind) stable() bool { return k >= Guides && k <= Lessons }

// Section is one named part of a document.
type Section struct {
	Kind Kind
	Name string // its heading: "Task"
	// Note is Forge's remark before the text; mostly empty.
	Note string
	Text string
	// Source is the origin of the text, for users: a path, an id of memory. Empty means Forge itself, or Name.
	Source string
	// Lines are those of Source, a file, that the text shows; the zero Lines are none.
	Lines Lines
	// Data marks text that Forge did not write; it is fenced.
	Data bool
	// Cut orders the cuts if the document is larger than its budget: 0 is never cut. The kind decides first (see
	// rank), then the highest Cut, then the last in order.
	Cut int
	// injected is what Injected returns for the data of an assembled document.
	injected string
}

// Lines are lines of a file, from 1 and inclusive, and how many it has.
type Lines struct{ First, Last, Of int }

// AllLines returns the lines of any whole file.
func AllLines() Lines { return Lines{1, 1, 1} }

// Document is the content of one call of a model. Nothing else reaches the model.
type Document struct {
	// Instructions describe the model's role, and, without Output, its answer. They are the same in all
	// attempts, so that providers can cache them, and are never cut.
	Instructions string
	Output       string // the form of the answer; may be empty
	Mode         string // the text of the run's mode; may be empty
	// Sections may be in any order: Assemble sorts them by kind.
	Sections []Section
}

// With returns the document with more sections, each at the end of its kind.
func (d Document) With(sections ...Section) Document {
	d.Sections = append(d.Sections[:len(d.Sections):len(d.Sections)], sections...)
	return d
}

// BytesPerToken is how many bytes of a text are estimated to be a token.
const BytesPerToken = 4

// Tokens estimates how many tokens a text costs, rounded up.
func Tokens(text string) int { return (len(text) + BytesPerToken - 1) / BytesPerToken }

// instruction is one part of the system's text.
type instruction struct{ kind, name, text string }

// system returns the parts of the system's text, in order, as in the message.
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

// message joins the system's text.
func message(parts []instruction) llm.Message {
	text := ""
	for _, part := range parts {
		text += part.text
	}
	return llm.Message{Role: llm.System, Text: text}
}
