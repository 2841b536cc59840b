package engine

import (
	"cmp"
	"slices"

	"forge/engine/checks"
	"forge/engine/event"
	"forge/engine/execution"
	"forge/engine/mode"
	"forge/engine/permission"
	"forge/engine/pipeline"
	"forge/engine/workspace"
	"forge/memory"
)

// Request is a run to start.
type Request struct {
	Task string
	// TaskID is the task draft that the run works on: its text replaces Task. Without it the run creates a task.
	TaskID memory.ID
	// Recipe is one of mode.Recipes, or one that changes nothing: ask, review, spec; empty means the domain's, or implement.
	Recipe string
	Mode   string // one of mode.Modes; empty means the user's setting
	// Suggested means that a folder may have chosen the mode: then the run asks before each tool that the default mode would ask
	// about.
	Suggested bool
	Profile   string // one of mode.Profiles; empty leaves it to mode and recipe
	Snapshot  workspace.Snapshot
	Focus     execution.Focus
	AskSpec   bool // ask the user to approve the specification, and the plan, before anything is generated
	Plan      execution.Plan
	// Domain is one of mode.Domains: defaults for recipe and mode; empty means the user's setting.
	Domain string
	Limits execution.Limits
	Bounds mode.Bounds
	// Flags are what the user said about permissions beforehand.
	Flags permission.Flags
	// Direct are tools that do the work without a model, in order.
	Direct []Action
	// WholeSuite is when tests unrelated to the change run; empty means the user's setting.
	WholeSuite checks.WholeSuite
	Asker      event.Asker
}

func paramsOf(r Request, s Settings) execution.Params {
	p := execution.Params{
		Task: r.Task, TaskID: r.TaskID, Recipe: r.Recipe, Root: r.Snapshot.Root, Unsaved: r.Snapshot.Unsaved, Focus: r.Focus, AskSpec: r.AskSpec,
		Windows: true, Bounds: r.Bounds, Direct: r.Direct, Mode: r.Mode, Profile: r.Profile, Suggested: r.Suggested, Flags: r.Flags, Plan: r.Plan,
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

// withTask returns the request with the text of its task draft, if it names one.
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

// settled returns the request completed from the user's settings. The error names an unknown domain, mode, recipe,
// profile or tool, and lists the valid ones.
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
	if m.Answers() { // it changes nothing and only answers
		r.Recipe = string(pipeline.Ask)
		return r, nil
	}
	_, err = mode.LookupRecipe(r.Recipe)
	return r, err
}
