package engine

import (
	"context"

	"forge/engine/checks"
	"forge/engine/event"
	"forge/engine/execution"
)

// Runs, and how folders are checked, as fronts name them.
type (
	// Run is a run that was started or resumed.
	Run = execution.Run
	// Result is how a run ended, or this execution of it.
	Result = execution.Result
	// Limits are what a run may use.
	Limits = execution.Limits
	// Focus is what the user pointed at.
	Focus = execution.Focus
	// Plan says whether a task is cut into parts.
	Plan = execution.Plan
	// Preview is what a node of a run would ask a model, or has asked.
	Preview = execution.Preview
	// Suite is all of the tests of a folder for a proposal that only a part of them has seen.
	Suite = execution.Suite
	// SuiteCount is how many tests have ended, and how many of these passed.
	SuiteCount = execution.SuiteCount
	// SuiteResult is what all of the tests say of a proposal.
	SuiteResult = execution.SuiteResult
	// WholeSuite says when the tests are run that a change does not concern.
	WholeSuite = checks.WholeSuite
	// Checks are what the user has set of the gates of runs.
	Checks = checks.Settings
	// OwnGate is a command of the user's own as a gate.
	OwnGate = checks.OwnGate
	// Wanted says what of a folder is to be validated.
	Wanted = checks.Wanted
	// Validation is what the gates say of a folder as it is.
	Validation = checks.Validation
	// Check is one finding about the installation.
	Check = checks.Check
)

// How grave a finding about the installation is.
const (
	CheckOK      = checks.CheckOK
	CheckWarning = checks.CheckWarning
	CheckMissing = checks.CheckMissing
)

// When the tests are run that a change does not concern.
const (
	SuiteBackground = checks.SuiteBackground
	SuiteBefore     = checks.SuiteBefore
	SuiteNever      = checks.SuiteNever
)

// SuiteNode is the node in events about the tests that were run in the background.
const SuiteNode = execution.SuiteNode

// DefaultTokens is how many tokens a run may use that names no limit.
const DefaultTokens = execution.DefaultTokens

// Errors of runs, and of validating a folder.
var (
	ErrNotSent        = execution.ErrNotSent
	ErrOtherVersion   = execution.ErrOtherVersion
	ErrNothingOffered = execution.ErrNothingOffered
	ErrNoGate         = checks.ErrNoGate
)

// NewRun returns a run that its caller drives, and the function that ends it, which must be called exactly once: tests of fronts need runs
// without an engine. cancel is what Cancel, Pause and Leave call.
func NewRun(id, task, root string, log *event.Log, cancel context.CancelFunc) (run *Run, end func(Result)) {
	return execution.NewRun(id, task, root, log, cancel)
}

// Classify says what kind of work a task is, by rules alone; path is what the user points at, and may be empty.
func Classify(task, path string) event.Class { return execution.Classify(task, path) }

// Failpoints lists the places of runs where a process may die.
func Failpoints() []string { return execution.Failpoints() }
