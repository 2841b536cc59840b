package engine

import (
	"time"

	"forge/engine/ask"
	"forge/engine/mode"
	"forge/engine/workspace"
	"forge/memory"
)

// Focus is what a person pointed at; the zero Focus is the whole folder.
type Focus struct {
	Path               string // relative to the root
	StartLine, EndLine int    // from 1, inclusive; 0 means the whole file
	Diagnostics        []string
}

// Limits are what a run may use; what would go past them blocks it, and it can be resumed with higher ones. Zero means the
// default.
type Limits struct {
	Tokens   int           // of all requests and answers; the default is DefaultTokens
	MicroUSD int64         // millionths of a US dollar; the default is no limit
	Duration time.Duration // of one life of the run; the default is DefaultDuration
}

// or fills up what l leaves open.
func (l Limits) or(o Limits) Limits {
	if l.Tokens <= 0 {
		l.Tokens = o.Tokens
	}
	if l.MicroUSD <= 0 {
		l.MicroUSD = o.MicroUSD
	}
	if l.Duration <= 0 {
		l.Duration = o.Duration
	}
	return l
}

// The limits of a run that names none.
const (
	DefaultTokens   = 1_000_000
	DefaultDuration = 30 * time.Minute
)

// Request is a run to start.
type Request struct {
	Task string
	// TaskID is the draft that the run works on: then Task is what the draft says. Without it the run makes a task of its own.
	TaskID memory.ID
	// Recipe is one of mode.Recipes; empty is what the domain says, or implement; or one that changes nothing: ask, review, spec.
	Recipe string
	Mode   string // one of mode.Modes; empty is what the person has set
	// Suggested says that a folder may have chosen the mode: it uses no tool without asking that the default mode would ask about.
	Suggested bool
	Profile   string // one of mode.Profiles; empty leaves it to mode and recipe
	Snapshot  workspace.Snapshot
	Focus     Focus
	AskSpec   bool // ask a person to approve the specification, and the plan, before anything is generated
	Plan      Plan
	// Domain is one of mode.Domains: a default for recipe and mode; empty is what the person has set.
	Domain string
	Limits Limits
	Bounds mode.Bounds
	// AllowShell lets models use the commands that the user's settings name without a question.
	AllowShell bool
	// Direct are tools that do the work where it is decided already, in order: no model is asked for it.
	Direct []Action
	// WholeSuite says when the tests are run that the change does not concern; empty is what the user has set.
	WholeSuite WholeSuite
	Asker      ask.Asker
}

// Plan says whether a task is cut into parts.
type Plan struct {
	Wanted bool
	Inline bool // sub-tasks of a part are not worked on side by side
}
