// Package tool is what a model may ask for while a run works: one registry, from which exploration before the
// work (Providers), bounded turns of work (Tools) and servers of tools take theirs.
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
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"forge/codeintel"
	"forge/engine/permission"
	"forge/patch"
)

// Tool is something a model may ask for.
type Tool struct {
	Name   string
	Doc    string            // for models: what it answers, in a sentence or two
	Schema json.RawMessage   // of its arguments, as llm.SchemaFor makes it
	Risk   permission.Risk   // its possible harm
	Effect permission.Effect // what it touches besides its answer
	// Timeout limits a call. A call that takes longer is cut off, and the answer states this.
	Timeout time.Duration
	// Litters means that it may leave anything in the tree, because it runs code of the tree.
	Litters bool
	// Sweeps means that it changes many files in one way, without a model reading them: a rename, a replacement. Models may use it with
	// every answer that changes files.
	Sweeps bool
	// AnsweredByUser means that the user answers it: the code of the run asks, with Question, and nothing here does.
	AnsweredByUser bool

	pin   string   // of a tool of an MCP server: of its definition
	takes []string // names of its arguments; optional ones end in a question mark
	check func(args json.RawMessage) error
	run   func(ctx context.Context, w World, args json.RawMessage) (Result, error)
}

// Mutates reports whether the tool changes files.
func (t Tool) Mutates() bool { return t.Effect == permission.Write }

// Result is the answer of a tool.
type Result struct {
	Text   string
	Failed bool // Text is the reason why there is no answer
	Cut    bool // there was more
	Exit   int  // of a command that ended: its exit code, below 0 if a signal ended it
	// Unsuccessful means that programs were run, and a test or a check failed, or a command ended with another code than 0.
	Unsuccessful bool
	Change       patch.ChangeSet // of a tool that changes files: what it makes of the tree; nothing is written yet
}

// MaxOutput limits the answer of a tool, in bytes.
const MaxOutput = 12_000

// Run does what a tool is for. What is wrong with the arguments, and what a tool could not find out, is in the Result; the
// error is that of ctx, or of a broken World.
func (t Tool) Run(ctx context.Context, w World, args json.RawMessage) (Result, error) {
	if len(args) == 0 || string(args) == "null" {
		args = json.RawMessage("{}")
	}
	limited, cancel := context.WithTimeout(ctx, t.Timeout)
	defer cancel()
	r, err := t.run(limited, w, args)
	switch {
	case ctx.Err() != nil:
		return Result{}, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return failed("%s took longer than %v: ask for less", t.Name, t.Timeout), nil
	case err != nil:
		return Result{}, err
	}
	return capped(r), nil
}

// WithTerms returns the tool with results in the terms of another reader.
func (t Tool) WithTerms(terms codeintel.Terms) Tool {
	run := t.run
	t.run = func(ctx context.Context, w World, args json.RawMessage) (Result, error) {
		w.Terms = terms
		return run(ctx, w, args)
	}
	return t
}

// cutMark ends a text that was cut.
const cutMark = "\n[… cut here]"

// capped keeps a result within MaxOutput, cut at the end of a line where there is one.
func capped(r Result) Result {
	r.Text = strings.ToValidUTF8(r.Text, "\uFFFD")
	if r.Cut && len(r.Text) <= MaxOutput { // the tool has reported this itself
		return r
	}
	if len(r.Text) > MaxOutput {
		r.Text, r.Cut = head(r.Text, MaxOutput-len(cutMark))+cutMark, true
	}
	return r
}

// head is the beginning of a text, at most so many bytes: whole lines, or whole characters where the first line is longer.
func head(text string, most int) string {
	if len(text) <= most {
		return text
	}
	if end := strings.LastIndexByte(text[:most+1], '\n'); end > 0 {
		return text[:end]
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
