// Package mode answers the two questions of a request about a run: what to do (Recipe), and with how much care (Mode),
// which limits what the run may spend and do. Domains, kinds of work and profiles are aliases, in one table (Aliases).
// Classify determines the kind of work of a request before a model is called: by weighted keywords, with a measure of
// confidence.
//
// It is data with functions over it, and does no I/O: the same request always has the same class. Class.Sure reports
// whether it is certain.
//
// Invariant: a mode only restricts. Neither the workspace, a model nor a recipe can make a mode allow more than its row.
package mode

import (
	"fmt"
	"strings"
)

// Name names a mode.
type Name string

// The modes.
const (
	Fast        Name = "fast"
	Balanced    Name = "balanced"
	Heavy       Name = "heavy"
	Plan        Name = "plan"
	Execute     Name = "execute"
	Audit       Name = "audit"
	Debug       Name = "debug"
	Architect   Name = "architect"
	OfflineSafe Name = "offline-safe"
)

// Default is the mode of a run without one.
const Default = Balanced

// Mode is one row of the table.
type Mode struct {
	Name    Name
	Summary string // one line for users
	// Turns is how often the profile ToolUse may ask the model for its next actions. A mode that only answers has at least one.
	Turns int
	// ValidationRetries is how often the findings of a syntax check or a formatter go back to the model within the
	// same attempt. It is independent of Turns.
	ValidationRetries int
	// MaxAutoRisk is the highest risk of a tool that runs without asking the user.
	MaxAutoRisk Risk
	// AllowMutations is false for modes that only read and answer: a run in such a mode proposes no change.
	AllowMutations bool
	// Offline is true for modes that only call models of this machine.
	Offline bool
	// Profile is the default profile; empty leaves it to the work (Choose).
	Profile Profile
	// Layer describes the mode to models. It is part of prompts.
	Layer string
}

// Modes lists the modes, from the fastest; read-only modes come last.
func Modes() []Mode {
	return []Mode{
		{
			Name: Fast, Summary: "the shortest way to a small change", Turns: 2, MaxAutoRisk: Low, AllowMutations: true,
			Layer: "Mode: fast. Take the shortest way to a correct result. Touch as few lines as you can, and explain little.",
		},
		{
			Name: Balanced, Summary: "the usual way", Turns: 4, ValidationRetries: 1, MaxAutoRisk: Medium, AllowMutations: true,
			Layer: "Mode: balanced. Weigh care against effort: do what the task needs, handle its edge cases, and nothing beyond it.",
		},
		{
			Name: Heavy, Summary: "more turns and more care for hard changes", Turns: 8, ValidationRetries: 2, MaxAutoRisk: High, AllowMutations: true, Profile: ToolUse,
			Layer: "Mode: heavy. The task is hard. Look at everything it depends on before you change anything, think of what may break elsewhere, and leave no case open.",
		},
		{
			Name: Execute, Summary: "carry out what is decided already", Turns: 4, ValidationRetries: 1, MaxAutoRisk: Medium, AllowMutations: true,
			Layer: "Mode: execute. What is to be done is decided. Carry it out as it is written, and do not redesign it.",
		},
		{
			Name: Debug, Summary: "find the cause first, then fix it", Turns: 6, ValidationRetries: 2, MaxAutoRisk: Medium, AllowMutations: true, Profile: ToolUse,
			Layer: "Mode: debug. Something is broken. Find the cause and be able to name it before you change anything; fix the cause and not the symptom.",
		},
		{
			Name: Architect, Summary: "structure before detail", Turns: 3, ValidationRetries: 1, MaxAutoRisk: Medium, AllowMutations: true,
			Layer: "Mode: architect. Structure comes first: decide on boundaries, names and dependencies, and keep to those that the code base has.",
		},
		{
			Name: OfflineSafe, Summary: "nothing leaves this machine", Turns: 3, ValidationRetries: 1, MaxAutoRisk: Medium, AllowMutations: true, Offline: true,
			Layer: "Mode: offline-safe. Nothing can be fetched: use only what is in the folder and installed already, and add no dependency.",
		},
		{
			Name: Plan, Summary: "say what would be done; change nothing", MaxAutoRisk: Low,
			Layer: "Mode: plan. Nothing may be changed. Say what would be done, in which files, in which order, and how it would be checked.",
		},
		{
			Name: Audit, Summary: "look, and report what is found; change nothing", Turns: 3, MaxAutoRisk: Low,
			Layer: "Mode: audit. Nothing may be changed. Look for faults, report each with its place and why it matters, the gravest first, and do not guess.",
		},
	}
}

// Lookup finds a mode; no name returns the default one. The error is an *UnknownError, which lists all names.
func Lookup(name string) (Mode, error) {
	if name == "" {
		name = string(Default)
	}
	modes := Modes()
	known := make([]string, len(modes))
	for i, m := range modes {
		if m.Name == Name(name) {
			return m, nil
		}
		known[i] = string(m.Name)
	}
	return Mode{}, &UnknownError{What: "mode", Name: name, Known: known}
}

// Answers reports whether a run in the mode only answers.
func (m Mode) Answers() bool { return !m.AllowMutations }

// Profile is a way to ask a model for a change. All profiles return the same kind of result, which passes through the same gates.
type Profile string

// The profiles.
const (
	// Completion asks once for the whole change.
	Completion Profile = "completion"
	// TestsFirst asks for tests, sees them fail, and asks for the implementation.
	TestsFirst Profile = "tdd"
	// ToolUse asks turn by turn for actions, shows the model their results, and ends when the model reports that
	// it is done. If the work has tests first, they are written and seen to fail before the first turn.
	ToolUse Profile = "tooluse"
)

// Way is how a change is requested: with which profile, and whether failing tests come first.
type Way struct {
	Profile  Profile
	RedTests bool
}

// Choose decides how a change is requested. The user's choice takes precedence, then the mode's preference, then the work:
// a task that needs tests (a fix, a feature) gets them first, any other is one completion.
//
// requiresTests comes from the task's classification; a recipe whose work can have no failing test has none, regardless of
// the profile.
func Choose(asked Profile, m Mode, r Recipe, requiresTests bool) Way {
	red := r.TestsFirst() && (requiresTests || r == TDD || asked == TestsFirst)
	switch {
	case asked == Completion && r != TDD:
		return Way{Profile: Completion}
	case asked == ToolUse || asked == "" && m.Profile == ToolUse:
		return Way{Profile: ToolUse, RedTests: red}
	case red:
		return Way{Profile: TestsFirst, RedTests: true}
	}
	return Way{Profile: Completion}
}

// Recipe is a kind of work.
type Recipe string

// The recipes.
const (
	Implement Recipe = "implement"
	Fix       Recipe = "fix"
	TDD       Recipe = "tdd"
	Refactor  Recipe = "refactor"
	Test      Recipe = "test"
	Document  Recipe = "document"
)

// The recipes of runs that change nothing; engine/pipeline has their nodes.
const (
	Ask    Recipe = "ask"
	Review Recipe = "review"
)

// Recipes lists every recipe that changes files.
func Recipes() []Recipe { return []Recipe{Implement, Fix, TDD, Refactor, Test, Document} }

// LookupRecipe finds a recipe; no name returns Implement. The error is an *UnknownError, which lists all names.
func LookupRecipe(name string) (Recipe, error) { return lookup("recipe", name, Implement, Recipes()) }

// TestsFirst reports whether the work changes behaviour, so that tests for it are written and seen to fail first.
// Work that only restructures, tests or documents has no such tests: none could fail.
func (r Recipe) TestsFirst() bool { return r == Implement || r == Fix || r == TDD }

// OnlyTests reports whether the work only changes tests.
func (r Recipe) OnlyTests() bool { return r == Test }

// Summary returns one line about the recipe, for users.
func (r Recipe) Summary() string {
	switch r {
	case Implement:
		return "add or change behaviour, tests first"
	case Fix:
		return "fix what is broken, with a test that shows it first"
	case TDD:
		return "always tests first, for any task"
	case Refactor:
		return "restructure; every test stays as it is"
	case Test:
		return "write tests for existing code; nothing else is touched"
	case Document:
		return "write documentation and comments; no behaviour changes"
	}
	return ""
}

// UnknownError means that no mode, recipe or profile has a name, and lists the valid ones.
type UnknownError struct {
	What  string // "mode"
	Name  string
	Known []string
}

func (e *UnknownError) Error() string {
	last := len(e.Known) - 1
	return fmt.Sprintf("there is no %s %q: choose %s or %s", e.What, e.Name, strings.Join(e.Known[:last], ", "), e.Known[last])
}

// lookup finds a name in a list.
func lookup[T ~string](what, name string, none T, all []T) (T, error) {
	if name == "" {
		return none, nil
	}
	known := make([]string, len(all))
	for i, one := range all {
		if one == T(name) {
			return one, nil
		}
		known[i] = string(one)
	}
	return none, &UnknownError{What: what, Name: name, Known: known}
}
