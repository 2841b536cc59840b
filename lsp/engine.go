package lsp

import (
	"context"

	"forge/api/service"
	"forge/engine"
	"forge/engine/ask"
	"forge/engine/proposal"
	"forge/lsp/review"
)

// Engine is what a server needs of forge/engine, subject by subject. Commands about a subject that is nil are answered with an error.
type Engine struct {
	Runner    Runner
	Edits     review.Edits
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
