// Package tool has the tools that a model may call during a run: one registry for exploration before the work (Providers) and for bounded
// turns of work (Tools).
//
//	arguments ──► decoded and checked ──► done in a World ──► capped text, or why there is none
//	                                         │
//	     the run's tree, what is known of the folder, its gates, its history, earlier runs
//
// A tool that changes files returns a patch.ChangeSet, which the code of the run may make part of the run's state. A mistake of the
// model, such as an unknown tool, is an answer that lists the valid ones, and no error.
//
// Invariants: nothing here writes a file, starts a process or opens a connection: a World does, and has none of what is
// switched off. The user's folder is in no World. An answer is never longer than MaxOutput.
package tool

import (
	"context"
	"encoding/json"
	"time"

	"forge/engine/mode"
	"forge/engine/permission"
	"forge/patch"
)

// Risk ranks the possible harm of a tool.
type Risk = permission.Risk

// The risks.
const (
	Low      = mode.Low
	Medium   = mode.Medium
	High     = mode.High
	Critical = mode.Critical // in no mode, with no flag
)

// Effect is what a tool touches besides its answer.
type Effect = permission.Effect

// The effects.
const (
	None    = permission.None
	Read    = permission.Read
	Write   = permission.Write
	Exec    = permission.Exec
	Network = permission.Network
	Outside = permission.Outside
)

// Tool is something a model may ask for.
type Tool struct {
	Name   string
	Doc    string          // for models: what it answers, in a sentence or two
	Schema json.RawMessage // of its arguments, as llm.SchemaFor makes it
	Risk   Risk
	Effect Effect
	// Timeout limits a call. A call that takes longer is cut off, and the answer states this.
	Timeout time.Duration
	// Litters means that it may leave anything in the tree, because it runs code of the tree.
	Litters bool
	// Sweeps means that it changes many files in one way, without a model reading them: a rename, a replacement. Models may use it with
	// every answer that changes files.
	Sweeps bool
	// Person means that the user answers it: the code of the run asks, with Question, and nothing here does.
	Person bool

	pin   string   // of a tool of an MCP server: of its definition
	takes []string // names of its arguments, those that may be left out with a question mark
	check func(args json.RawMessage) error
	run   func(ctx context.Context, w World, args json.RawMessage) (Result, error)
}

// Mutates reports whether the tool changes files.
func (t Tool) Mutates() bool { return t.Effect == Write }

// Result is the answer of a tool.
type Result struct {
	Text   string
	Failed bool            // Text says why there is no answer
	Cut    bool            // there was more
	Change patch.ChangeSet // of a tool that changes files: what it makes of the tree; nothing is written yet
}
