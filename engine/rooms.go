package engine

import (
	"context"

	"forge/engine/activity"
	"forge/engine/history"
	"forge/engine/state"
	"forge/memory"
)

// The types of the engine's rooms, as fronts name them.
type (
	// ProjectInfo is what Forge keeps of one folder.
	ProjectInfo = state.Usage
	// Recording records what an editor has changed.
	Recording = history.Recording
	// Checkpoint is an entry of the ledger.
	Checkpoint = history.Checkpoint
	// CheckpointFile is a file of an entry of the ledger.
	CheckpointFile = history.CheckpointFile
	// RunInfo is what is kept of a run.
	RunInfo = history.Run
	// Session is a living process that works in folders, or on runs.
	Session = history.Session
	// SessionRun is a run that a process works on.
	SessionRun = history.SessionRun
	// Remembered is one row of memory.
	Remembered = history.Remembered
	// MemoryKey names an entry of memory.
	MemoryKey = history.MemoryKey
	// MemoryKind is a kind of rows of memory.
	MemoryKind = history.MemoryKind
	// MemoryFilter chooses rows of memory.
	MemoryFilter = history.MemoryFilter
	// SpecStanding is what is open of a specification.
	SpecStanding = history.SpecStanding
	// TaskInfo is a task of a folder.
	TaskInfo = history.TaskInfo
	// GCOptions say what GC removes.
	GCOptions = history.GCOptions
	// GCReport is what GC has removed.
	GCReport = history.GCReport
)

// ErrNoBatch says that Forge knows no such batch.
var ErrNoBatch = activity.ErrNoBatch

// Errors of runs.
var (
	ErrNoRun    = history.ErrNoRun
	ErrWorkedOn = history.ErrWorkedOn
)

// The kinds of rows of memory.
const (
	Entries   = history.Entries
	Patterns  = history.Patterns
	Playbooks = history.Playbooks
)

// The runs that GC keeps of a folder in any case, and the bytes of snapshots.
const (
	KeptRuns     = history.KeptRuns
	DefaultQuota = history.DefaultQuota
)

// Errors of Undo and Redo.
var (
	ErrNothingToUndo = history.ErrNothingToUndo
	ErrNothingToRedo = history.ErrNothingToRedo
)

// Trust records that the user trusts a folder: gates may execute its code.
func (e *Engine) Trust(root string) error { return e.state.Trust(root) }

// Trusted reports whether the user trusts a folder.
func (e *Engine) Trusted(root string) (bool, error) { return e.state.Trusted(root) }

// Memory returns what Forge remembers of a folder from run to run; it is open until Close.
func (e *Engine) Memory(ctx context.Context, root string) (*memory.Project, error) {
	return e.state.Memory(ctx, root)
}

// Project returns what Forge keeps of a folder. No process is started, and nothing is made.
func (e *Engine) Project(ctx context.Context, root string) (state.Usage, error) {
	return e.state.Usage(ctx, root)
}

// Projects returns what Forge keeps of all folders, the last changed first.
func (e *Engine) Projects(ctx context.Context) ([]state.Usage, error) { return e.state.Usages(ctx) }
