// Package step is the universal step of a run: construct one self-contained document, send it, receive
// the answer, check it, and turn all of that into one signal. Every model call in Forge is a step; the
// graph decides what the signal means for the run.
//
//	construct → send → receive → parse → check → signal
//	    ▲                          │        │
//	    └── repair, at most twice ─┴────────┘   unless the same answer is repeated
//
// It is also the vocabulary between the code of a run and its activities: their names, inputs and outputs (call.go).
//
// Invariant: nothing here does I/O. All outside effects go through a flow.Flow, which journals them.
package step

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/llm"
	"forge/engine/prompt"
)

// Signal is what may follow a step.
type Signal int

// The signals.
const (
	Success    Signal = iota
	Retryable         // the answer is of no use; another attempt may give a better one
	NeedsHuman        // no attempt will help: a key, a budget, a refusal
	Terminal          // the run is over: it was cancelled
)

// Outcome is a signal with its reason, for users and for the next attempt.
type Outcome struct {
	Signal Signal
	Reason string // empty for Success
}

// Repairs is how often an unusable answer is sent back with its fault. Repairs do not count as attempts of a node.
const Repairs = 2

// Env is shared by the steps of one run.
type Env struct {
	Flow flow.Flow
	// Emit reports an event. A replayed run emits it again, and its log drops the duplicate.
	Emit func(event.Data)
	// Model is the name of the model for failed calls: an answer names its own.
	Model string
	// Window is the token limit of a request to a model of unknown size.
	Window int
	// Windows are the token limits of the nodes' models, for a request and its answer together.
	Windows map[string]int
}

// Room returns how many tokens a request of a node, and its answer, may have. The answer gets what it wants, up to a
// quarter of a known window.
func (e Env) Room(node string, answer int) (request, most int) {
	window := e.Windows[llm.NodeRole(node)]
	if window <= 0 {
		return e.Window, answer
	}
	most = max(1, min(answer, window/4))
	return window - most, most
}

// more returns the limit of an answer that had no room with another one: twice as much, and room for thoughts. Of a window of
// unknown size it is at most a quarter, too.
func (e Env) more(node string, answer int) int {
	const thoughts = 8_192
	longer := 2*answer + thoughts
	if e.Windows[llm.NodeRole(node)] > 0 {
		return longer // see room
	}
	return max(answer, min(longer, e.Window/4))
}

// Step is one exchange with the model, whose answer is a T: an object that the schema of the struct T describes, or free
// text if T is llm.Prose.
type Step[T any] struct {
	Place
	Name      string // name of the answer, for the model: "review"
	Key       string // names the step in its place if Name is not unique there; may be empty
	Document  prompt.Document
	MaxTokens int      // of the answer
	Tier      llm.Tier // class of the model; empty leaves it to the node
	// Emit reports the events of this step in place of Env.Emit. May be nil.
	Emit func(event.Data)
	// Sent receives the parts of each request, before its answer is checked. May be nil.
	Sent func(llm.Manifest)
	// Check finds faults that T's schema cannot express; the model sees its error. It may read files through the flow. May be nil.
	Check func(T) error
	// Refused receives each unusable answer: its text, and the part that could be decoded. It reports whether the same answer was
	// refused before, in which case there is no repair. Repeated texts within the step are detected without it. May be nil.
	Refused func(text string, value T) (again bool)
}

// Do performs the step. The T is valid only with Success.
func Do[T any](ctx context.Context, env Env, s Step[T]) (T, Outcome) {
	if s.Emit != nil {
		env.Emit = s.Emit
	}
	document, refused := s.Document, []string(nil)
	for round := 0; ; round++ {
		answer, made, outcome := send(ctx, env, s, document, round)
		if outcome.Signal != Success {
			var none T
			return none, outcome
		}
		if s.Sent != nil {
			s.Sent(made)
		}
		value, fault := s.receive(answer)
		if outcome := interrupted(ctx, fault); outcome.Signal != Success {
			var none T
			return none, outcome
		}
		env.Emit(called(env, s.Place, round, made, answer, fault))
		if fault == nil {
			return value, Outcome{}
		}
		if why := s.hopeless(round, refused, answer.Text, value); why != "" {
			return value, Outcome{Retryable, fmt.Sprintf("the model gave no usable %s, %s: %v", s.Name, why, fault)}
		}
		refused = append(refused, answer.Text)
		document = s.repair(answer, fault)
		if answer.Finish == llm.FinishLength {
			s.MaxTokens = env.more(s.Node, s.MaxTokens)
		}
	}
}

// repair returns the document that asks for another answer. Thoughts without an answer are not sent back.
func (s Step[T]) repair(answer llm.Response, fault error) prompt.Document {
	wrong := prompt.Section{Kind: prompt.Errors, Name: "What is wrong with that answer", Text: corrected(fault)}
	if errors.Is(fault, errNoRoom) {
		return s.Document.With(wrong)
	}
	return s.Document.With(
		prompt.Section{Kind: prompt.Errors, Name: "Your previous answer", Text: answer.Text, Data: true, Cut: 1}, wrong,
	)
}

// corrected returns the fault of an answer, and the request for another one. A fault of several lines may end with lines of a file.
func corrected(fault error) string {
	said := fault.Error()
	if !strings.Contains(said, "\n") && !strings.HasSuffix(said, ".") {
		said += "."
	}
	return said + "\n\nGive the complete, corrected answer."
}

// hopeless returns why an unusable answer does not go back for a repair, or "" if it does. An empty answer is usually a fault of
// the provider.
func (s Step[T]) hopeless(round int, refused []string, text string, value T) string {
	again := s.Refused != nil && s.Refused(text, value) || slices.Contains(refused, text)
	switch {
	case round == Repairs:
		return fmt.Sprintf("not even after %d repairs", Repairs)
	case again && strings.TrimSpace(text) != "":
		return "and gave the same again"
	}
	return ""
}

// interrupted returns the outcome of a check that could not run: the answer is not at fault.
func interrupted(ctx context.Context, fault error) Outcome {
	var broken *brokenError
	switch {
	case ctx.Err() != nil:
		return Outcome{Terminal, "cancelled"}
	case errors.As(fault, &broken):
		return Outcome{NeedsHuman, broken.Error()}
	}
	return Outcome{}
}

// errNoRoom means that the model has used up the limit of its answer before it began, usually with its thoughts.
var errNoRoom = errors.New("thoughts used up the limit of the answer before it began: think less")

// receive decodes a T from an answer, or returns what is wrong with it.
func (s Step[T]) receive(answer llm.Response) (value T, fault error) {
	if answer.Finish == llm.FinishLength {
		if _, err := llm.ReadProse(answer.Text); err != nil {
			return value, errNoRoom
		}
		return value, errors.New("the answer was cut off because it is too long: say less")
	}
	if value, fault = read[T](answer.Text); fault != nil || s.Check == nil {
		return value, fault
	}
	return value, s.Check(value)
}

func called(env Env, at Place, round int, made llm.Manifest, answer llm.Response, fault error) event.ModelCalled {
	call := event.ModelCalled{
		Node: at.Node, Attempt: at.Attempt, Round: round, Model: cmp.Or(answer.Model, env.Model),
		Input: answer.Usage.Input, Output: answer.Usage.Output, CacheRead: answer.Usage.CacheRead, CacheWrite: answer.Usage.CacheWrite,
		Cost: answer.Cost, Cached: answer.Cached, Elapsed: answer.Latency,
		Manifest: made,
	}
	if fault != nil {
		call.Failure, call.Kind = fault.Error(), kindOf(fault)
	}
	return call
}
