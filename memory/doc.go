// Package memory is what Forge keeps from run to run: one SQLite file for each project and one for all
// (the global one), both through internal/sqlite.
//
// Entries live in four tiers. short is the hot memory of a node run, within a budget of tokens; mid is what an
// agent keeps across attempts of a run; episodic is what happened, thirty days in full and ninety as a
// synopsis; long is what was learned, for good: patterns whose confidence, (s+1)/(s+f+2), moves with verdicts
// of gates alone and fades by 0.95 for each thirty days without one. Beside them stand specifications (append
// only, a version is never changed), subagent runs, iterations of nodes, interactions with models, playbooks
// and tasks. Every row says where it comes from.
//
// Invariant: text that came from a workspace, a model or the web is data here; nothing in memory is ever an
// instruction by itself.
package memory
