package lsp

import (
	"context"

	"forge/api/service"
	"forge/engine"
	"forge/engine/ask"
	"forge/engine/proposal"
	"forge/engine/workspace"
	"forge/patch"
)

// Engine is what a server needs of forge/engine, subject by subject. Commands about a subject that is nil are answered with an error.
type Engine struct {
	Runner    Runner
	Edits     Edits
	Prompts   Prompts
	Standings Standings

	Runs     service.RunStore
	Attempts service.AttemptStore
	Ledger   service.Ledger
	Tasks    service.TaskStore
	Specs    service.SpecStore
	Memory   service.MemoryStore
	Stored   service.Inventory
	Costs    service.CostStore
	Batches  service.BatchStore
	Skills   service.SkillStore
	Gates    service.Gates
	Machine  service.Machine
	Explorer service.Explorer
	Sweeper  service.Sweeper
}

// EngineOf is all of an engine.
func EngineOf(e *engine.Engine) Engine {
	return Engine{
		Runner: e, Edits: e, Prompts: e, Standings: e, Runs: e, Attempts: e, Ledger: e, Tasks: e, Specs: e, Memory: e, Stored: e,
		Costs: e, Batches: e, Skills: e, Gates: e, Machine: e, Explorer: e, Sweeper: e,
	}
}

// Runner starts and resumes runs.
type Runner interface {
	// Start begins a run and returns at once.
	Start(r engine.Request) (*engine.Run, error)
	// Resume takes up a run that has ended or was cut off.
	Resume(ctx context.Context, id string, asker ask.Asker, raised engine.Limits) (*engine.Run, error)
	// Interrupted lists the runs of a folder that are offered to be resumed, and Resumable all that may be.
	Interrupted(ctx context.Context, root string) ([]engine.RunInfo, error)
	Resumable(ctx context.Context, root string) ([]engine.RunInfo, error)
	// Offered returns the change of a run that has ended, and the folder that it is for.
	Offered(ctx context.Context, id string) (*proposal.Proposal, string, error)
	// Trusted reports whether the user trusts a folder.
	Trusted(folder string) (bool, error)
}

// Edits records what a client is asked to change, and computes what takes it back.
type Edits interface {
	// Prepare notes what the client is about to be asked to change. What it returns writes into the ledger what the client has really
	// changed, and returns the checkpoint.
	Prepare(ctx context.Context, root string, p *proposal.Proposal, planned patch.ChangeSet) (engine.Recording, error)
	// RecoverSeen settles what an earlier server had asked a client to change, and did not see the end of.
	RecoverSeen(ctx context.Context, s workspace.Snapshot) error
	// Tidy finishes what killed processes have left half done in a folder.
	Tidy(ctx context.Context, root string) error
	// Undo returns a proposal that takes back a run or checkpoint, and Redo one that takes back an undo; an empty id is the last.
	Undo(ctx context.Context, root, id string) (*proposal.Proposal, error)
	Redo(ctx context.Context, root, id string) (*proposal.Proposal, error)
}

// Prompts composes what models are sent, and asks none.
type Prompts interface {
	// Preview composes what a node of a run would ask a model first.
	Preview(ctx context.Context, r engine.Request, node string) (engine.Preview, error)
	// Sent composes again what a node of a run has asked models in one of its attempts.
	Sent(ctx context.Context, run, node string, attempt int) ([]engine.Preview, error)
}

// Standings reports what reviews have said of versions of a specification.
type Standings interface {
	SpecStanding(ctx context.Context, root string, version int) (engine.SpecStanding, error)
}
