// Package prompt is the document a model is sent: named sections in a fixed order, what is stable
// first, fitted to a budget of tokens. What a document becomes is a function of its sections and the
// budget alone: the same sections give the same bytes.
//
// Invariant: text from the workspace or from a model is data. It stands inside a fence that its own
// content cannot close, and never among the instructions.
package prompt

import (
	"fmt"
	"slices"
	"strings"

	"forge/engine/llm"
)

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

// Section is one named part of a document.
type Section struct {
	Kind Kind
	Name string // its heading: "Task"
	Text string
	// Data marks text that was not written by Forge; it is fenced.
	Data bool
	// Cut orders what is shortened when the document is larger than its budget: the highest first, 0
	// never.
	Cut int
}

// Document is what one call of a model says. Nothing else reaches the model.
type Document struct {
	Instructions string    // who the model is and what it answers; stable over attempts, so that caches hit
	Sections     []Section // stable ones first; what changes with each attempt last
}

// Tokens estimates how many tokens a text costs: four bytes each, rounded up.
func Tokens(text string) int { return (len(text) + 3) / 4 }

// TooLargeError says that a document is larger than its budget though everything that may be cut was.
type TooLargeError struct{ Tokens, Budget int }

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the request needs %d tokens and only %d are allowed: name fewer files, or a shorter task", e.Tokens, e.Budget)
}

// Part tells what one section costs in a message.
type Part struct {
	Name   string
	Tokens int
	Cut    bool // it was shortened
}

// Assemble makes the messages of a document, shortened to the budget (in tokens), and tells what each
// section costs. It returns a *TooLargeError when that cannot be done.
func (d Document) Assemble(budget int) ([]llm.Message, []Part, error) {
	d.Sections = slices.Clone(d.Sections)
	slices.SortStableFunc(d.Sections, func(a, b Section) int { return int(a.Kind) - int(b.Kind) })
	sections := fit(d.Sections, budget-Tokens(d.Instructions))
	var body strings.Builder
	parts := []Part{{Name: "Instructions", Tokens: Tokens(d.Instructions)}}
	total := parts[0].Tokens
	for i, s := range sections {
		text := s.render()
		body.WriteString(text)
		parts = append(parts, Part{Name: s.Name, Tokens: Tokens(text), Cut: len(s.Text) < len(d.Sections[i].Text)})
		total += Tokens(text)
	}
	if total > budget {
		return nil, nil, &TooLargeError{Tokens: total, Budget: budget}
	}
	return []llm.Message{{Role: llm.System, Text: d.Instructions}, {Role: llm.User, Text: body.String()}}, parts, nil
}

// With returns the document with more sections at its end.
func (d Document) With(sections ...Section) Document {
	d.Sections = append(d.Sections[:len(d.Sections):len(d.Sections)], sections...)
	return d
}

func (s Section) render() string {
	text := s.Text
	if s.Data {
		text = Fence(s.Text)
	}
	return "## " + s.Name + "\n\n" + strings.TrimRight(text, "\n") + "\n\n"
}

// Fence puts text between lines of backticks, more of them than the text has in a row.
func Fence(text string) string {
	longest, run := 2, 0
	for _, c := range text {
		if c == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	fence := strings.Repeat("`", longest+1)
	return fence + "\n" + strings.TrimRight(text, "\n") + "\n" + fence
}

// fit shortens sections, those with the highest Cut first, until they are within the budget.
func fit(sections []Section, budget int) []Section {
	fitted := append([]Section(nil), sections...)
	for {
		excess, next := -budget, -1
		for i, s := range fitted {
			excess += Tokens(s.render())
			if s.Cut > 0 && (next < 0 || s.Cut > fitted[next].Cut) {
				next = i
			}
		}
		if excess <= 0 || next < 0 {
			return fitted
		}
		fitted[next] = fitted[next].shorten(excess)
	}
}

const cutMark = "\n[… the rest was left out to fit the budget]"

// shorten drops about that many tokens from the section's end, at a line end, and never again.
func (s Section) shorten(tokens int) Section {
	keep := len(s.Text) - 4*tokens - 2*len(cutMark)
	s.Cut = 0
	if keep <= 0 {
		s.Text = strings.TrimLeft(cutMark, "\n")
		return s
	}
	end := strings.LastIndexByte(s.Text[:keep], '\n')
	s.Text = s.Text[:max(end, 0)] + cutMark
	return s
}
