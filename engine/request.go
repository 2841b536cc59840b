package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"forge/engine/checks"
	"forge/engine/event"
	"forge/engine/execution"
	"forge/engine/history"
	"forge/engine/mode"
	"forge/engine/permission"
	"forge/engine/pipeline"
	"forge/engine/pipeline/work"
	"forge/engine/tool"
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
	Earlier   []Turn // of the conversation that the request continues, the oldest first
	AskSpec   bool   // ask the user to approve the specification, and the plan, before anything is generated
	Plan      execution.Plan
	// Domain is one of mode.Domains: defaults for recipe and mode; empty means the user's setting.
	Domain string
	Limits execution.Limits
	Bounds mode.Bounds
	// Flags are what the user said about permissions beforehand.
	Flags permission.Flags
	// Offline permits only what is on this machine, in each execution of the run: models, MCP servers, no web, no downloads for checks.
	Offline bool
	// Model is asked in place of those of the settings, in each execution of the run: "model" or "provider/model". Empty means the settings'.
	Model string
	// Direct are tools that do the work without a model, in order.
	Direct []Action
	// WholeSuite is when tests unrelated to the change run; empty means the user's setting.
	WholeSuite checks.WholeSuite
	// Thread is the id of the conversation that the run continues: its turns are Earlier, unless the request has some. LatestThread is
	// the newest of the folder. Empty begins a conversation.
	Thread string
	// Base is what the run works on; empty is the folder as it is, with unsaved buffers.
	Base  execution.Base
	Asker event.Asker
}

func paramsOf(r Request, s Settings) execution.Params {
	noReview := s.NoReview || sweepsOnly(r.Direct)
	p := execution.Params{
		Task: r.Task, TaskID: r.TaskID, Recipe: r.Recipe, Root: r.Snapshot.Root, Unsaved: r.Snapshot.Unsaved, Focus: r.Focus, AskSpec: r.AskSpec,
		Earlier: work.Recent(r.Earlier),
		Windows: len(r.Direct) == 0 || !noReview, Bounds: r.Bounds, Direct: r.Direct, Mode: r.Mode, Profile: r.Profile, Suggested: r.Suggested, Flags: r.Flags, Plan: r.Plan,
		NoReview: noReview, AtFirst: s.Checks.AtFirst, WholeSuite: cmp.Or(r.WholeSuite, s.Checks.WholeSuite), KeepFormat: s.KeepFormat, Steps: s.Steps, ToolCalls: s.ToolCalls,
		Grants: s.Grants, Thread: r.Thread, Open: r.open(), Offline: r.Offline, Model: r.Model,
	}
	if p.Recipe == "" {
		p.Recipe = string(pipeline.Implement)
	}
	if !pipeline.Reads(mode.Recipe(p.Recipe)) || r.Base == execution.Head {
		p.Base = cmp.Or(r.Base, execution.Working)
	}
	return p.Within(r.Limits.Or(execution.Limits{Tokens: execution.DefaultTokens, Duration: execution.DefaultDuration}))
}

// Again returns the request of a run for another run that is asked for in the same way, on a folder as it is now, with the user's
// advice, if any. Limits that the request left to the settings are those of the settings now. The error matches ErrNoRun.
func (e *Engine) Again(ctx context.Context, id, advice string, s workspace.Snapshot) (Request, error) {
	_, _, kept, err := e.Locate(ctx, id)
	if err != nil {
		return Request{}, err
	}
	p, err := execution.ParamsOf(kept)
	if err != nil {
		return Request{}, err
	}
	if advice = strings.TrimSpace(advice); advice != "" {
		p.Task += "\n\nThe user rejected an earlier change for this task, and says:\n" + advice
	}
	if p.Open {
		p.Recipe = ""
	}
	return Request{
		Task: p.Task, Recipe: p.Recipe, Mode: p.Mode, Suggested: p.Suggested, Profile: p.Profile, Snapshot: s, Focus: p.Focus, AskSpec: p.AskSpec,
		Earlier: p.Earlier, Thread: p.Thread, Plan: p.Plan, Limits: p.Asked, Bounds: p.Bounds, Direct: p.Direct,
		Flags:      permission.Flags{Strict: p.Flags.Strict}, // what the user allowed was allowed for that run
		WholeSuite: p.WholeSuite, Base: p.Base, Offline: p.Offline, Model: p.Model,
	}, nil
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
	r.Earlier = slices.Clone(r.Earlier)
	for i, turn := range r.Earlier {
		r.Earlier[i] = Turn{Asked: s.Plain(turn.Asked), Answered: s.Plain(turn.Answered)}
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

// LatestThread names, as Request.Thread, the conversation of a folder with the newest turn.
const LatestThread = "latest"

// continued returns the request with the earlier turns of its conversation. A conversation that has no turns yet, such as that of a
// new session of a client, is none; but if the newest is named, there must be one.
func (e *Engine) continued(r Request) (Request, error) {
	reviews := r.Recipe == string(pipeline.Review) || r.Recipe == string(pipeline.Final)
	if r.Thread == "" || len(r.Earlier) > 0 || reviews && r.Thread != LatestThread {
		return r, nil
	}
	id := r.Thread
	if id == LatestThread {
		id = ""
	}
	c, err := e.Conversation(e.ctx, r.Snapshot.Root, id)
	if errors.Is(err, history.ErrNoConversation) && id != "" {
		return r, nil
	}
	if err != nil {
		return r, err
	}
	r.Thread = c.ID
	for _, turn := range c.Turns {
		r.Earlier = append(r.Earlier, Turn{Asked: turn.Asked, Answered: turn.Answered})
	}
	return r, nil
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
	if err := r.plannable(m); err != nil {
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

// plannable reports a plan that the run would not carry out, because it changes nothing.
func (r Request) plannable(m mode.Mode) error {
	if !r.Plan.Wanted || !m.Answers() && !pipeline.Reads(mode.Recipe(r.Recipe)) {
		return nil
	}
	return errors.New("a run that only answers carries out no plan: leave out the plan, or choose another mode, recipe and domain")
}

// inDomain applies the defaults of the request's domain that neither the request nor the user's settings override. A request that
// names a recipe or tools gets none.
func (r Request) inDomain(s Settings) (Request, error) {
	r.Domain = cmp.Or(r.Domain, s.Domain)
	domain, err := mode.LookupDomain(r.Domain)
	if err != nil || r.Recipe != "" || len(r.Direct) > 0 {
		return r, err
	}
	means := domain.Means()
	r.Mode = cmp.Or(r.Mode, s.Mode, string(means.Mode))
	r.Recipe = string(means.Recipe)
	switch {
	case domain == mode.Generic && r.Plan.Wanted:
		r.Recipe = string(mode.Implement)
	case domain == mode.Generic:
		r.Recipe = string(recipeOf(r))
	case domain == "" && r.onlyTalks():
		r.Recipe = string(pipeline.Ask)
	}
	return r, nil
}

// onlyTalks reports whether a request that names no recipe is small talk, without any work.
func (r Request) onlyTalks() bool {
	return r.open() && mode.Classify(mode.Request{Text: r.Task, Focus: r.Focus.Path}).Kind == mode.KindConversation
}

// open reports whether a request names no recipe, mode or tools.
func (r Request) open() bool {
	return r.Recipe == "" && r.Domain == "" && r.Profile == "" && !r.Plan.Wanted && !r.Plan.Inline && len(r.Direct) == 0
}

// Doubtful reports whether a request to change a folder reads like a question about it: its last sentence ends with a question
// mark, the rules are sure of it, and no setting of the request decides. A front that can asks the user; otherwise the request
// stays as it is.
func (e *Engine) Doubtful(ctx context.Context, r Request) bool {
	r.Domain = cmp.Or(r.Domain, e.settings(ctx, r.Snapshot.Root).Domain)
	return r.open() && strings.HasSuffix(strings.TrimSpace(r.Task), "?") && recipeOf(r) == pipeline.Ask
}

// recipeOf returns the recipe that the rules derive from the request; if they are not sure, the default one.
func recipeOf(r Request) mode.Recipe {
	return mode.Classify(mode.Request{Text: r.Task, Focus: r.Focus.Path}).Recipe()
}

// Turn is an earlier turn of a conversation.
type Turn = work.Turn

// Action is a tool to call, and its arguments: an object that the tool's schema describes.
type Action = work.Action

// DirectTools returns the names of the tools that can work without a model. Tools that ask the user or use the network
// need a model.
func DirectTools() (names []string) {
	for _, t := range tool.Tools() {
		if !t.AnsweredByUser && t.Effect != permission.Network {
			names = append(names, t.Name)
		}
	}
	return names
}

// directly settles a request that names its tools. It makes one attempt, because a second one would do the same, and no model
// writes tests first. The error names a tool that cannot be used this way, and the reason.
func (r Request) directly() (Request, error) {
	if len(r.Direct) == 0 {
		return r, nil
	}
	if err := checkActions(r.Direct); err != nil {
		return r, err
	}
	m, err := mode.Lookup(r.Mode)
	switch {
	case err != nil:
		return r, err
	case m.Answers() || pipeline.Reads(mode.Recipe(r.Recipe)):
		return r, fmt.Errorf("a run that only answers accepts no tools: leave out %s, or choose another mode and recipe", r.Direct[0].Tool)
	case r.Plan.Wanted:
		return r, fmt.Errorf("%s does the work without a model, so there is nothing to plan: leave out the plan, or the tool", r.Direct[0].Tool)
	case r.Profile != "" && r.Profile != string(mode.Completion):
		return r, fmt.Errorf("%s does the work without a model, which is the profile %s: leave out the profile, or the tool", r.Direct[0].Tool, mode.Completion)
	}
	r.Profile = string(mode.Completion)
	r.Bounds.Attempts, r.Bounds.Rounds = 1, mode.Never
	if strings.TrimSpace(r.Task) == "" {
		r.Task = "Use " + strings.Join(toolsOf(r.Direct), ", ") + " as given."
	}
	return r, nil
}

func checkActions(actions []Action) error {
	changes := false
	for i, a := range actions {
		if !slices.Contains(DirectTools(), a.Tool) {
			return fmt.Errorf("direct[%d]: %q is no tool that works without a model: choose one of %s", i, a.Tool, strings.Join(DirectTools(), ", "))
		}
		t, _ := tool.Tools().Named(a.Tool) // checked above
		if err := t.Check(a.Args); err != nil {
			return fmt.Errorf("direct[%d]: %w", i, err)
		}
		changes = changes || t.Mutates()
	}
	if !changes {
		return errors.New("direct: none of the tools changes a file, so there is nothing to propose: add one that does, or use forge explore")
	}
	return nil
}

func toolsOf(actions []Action) []string {
	names := make([]string, len(actions))
	for i, a := range actions {
		names[i] = a.Tool
	}
	return names
}
