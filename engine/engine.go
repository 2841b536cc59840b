// Package engine is the facade the fronts stand on: it starts runs, lets them be followed and
// cancelled, and keeps the ledger that undoes them. It knows neither LSP nor a terminal.
//
// Invariant: the engine writes only inside scratch trees and its own state folder. What a run wants
// to change comes back as a proposal; fronts write it, after consent.
package engine

import (
	"context"
	"errors"
	"time"

	"forge/engine/ask"
	"forge/engine/event"
	"forge/engine/llm"
	"forge/engine/proposal"
	"forge/engine/workspace"
	"forge/patch"
)

// Options are what an engine needs from the outside.
type Options struct {
	// StateDir is Forge's own folder: shadow repositories, ledger, trusted folders. It is created on
	// first use.
	StateDir string
	// Model chooses the model when a run starts. Its error tells a person what to do.
	Model func(ctx context.Context) (llm.Model, error)
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Engine starts runs. Close waits for them.
type Engine struct {
	options Options
}

// New returns an engine. It does no I/O.
func New(o Options) *Engine { return &Engine{options: o} }

// Focus is what a person pointed at; the zero Focus is the whole folder.
type Focus struct {
	Path               string // relative to the root
	StartLine, EndLine int    // from 1, inclusive; 0 means the whole file
	Diagnostics        []string
}

// Limits end a run that goes past them; zero means the default.
type Limits struct {
	Tokens   int
	Duration time.Duration
}

// Request is a run to start.
type Request struct {
	Task     string
	Recipe   string // implement, fix, tdd or refactor; empty is implement
	Snapshot workspace.Snapshot
	Focus    Focus
	AskSpec  bool // ask a person to approve the specification before anything is generated
	Limits   Limits
	Asker    ask.Asker
}

// Result is how a run ended.
type Result struct {
	State    event.State
	Reason   string             // for people; empty for Succeeded
	Proposal *proposal.Proposal // nil when there is nothing to propose
}

// Run is a run that was started.
type Run struct {
	ID   string
	Task string
	Root string
	Log  *event.Log

	cancel context.CancelFunc
	done   chan struct{}
	result Result // valid once done is closed
}

// Cancel asks the run to stop; it is quiet within a second. It is idempotent.
func (r *Run) Cancel() { r.cancel() }

// Wait returns how the run ended, or ctx's error if ctx ends first.
func (r *Run) Wait(ctx context.Context) (Result, error) {
	select {
	case <-r.done:
		return r.result, nil
	case <-ctx.Done():
		return Result{}, ctx.Err()
	}
}

// ErrNothingToUndo says that no run of the folder has changed a file.
var ErrNothingToUndo = errors.New("nothing to undo")

// Start begins a run and returns at once. Every failure after that is an event of the run.
func (e *Engine) Start(_ context.Context, _ Request) (*Run, error) { panic("not built yet") }

// Record writes into the ledger what a person accepted of a run: the files before and after, verified
// by the front. It returns the checkpoint's id, which Undo takes.
func (e *Engine) Record(_ context.Context, _ string, _ string, _ patch.ChangeSet) (string, error) {
	panic("not built yet")
}

// Undo returns a proposal that takes back what a run (or checkpoint; empty is the last) changed in the
// folder. What the person typed since is kept; what cannot be told apart is a conflict in the proposal.
func (e *Engine) Undo(_ context.Context, _ string, _ string) (*proposal.Proposal, error) {
	panic("not built yet")
}

// Close cancels every run and waits for them.
func (e *Engine) Close() {}
