// Package memory is what Forge keeps from run to run: one SQLite file for each project and one for all
// (the global one), both through internal/sqlite.
//
//	project, err := memory.Open(ctx, stateDir, projectID, memory.Options{Now: time.Now})
//	project.Write(ctx, memory.Entry{Tier: memory.Mid, Agent: "executor", Key: "files", Value: v, Source: src})
//	project.Learn(ctx, pattern, verdict)      // counts verdicts of gates, and nothing else
//	view, err := project.View(ctx, memory.ViewQuery{Run: run, Text: task})
//	project.Why(ctx, id)                      // where a row comes from: run, node, event, gate
//
// Entries live in three tiers. mid is what an agent keeps across attempts of a run, gone a day after the run has
// ended; episodic is what happened, thirty days in full and ninety as a synopsis; long is what was learned, for good.
// Patterns are what gates have judged: their confidence, (s+1)/(s+f+2), moves with verdicts of gates alone and fades by
// 0.95 for each thirty days without one. Next to them are specifications (append only, a version is never changed),
// iterations of nodes, errands of agents, playbooks and tasks. The schema also has a table for calls of models, which nothing writes yet.
//
// Ids name the kind of their row ("entry-12", "pattern-3", "spec-2", "task_0123456789ab") and are never given twice.
// Methods are safe for concurrent use, by several processes too. A method that returned without an error
// has written: a process that is killed afterwards loses nothing of it.
//
// Absent on purpose: the search over the files of a project is codeintel/search's, the journal of a run is
// engine/flow's. Memory reads no clock, no environment and no workspace.
//
// Invariant: every row states where it comes from. Text that came from a workspace, a model or the web is data
// here; nothing in memory is ever an instruction by itself.
package memory
