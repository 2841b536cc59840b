// Package activity is what the code of a run has done outside of it: calls of a model, gates, files of the
// scratch tree, questions to a person. Each is a function of its input, called by name (engine/step) through
// a flow, which journals what it gave: played again, a run gets that and nothing is done.
//
// Invariant: an activity keeps nothing of a run that the next call needs. It may be the first one after a
// crash, in a process that has a tree of its own.
package activity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"forge/codeintel"
	"forge/engine/ask"
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
	// Notice is told what a person should know of the choice of models; nil is nobody.
	Notice func(text string)
	// Idle is told when a call begins to wait for a batch, and what it returns when the call has ended; nil is nobody.
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
	Asker     ask.Asker
	// Speech hears what models say while they say it; nil is nobody.
	Speech *event.Speech
	// Tell tells at once what a person waits for: a question, a call that is made again. What the code of
	// the run tells itself is not told here.
	Tell func(event.Data)
}

// limit bounds activities that no person and no model is part of, so that a file system that hangs does not
// hang a run. Gates have limits of their own, which are shorter.
const limit = 20 * time.Minute

// Workers gives the activities by name.
func (k Kit) Workers() map[string]flow.Worker {
	// A person may give the gates more time than they have of themselves.
	const gates = 2 * time.Hour
	return map[string]flow.Worker{
		step.ActivityModel:     {Activity: keyed(k.complete)},
		step.ActivityWindows:   {Activity: Of(k.windows), Timeout: limit, Repeatable: true},
		step.ActivityGate:      {Activity: Of(k.runGate), Timeout: gates, Repeatable: true},
		step.ActivityUnits:     {Activity: Of(k.units), Timeout: limit, Repeatable: true},
		step.ActivityPreflight: {Activity: Of(k.preflight), Timeout: limit, Repeatable: true},
		step.ActivityFormat:    {Activity: Of(k.format), Timeout: limit, Repeatable: true},
		step.ActivitySyntax:    {Activity: Of(k.syntax), Timeout: limit, Repeatable: true},
		step.ActivityCode:      {Activity: Of(k.code), Timeout: limit, Repeatable: true},
		step.ActivityTool:      {Activity: Of(k.tool), Timeout: limit},
		step.ActivityFiles:     {Activity: Of(k.files), Timeout: limit, Repeatable: true},
		step.ActivityContext:   {Activity: Of(k.context), Timeout: limit, Repeatable: true},
		step.ActivityRead:      {Activity: Of(k.read), Timeout: limit, Repeatable: true},
		step.ActivityScopes:    {Activity: Of(k.scopes), Timeout: limit, Repeatable: true},
		step.ActivityDefined:   {Activity: Of(k.defined), Timeout: limit, Repeatable: true},
		step.ActivityLearn:     {Activity: Of(k.learn), Timeout: limit},
		step.ActivityWrite:     {Activity: Of(k.write), Timeout: limit, Repeatable: true},
		step.ActivityAsk:       {Activity: Of(k.ask)},
	}
}

// Of makes an activity of a function: JSON in, JSON out. When the context has ended, its error is what is
// said, not what became of the work in the middle of which it ended.
func Of[In, Out any](do func(ctx context.Context, in In) (Out, error)) flow.Activity {
	return keyed(func(ctx context.Context, _ string, in In) (Out, error) { return do(ctx, in) })
}

// keyed is Of for what must not happen twice: the key is the same whenever the same step is made again.
func keyed[In, Out any](do func(ctx context.Context, key string, in In) (Out, error)) flow.Activity {
	return func(ctx context.Context, key string, input json.RawMessage) (json.RawMessage, error) {
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
}

// failure is an error as the journal keeps it.
func failure(err error) *flow.Failure {
	var known *flow.Failure
	if errors.As(err, &known) {
		return known
	}
	return &flow.Failure{Message: err.Error()}
}
