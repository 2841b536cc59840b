package lsp

import (
	"context"

	"forge/api/service"
	"forge/engine"
	"forge/engine/history"
	"forge/lsp/review"
)

// Engine is what a server needs of forge/engine, subject by subject. Commands about a subject that is nil are answered with an error.
type Engine struct {
	Runner    service.Runner
	Edits     review.Edits
	Prompts   service.Prompts
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

// Standings reports what reviews have said of versions of a specification.
type Standings interface {
	SpecStanding(ctx context.Context, root string, version int) (history.SpecStanding, error)
}
