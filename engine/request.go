package engine

import (
	"cmp"
	"slices"

	"forge/engine/checks"
	"forge/engine/event"
	"forge/engine/execution"
	"forge/engine/mode"
	"forge/engine/pipeline"
	"forge/engine/workspace"
	"forge/memory"
)

// Request is a run to start.
type Request struct {
	Task string
	// TaskID is the draft that the run works on: then Task is what the draft says. Without it the run makes a task of its own.
	TaskID memory.ID
	// Recipe is one of mode.Recipes; empty is what the domain says, or implement; or one that changes nothing: ask, review, spec.
	Recipe string
	Mode   string // one of mode.Modes; empty is what the user has set
	// Suggested says that a folder may have chosen the mode: it uses no tool without asking that the default mode would ask about.
	Suggested bool
	Profile   string // one of mode.Profiles; empty leaves it to mode and recipe
	Snapshot  workspace.Snapshot
	Focus     execution.Focus
	AskSpec   bool // ask the user to approve the specification, and the plan, before anything is generated
	Plan      execution.Plan
	// Domain is one of mode.Domains: a default for recipe and mode; empty is what the user has set.
	Domain string
	Limits execution.Limits
	Bounds mode.Bounds
	// AllowShell lets models use the commands that the user's settings name without a question.
	AllowShell bool
	// Direct are tools that do the work where it is decided already, in order: no model is asked for it.
	Direct []Action
	// WholeSuite says when the tests are run that the change does not concern; empty is what the user has set.
	WholeSuite checks.WholeSuite
	Asker      event.Asker
}

func paramsOf(r Request, s Settings) execution.Params {
	p := execution.Params{
		Task: r.Task, TaskID: r.TaskID, Recipe: r.Recipe, Root: r.Snapshot.Root, Unsaved: r.Snapshot.Unsaved, Focus: r.Focus, AskSpec: r.AskSpec,
		Windows: true, Bounds: r.Bounds, Direct: r.Direct, Mode: r.Mode, Profile: r.Profile, Suggested: r.Suggested, AllowShell: r.AllowShell, Plan: r.Plan,
		NoReview: s.NoReview || sweepsOnly(r.Direct), AtFirst: s.Checks.AtFirst, WholeSuite: cmp.Or(r.WholeSuite, s.Checks.WholeSuite), KeepFormat: s.KeepFormat, Steps: s.Steps, ToolCalls: s.ToolCalls,
		Grants: s.Grants,
	}
	if p.Recipe == "" {
		p.Recipe = string(pipeline.Implement)
	}
	return p.Within(r.Limits.Or(execution.Limits{Tokens: execution.DefaultTokens, Duration: execution.DefaultDuration}))
}

// redacted replaces the secrets that the user wrote into a request.
func (r Request) redacted(s execution.Secrets) Request {
	r.Task = s.Plain(r.Task)
	diagnostics := make([]string, len(r.Focus.Diagnostics))
	for i, d := range r.Focus.Diagnostics {
		diagnostics[i] = s.Plain(d)
	}
	if r.Focus.Diagnostics != nil {
		r.Focus.Diagnostics = diagnostics
	}
	r.Direct = slices.Clone(r.Direct)
	for i, a := range r.Direct {
		r.Direct[i].Args = s.Document(a.Args)
	}
	return r
}

// withTask is the request with the words of the draft that it is to work on, if it names one.
func (e *Engine) withTask(r Request) (Request, error) {
	if r.TaskID == "" {
		return r, nil
	}
	m, err := e.Memory(e.ctx, r.Snapshot.Root)
	if err != nil {
		return r, err
	}
	task, err := m.Task(e.ctx, r.TaskID)
	if err == nil && task.State != memory.TaskDraft {
		err = &memory.StateError{Task: task.ID, From: task.State, To: memory.TaskPlanned}
	}
	r.Task = task.Prompt
	return r, err
}

// settled is the request with what the user has set where it says nothing. The error names a domain, a mode, a recipe,
// a profile or a tool that there is not, and which there are.
func (r Request) settled(s Settings) (Request, error) {
	r.Limits, r.Bounds = r.Limits.Or(s.Limits), r.Bounds.Or(s.Bounds)
	r, err := r.inDomain(s)
	if err != nil {
		return r, err
	}
	r.Mode = cmp.Or(r.Mode, s.Mode)
	if r, err = r.directly(); err != nil {
		return r, err
	}
	m, err := mode.Lookup(r.Mode)
	if err != nil {
		return r, err
	}
	if _, err := mode.LookupProfile(r.Profile); err != nil || pipeline.Reads(mode.Recipe(r.Recipe)) {
		return r, err
	}
	if m.Answers() { // it changes nothing: what is asked for is told
		r.Recipe = string(pipeline.Ask)
		return r, nil
	}
	_, err = mode.LookupRecipe(r.Recipe)
	return r, err
}
