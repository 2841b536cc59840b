package work

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/integrity"
	"forge/engine/mode"
)

// Project is what Forge knows of what is in a tree. Its functions are pure.
type Project struct {
	Gates []string // names, cheapest first
	// Later are those of Gates that are asked about the folder without a change only where they do not pass with one.
	Later []string
	// Weights are what the verdicts of gates decide, by their names; a gate without an entry is required.
	Weights   map[string]gate.Weight
	Suites    integrity.Suites // the tests: one for each project in the tree that has some
	TestFiles int              // files of tests in the tree
	Waived    []string         // gates that the user has waived: they are not run, and are reported so
	Known     []string         // the languages whose projects Forge finds, for the user: "go (go.mod)"
	// Joining are gates that are run besides where parts of a plan are joined.
	Joining []string
}

// IsTest reports whether a path belongs to any tests.
func (p Project) IsTest(path string) bool { return p.Suites.IsTest(path) }

// First are the gates that are asked about the folder before there is a change.
func (p Project) First() []string {
	return slices.DeleteFunc(slices.Clone(p.Gates), func(g string) bool { return slices.Contains(p.Later, g) })
}

// Required are the names of the gates that must pass, whatever they said before.
func (p Project) Required() (names []string) {
	for _, name := range p.Gates {
		if p.Weights[name] == gate.Required {
			names = append(names, name)
		}
	}
	return names
}

// Unchecked says that nothing checks a folder; empty where something does.
func (p Project) Unchecked() string {
	switch {
	case len(p.Gates) > 0:
		return ""
	case len(p.Waived) > 0:
		return fmt.Sprintf("nothing checks this change: your settings waive %s", strings.Join(p.Waived, ", "))
	}
	return fmt.Sprintf("nothing checks this change: Forge finds projects of %s, and there is none here. Your settings can add a command that does (gates)",
		strings.Join(p.Known, ", "))
}

// MaxTests is how many files of tests a folder may have of which all are run for each change. With more of them gates look at what the change
// concerns: the tests that were written while they must fail, and what has changed with all that imports it before there is a proposal.
const MaxTests = 100

// Scoped reports whether gates look at what the change concerns only.
func (p Project) Scoped() bool { return p.TestFiles > MaxTests }

// Unmeasured says why the baseline is not measured; empty where it is.
func (p Project) Unmeasured() string {
	if !p.Scoped() {
		return ""
	}
	return fmt.Sprintf("the folder has %d files of tests: what concerns the change is measured with it", p.TestFiles)
}

// Recipe is the kind of work.
type Recipe = mode.Recipe

// Task is what the user asked for.
type Task struct {
	Text   string
	Recipe Recipe
	Focus  Focus
	// Class is what kind of work the task is, by rules; the zero Class is that it was not looked at.
	Class mode.Class
	// ApproveSpec asks the user before anything is generated from a specification.
	ApproveSpec bool
	// NoReview leaves the reviewer out, because the user's settings say so.
	NoReview bool
	// Mode bounds what the run may spend and do; the zero Mode is the default one.
	Mode mode.Mode
	// Profile is how the user wants the change to be asked for; empty leaves it to mode and recipe.
	Profile mode.Profile
	// Plan has the task cut into parts.
	Plan Planning
	// NoTests says that what is asked for needs no tests of its own, such as a change of settings.
	NoTests bool
	// Direct are tools that do the work, where it was decided already: then no model is asked for an implementation.
	Direct []Action
	// AllowShell lets models use the commands that the user's settings name without a question, whatever the mode says.
	AllowShell bool
	// KeepFormat leaves files as models wrote them: no formatter touches them.
	KeepFormat bool
}

// Planning is whether and how a task is cut into parts.
type Planning struct {
	Wanted   bool
	Approved bool // the user has said that no plan has to be shown to them
	Inline   bool // sub-tasks of a part are not worked on side by side
}

// Action is a tool to be used, and its arguments: an object that the tool's schema describes.
type Action struct {
	Tool string
	Args json.RawMessage
}

// Focus is what the user pointed at; the zero Focus is the whole tree.
type Focus struct {
	Path               string
	StartLine, EndLine int // from 1, inclusive; 0 is the whole file
	Diagnostics        []string
}

// Spec is the specification of a change.
type Spec struct {
	Title string
	Text  string // Markdown
}
