// Package activity performs the side effects of a run: model calls, gates, files of the scratch tree,
// questions to the user. Each activity is a function of its input. The run's code calls it by name
// (engine/step) through a flow, which journals the result: a replay returns that and performs nothing.
//
// Invariant: an activity keeps no state of a run that the next call needs. The next call may be the first
// one after a crash, in another process with its own tree.
//
// # What calls share
//
// Calls is shared by all model calls of all folders: prices, the ledger of costs, kept answers, and batches that providers answer
// within a day. It opens each once.
//
// # Briefs
//
// Briefing creates the brief of a run: what its folder, its user and earlier runs add to every prompt. It contains the guides and
// skills of the tree, the user's own skills, and lessons, notes and playbooks of memory, each within its budget of bytes.
//
// Invariant: an untrusted folder adds nothing.
//
// # Secrets
//
// Redaction replaces secrets in what activities take and give, except in texts that are written into files.
package activity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"forge/codeintel"
	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/gate"
	"forge/engine/llm"
	"forge/engine/spare"
	"forge/engine/spend"
	"forge/engine/step"
	"forge/engine/tool"
)

// Kit contains what the activities of one run need.
type Kit struct {
	// Chooser chooses the model of each call.
	Chooser llm.Chooser
	Models  *Models          // shared by all calls; nil makes each call once, and counts nothing
	Account spend.Attempt    // the run that is charged: Tree, Run and Folder
	Keep    bool             // keep answers, and use kept ones for first attempts
	Loaded  *LoadedModels    // of the models of this machine; nil preloads none
	Now     func() time.Time // nil is time.Now
	// Notice receives messages for the user about the choice of models; may be nil.
	Notice func(text string)
	// Idle is called when a call starts to wait for a batch, and its result when the call has ended; may be nil.
	Idle  func() (over func())
	Trees *Trees
	// Permits decides about each tool call; nil allows only what reads.
	Permits *Permits
	// Gate finds a gate by its name; it returns nil for an unknown one.
	Gate func(name string) gate.Gate
	// Baselines keeps gate reports on trees without a change; nil keeps nothing.
	Baselines Baselines
	// Spare runs gates while a model is waited for; nil runs none.
	Spare *spare.Time
	// Outliner finds the symbols of files; nil finds none.
	Outliner codeintel.Outliner
	// Learn keeps the gates' verdicts on an attempt; nil keeps nothing.
	Learn func(ctx context.Context, c step.LearnCall) (step.Learned, error)
	// Errand keeps that an errand of an agent has begun, or ended; nil keeps nothing.
	Errand func(ctx context.Context, e step.Errand) error
	// Format formats files of a tree in place, as their projects require; nil formats none.
	Format func(ctx context.Context, t Tree, paths []string) error
	// Checker finds syntax errors in files; nil finds none.
	Checker codeintel.Checker
	// Stripper separates the code of files from their comments; nil separates none.
	Stripper codeintel.Stripper
	// Pack chooses what a model should see of an indexed folder; nil if no folder is indexed.
	Pack func(ctx context.Context, n Need) (Packed, error)
	// World returns what tools work on besides the tree, for a tree of a snapshot; its Tree is filled in.
	World func(base string, t Tree) tool.World
	// Units finds the projects in a tree, and the gates that check them.
	Units func(ctx context.Context, t Tree) ([]step.Unit, error)
	// Preflight returns the programs that gates lack; nil means none.
	Preflight func(ctx context.Context, t gate.Tree, gates []string) []step.Lack
	Asker     event.Asker
	// Standing returns the states of the nodes of the run.
	Standing func() []step.Standing
	// LiveText receives the models' text as it streams; may be nil.
	LiveText *event.LiveText
	// Emit reports at once what the user waits for: a question, a repeated call. The events of the run's own code do not pass here.
	Emit func(event.Data)
}

// limit bounds activities that involve neither the user nor a model, so that a hanging file system does not hang
// a run. Gates have their own, shorter limits.
const limit = 20 * time.Minute

// Workers returns the activities by name.
func (k Kit) Workers() map[string]flow.Worker {
	// The user may raise the limits of gates.
	const gates = 2 * time.Hour
	workers := map[string]flow.Worker{}
	addKeyed(workers, step.ActivityModel, k.complete, flow.Worker{})
	Add(workers, step.ActivityWindows, k.windows, flow.Worker{Timeout: limit, Repeatable: true})
	Add(workers, step.ActivityGate, k.runGate, flow.Worker{Timeout: gates, Repeatable: true})
	Add(workers, step.ActivityUnits, k.units, flow.Worker{Timeout: limit, Repeatable: true})
	Add(workers, step.ActivityPreflight, k.preflight, flow.Worker{Timeout: limit, Repeatable: true})
	Add(workers, step.ActivityFormat, k.format, flow.Worker{Timeout: limit, Repeatable: true})
	Add(workers, step.ActivitySyntax, k.syntax, flow.Worker{Timeout: limit, Repeatable: true})
	Add(workers, step.ActivityCode, k.code, flow.Worker{Timeout: limit, Repeatable: true})
	Add(workers, step.ActivityTool, k.tool, flow.Worker{Timeout: limit})
	Add(workers, step.ActivityMCP, k.tool, flow.Worker{Timeout: limit, Again: coded(k.mcpAgain)})
	Add(workers, step.ActivityFiles, k.files, flow.Worker{Timeout: limit, Repeatable: true})
	Add(workers, step.ActivityContext, k.context, flow.Worker{Timeout: limit, Repeatable: true})
	Add(workers, step.ActivityRead, k.read, flow.Worker{Timeout: limit, Repeatable: true})
	Add(workers, step.ActivityScopes, k.scopes, flow.Worker{Timeout: limit, Repeatable: true})
	Add(workers, step.ActivityDefined, k.defined, flow.Worker{Timeout: limit, Repeatable: true})
	Add(workers, step.ActivityLearn, k.learn, flow.Worker{Timeout: limit})
	Add(workers, step.ActivityErrand, k.errand, flow.Worker{Timeout: limit, Repeatable: true})
	Add(workers, step.ActivityWrite, k.write, flow.Worker{Timeout: limit, Repeatable: true})
	Add(workers, step.ActivityStanding, k.standing, flow.Worker{})
	Add(workers, step.ActivityAsk, k.ask, flow.Worker{})
	return workers
}

// Add registers a function for an activity, within the limits of a worker: JSON in, JSON out. If the context has ended, the result
// is its error, and not the error of the interrupted work.
func Add[In, Out any](workers map[string]flow.Worker, a step.Activity[In, Out], do func(ctx context.Context, in In) (Out, error), limits flow.Worker) {
	addKeyed(workers, a, func(ctx context.Context, _ string, in In) (Out, error) { return do(ctx, in) }, limits)
}

// addKeyed is Add for an activity that must not happen twice: the key is the same each time the same step is performed.
func addKeyed[In, Out any](workers map[string]flow.Worker, a step.Activity[In, Out], do func(ctx context.Context, key string, in In) (Out, error), limits flow.Worker) {
	limits.Activity = coded(do)
	workers[a.Name] = limits
}

// coded makes a function of values an activity, of JSON.
func coded[In, Out any](do func(ctx context.Context, key string, in In) (Out, error)) flow.Activity {
	return func(ctx context.Context, key string, input json.RawMessage) (json.RawMessage, error) {
		var in In
		if err := json.Unmarshal(input, &in); err != nil {
			return nil, fmt.Errorf("decode the input of a step: %w", err)
		}
		out, err := do(ctx, key, in)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if unable := (*flow.UnableError)(nil); errors.As(err, &unable) {
			return nil, unable
		}
		if err != nil {
			return nil, failure(err)
		}
		return json.Marshal(out)
	}
}

// failure converts an error to the form that the journal keeps.
func failure(err error) *flow.Failure {
	var known *flow.Failure
	if errors.As(err, &known) {
		return known
	}
	return &flow.Failure{Message: err.Error()}
}

// standing returns the states of the nodes of the run. It is journaled for good: what is decided by it must not change in a replay.
func (k Kit) standing(context.Context, struct{}) ([]step.Standing, error) { return k.Standing(), nil }
