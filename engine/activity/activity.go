// Package activity is what the code of a run has done outside of it: calls of a model, gates, files of the
// scratch tree, questions to the user. Each is a function of its input, called by name (engine/step) through
// a flow, which journals what it gave: played again, a run gets that and nothing is done.
//
// Invariant: an activity keeps nothing of a run that the next call needs. It may be the first one after a
// crash, in a process that has a tree of its own.
//
// # What calls share
//
// Calls is what all calls of models of all folders share: prices, the ledger of what was spent, answers that are kept, and batches
// that providers answer within a day. It opens each once.
//
// # Briefs
//
// Briefing makes the brief of a run: what its folder, its user and earlier runs have to say to every model. It has the guides and skills
// of the tree, the user's own skills, and lessons, notes and playbooks of memory, each within its budget of bytes.
//
// Invariant: a folder that is not trusted has nothing to say.
//
// # Language servers
//
// LanguageServers rename by the language servers that are installed: they know what each name means, and no parser does.
//
// A server works in a scratch tree, on which the user's folder does not depend, and without a network. Which languages have one here
// says the table servers. Where none is installed, or where it cannot load the code, Rename says so, and parsers have to do.
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
	"forge/engine/spend"
	"forge/engine/step"
	"forge/engine/tool"
)

// Kit is what the activities of one run work with.
type Kit struct {
	// Chooser chooses the model of each call.
	Chooser llm.Chooser
	Models  *Models          // what all calls share; nil makes each call once, and counts nothing
	Account spend.Attempt    // the run that pays: Tree, Run and Folder
	Keep    bool             // what is answered is kept, and what was kept is not asked by first attempts
	Warmth  *Warmth          // of the models of this machine; nil loads none beforehand
	Now     func() time.Time // nil is time.Now
	// Notice receives what the user should know of the choice of models; may be nil.
	Notice func(text string)
	// Idle is told when a call begins to wait for a batch, and what it returns when the call has ended; may be nil.
	Idle  func() (over func())
	Trees *Trees
	// Gate finds a gate by its name; nil where there is none.
	Gate func(name string) gate.Gate
	// Baselines keeps what gates say of trees without a change; nil keeps nothing.
	Baselines Baselines
	// Outliner finds the symbols of files; nil finds none.
	Outliner codeintel.Outliner
	// Learn keeps what gates said of an attempt; nil keeps nothing.
	Learn func(ctx context.Context, c step.LearnCall) (step.Learned, error)
	// Format formats files of a tree in place, as their projects want them; nil formats none.
	Format func(ctx context.Context, t Tree, paths []string) error
	// Checker finds what is wrong with the syntax of files; nil finds nothing.
	Checker codeintel.Checker
	// Stripper tells the code of files from their comments; nil tells of none.
	Stripper codeintel.Stripper
	// Pack chooses what a model should see of a folder that is indexed; nil where no folder is.
	Pack func(ctx context.Context, n Need) (Packed, error)
	// World gives what tools work on beside the tree, for a tree of a snapshot; its Tree is filled in.
	World func(base string, t Tree) tool.World
	// Units finds the projects in a tree, and the gates that check them.
	Units func(ctx context.Context, t Tree) ([]step.Unit, error)
	// Preflight asks gates which programs they lack; nil is that they lack none.
	Preflight func(ctx context.Context, t gate.Tree, gates []string) []step.Lack
	Asker     event.Asker
	// Speech hears what models say while they say it; may be nil.
	Speech *event.Speech
	// Emit reports at once what the user waits for: a question, a call that is made again. The events of the code of
	// the run itself do not pass here.
	Emit func(event.Data)
}

// limit bounds activities that neither the user nor a model is part of, so that a file system that hangs does not
// hang a run. Gates have limits of their own, which are shorter.
const limit = 20 * time.Minute

// Workers gives the activities by name.
func (k Kit) Workers() map[string]flow.Worker {
	// The user may give the gates more time than they have of themselves.
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
	Add(workers, step.ActivityFiles, k.files, flow.Worker{Timeout: limit, Repeatable: true})
	Add(workers, step.ActivityContext, k.context, flow.Worker{Timeout: limit, Repeatable: true})
	Add(workers, step.ActivityRead, k.read, flow.Worker{Timeout: limit, Repeatable: true})
	Add(workers, step.ActivityScopes, k.scopes, flow.Worker{Timeout: limit, Repeatable: true})
	Add(workers, step.ActivityDefined, k.defined, flow.Worker{Timeout: limit, Repeatable: true})
	Add(workers, step.ActivityLearn, k.learn, flow.Worker{Timeout: limit})
	Add(workers, step.ActivityWrite, k.write, flow.Worker{Timeout: limit, Repeatable: true})
	Add(workers, step.ActivityAsk, k.ask, flow.Worker{})
	return workers
}

// Add has a function do an activity, within the limits of a worker: JSON in, JSON out. When the context has ended, its error is the
// result, and not that of the work in the middle of which it ended.
func Add[In, Out any](workers map[string]flow.Worker, a step.Activity[In, Out], do func(ctx context.Context, in In) (Out, error), limits flow.Worker) {
	addKeyed(workers, a, func(ctx context.Context, _ string, in In) (Out, error) { return do(ctx, in) }, limits)
}

// addKeyed is Add for an activity that must not happen twice: the key is the same whenever the same step is made again.
func addKeyed[In, Out any](workers map[string]flow.Worker, a step.Activity[In, Out], do func(ctx context.Context, key string, in In) (Out, error), limits flow.Worker) {
	limits.Activity = func(ctx context.Context, key string, input json.RawMessage) (json.RawMessage, error) {
		var in In
		if err := json.Unmarshal(input, &in); err != nil {
			return nil, fmt.Errorf("understand the input of a step: %w", err)
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
	workers[a.Name] = limits
}

// failure is an error as the journal keeps it.
func failure(err error) *flow.Failure {
	var known *flow.Failure
	if errors.As(err, &known) {
		return known
	}
	return &flow.Failure{Message: err.Error()}
}
