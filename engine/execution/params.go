package execution

import (
	"encoding/json"
	"fmt"
	"time"

	"forge/engine/checks"
	"forge/engine/event"
	"forge/engine/llm"
	"forge/engine/mode"
	"forge/engine/permission"
	"forge/engine/pipeline"
	"forge/engine/pipeline/work"
	"forge/engine/step"
	"forge/engine/tool"
	"forge/engine/workspace"
	"forge/memory"
)

// KindOfRun is the version of the code of a run. Only the version that started a run can replay it: a change of the steps that
// engine/pipeline performs, or of their order, increments it.
const KindOfRun = "pipeline/21"

// Params are what a run is started with: everything that a replay needs. They are stored with the run.
type Params struct {
	Task     string
	TaskID   memory.ID `json:",omitempty"` // the draft that the run was started for
	Recipe   string
	Root     string
	Unsaved  map[string]workspace.Document // the buffers that the snapshot was to be taken of
	Base     Base                          `json:",omitempty"` // empty in runs of older versions, and in those that change nothing
	Focus    Focus
	Earlier  []work.Turn `json:",omitempty"` // turns of the conversation that the request continues
	AskSpec  bool
	Tokens   int
	MicroUSD int64 `json:",omitempty"`
	Duration time.Duration
	Mode     string `json:",omitempty"`
	Profile  string `json:",omitempty"`
	Open     bool   `json:",omitempty"` // the user has named no recipe, profile or plan
	// Suggested, Flags, Offline and Model are those of engine.Request.
	Suggested bool             `json:",omitempty"`
	Flags     permission.Flags `json:",omitzero"`
	Offline   bool             `json:",omitempty"`
	Model     string           `json:",omitempty"`
	// KeepFormat, Steps and ToolCalls are the user's settings when the run began; see engine.Settings.
	KeepFormat       bool `json:",omitempty"`
	Steps, ToolCalls int  `json:",omitempty"`
	// Windows fits requests to the windows of their models. It is false in runs of older versions, which are replayed without that.
	Windows bool `json:",omitempty"`
	// NoReview omits the reviewer. Later changes of the settings do not affect the run.
	NoReview bool `json:",omitempty"`
	Plan     Plan `json:",omitzero"`
	AtFirst  bool `json:",omitempty"` // see work.Env
	// WholeSuite is when tests run that the change does not concern.
	WholeSuite checks.WholeSuite `json:",omitempty"`
	mode.Bounds
	Direct []work.Action `json:",omitempty"`
	// Grants are what the user let tools do when the run began; models are shown these.
	Grants tool.Grants `json:",omitzero"`
	Thread string      `json:",omitempty"` // of the Request
	// Asked are the limits that the request itself names; the others are those of the settings when the run began.
	Asked Limits `json:",omitzero"`
}

// limits are those that the run was begun with.
func (p Params) limits() Limits {
	return Limits{Tokens: p.Tokens, MicroUSD: p.MicroUSD, Duration: p.Duration}
}

// Within is p with these limits.
func (p Params) Within(l Limits) Params {
	p.Tokens, p.MicroUSD, p.Duration = l.Tokens, l.MicroUSD, l.Duration
	return p
}

// Pipeline returns the task of the run, for its code.
func (p Params) Pipeline() work.Task {
	m, _ := mode.Lookup(p.Mode) // Start has found it
	if p.Suggested {
		m = m.Suggested()
	}
	return work.Task{
		Text: p.Task, Recipe: mode.Recipe(p.Recipe), Open: p.Open, Focus: work.Focus(p.Focus), Earlier: p.Earlier, ApproveSpec: p.AskSpec, Class: p.class(),
		NoReview: p.NoReview, Mode: m, Profile: mode.Profile(p.Profile), KeepFormat: p.KeepFormat, Direct: p.Direct,
		Plan: work.Planning{Wanted: p.Plan.Wanted, Inline: p.Plan.Inline || p.Fanout == mode.Never, Lite: p.Plan.Lite, Approved: !p.AskSpec, Given: p.Plan.Given},
	}
}

// Way is how the run works, for events and lists.
func (p Params) Way() event.Way {
	task := p.Pipeline()
	way := event.Way{Recipe: p.Recipe, Mode: string(task.Mode.Name)}
	if !p.reads() && len(p.Direct) == 0 {
		way.Profile = string(mode.Choose(task.Profile, task.Mode, task.Recipe, !task.NoTests).Profile)
	}
	return way
}

func (p Params) snapshot() workspace.Snapshot {
	return workspace.Snapshot{Root: p.Root, Unsaved: p.Unsaved}
}

func (p Params) wanted() snapshotWanted { return snapshotWanted{Snapshot: p.snapshot(), From: p.Base} }

// Outcome is the result of a run, as it is kept with it.
type Outcome struct {
	pipeline.Result
	Remedy event.Remedy `json:",omitempty"` // what gets the user past Reason, if it is known
	Tokens int          // spent in all its executions
	Cached int          `json:",omitempty"` // of them, read from a provider's cache
	Cost   llm.Cost     `json:",omitzero"`
}

// outcomeOf reads the result of a run; of one that has not ended it is empty.
func outcomeOf(kept json.RawMessage) (o Outcome, err error) {
	if len(kept) == 0 {
		return o, nil
	}
	if err := json.Unmarshal(kept, &o); err != nil {
		return o, fmt.Errorf("read the result of the run: %w", err)
	}
	return o, nil
}

// retriesOf returns the user's retries of a run, in order, from its events.
func retriesOf(events []event.Event) []work.Retry {
	var all []work.Retry
	for _, e := range events {
		resumed, is := e.Data.(event.RunResumed)
		if !is || len(resumed.Stuck) == 0 && !resumed.MoreAttempts {
			continue
		}
		all = append(all, work.Retry{UsedUp: resumed.MoreAttempts, Stuck: placesOf(resumed.Stuck), Judge: placesOf(resumed.Judge)})
	}
	return all
}

func placesOf(attempts []event.Attempt) (all []step.Place) {
	for _, a := range attempts {
		all = append(all, step.Place{Node: a.Node, Attempt: a.Number})
	}
	return all
}

// callBrief asks for the brief of a run on a snapshot.
func (p Params) callBrief(base string) step.BriefCall {
	return step.BriefCall{State: step.State{Base: base}, Task: p.Task, Focus: p.Focus.Path, Intent: p.intent()}
}

// class classifies the run's task by rules alone, so that the result is the same in every execution of the run.
func (p Params) class() mode.Class {
	return mode.Classify(mode.Request{Text: p.Task, Focus: p.Focus.Path, Kind: mode.Recipe(p.Recipe).Kind()})
}

// intent is the kind and the scope of the task, as lessons are kept under.
func (p Params) intent() string {
	c := p.class()
	return memory.Key(string(c.Kind), c.Scope)
}

// Classify returns the kind of work of a task, by rules alone. path is the user's focus; it may be empty.
func Classify(task, path string) event.Class {
	return Params{Task: task, Focus: Focus{Path: path}}.kindOfWork()
}

// kindOfWork is the name of the class.
func (p Params) kindOfWork() event.Class {
	c := p.class()
	return event.Class{Kind: string(c.Kind), Confidence: c.Confidence, Certainty: string(c.Certainty()), Scope: c.Scope, RequiresTests: c.RequiresTests, RequiresReview: c.RequiresReview}
}

// begun is the header of a run with these parameters, most of whose calls a model answers.
func (p Params) begun(model string) event.RunStarted {
	return event.RunStarted{Task: p.Task, Folder: p.Root, Model: model, Class: p.kindOfWork(), Way: p.Way()}
}
