package service

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"forge/api"
	"forge/engine"
	"forge/engine/event"
	"forge/engine/execution"
	"forge/engine/history"
	"forge/engine/mode"
	"forge/engine/proposal"
	"forge/engine/spend"
	"forge/memory"
)

// Runner starts and resumes runs.
type Runner interface {
	// Start begins a run and returns at once.
	Start(r engine.Request) (*execution.Run, error)
	// Resume continues a run that has ended or was cut off.
	Resume(ctx context.Context, id string, asker event.Asker, raised execution.Limits) (*execution.Run, error)
	// Interrupted lists the runs of a folder that are offered to be resumed, and Resumable all that may be.
	Interrupted(ctx context.Context, root string) ([]history.Run, error)
	Resumable(ctx context.Context, root string) ([]history.Run, error)
	// Offered returns the change of a run that has ended, and the folder that it is for.
	Offered(ctx context.Context, id string) (*proposal.Proposal, string, error)
	// Trusted reports whether the user trusts a folder.
	Trusted(folder string) (bool, error)
}

// RunRequest is the engine's request of the arguments of forge.run, but for what the folder and the settings say: its snapshot, focus,
// task in a comment and mode. The error names the argument, its value and what is allowed.
func RunRequest(a *api.RunArgs) (engine.Request, error) {
	bounds, err := runBounds(a.Bounds)
	if err != nil {
		return engine.Request{}, err
	}
	direct, err := runActions(a.Direct)
	if err != nil {
		return engine.Request{}, err
	}
	if a.Task != "" && a.TaskID != "" {
		return engine.Request{}, &api.ArgumentError{Field: "taskId", Want: "a draft says itself what is to be done; leave task away, or begin another run"}
	}
	return engine.Request{
		Task: a.Task, TaskID: memory.ID(a.TaskID), Recipe: a.Recipe, Profile: a.Profile, Domain: a.Domain, Bounds: bounds, Direct: direct,
		AskSpec: a.Approve != "edits", Plan: execution.Plan{Wanted: a.Plan, Inline: a.Inline}, Limits: RunLimits(a.Limits),
	}, nil
}

// runBounds reads how far a run goes.
func runBounds(b *api.Bounds) (bounds mode.Bounds, err error) {
	if b == nil {
		return bounds, nil
	}
	for _, given := range []struct {
		field string
		bound mode.Bound
		value int
	}{
		{"attempts", mode.Attempts, b.Attempts}, {"maxHops", mode.Hops, b.MaxHops}, {"tasks", mode.Tasks, b.Tasks},
		{"writers", mode.Writers, b.Writers}, {"exploreRounds", mode.Rounds, b.Rounds},
	} {
		if given.value == 0 {
			continue
		}
		given.bound.Setting = "bounds." + given.field
		if err := given.bound.Set(&bounds, given.value); err != nil {
			return bounds, &InputError{err}
		}
	}
	if b.NoExplore {
		bounds.Rounds = mode.Never
	}
	return bounds, nil
}

// runActions are the tools that do the work. The engine judges their arguments.
func runActions(tools []api.Direct) ([]engine.Action, error) {
	var actions []engine.Action
	for i, t := range tools {
		args, err := json.Marshal(t.Args)
		if err != nil {
			return nil, fmt.Errorf("read direct[%d].args: %w", i, err)
		}
		actions = append(actions, engine.Action{Tool: t.Tool, Args: args})
	}
	return actions, nil
}

// RunLimits are limits as the engine knows them; nil is none.
func RunLimits(l *api.Limits) execution.Limits {
	if l == nil {
		return execution.Limits{}
	}
	return execution.Limits{Tokens: l.Tokens, MicroUSD: spend.Micro(l.CostUSD), Duration: time.Duration(l.Minutes) * time.Minute}
}

// CheckMode returns an error that names the modes, where there is none of this name.
func CheckMode(name string) error {
	_, err := mode.Lookup(name)
	return err
}

// CheckDomain returns an error that names the domains, where there is none of this name.
func CheckDomain(name string) error {
	_, err := mode.LookupDomain(name)
	return err
}

// InputError says that what the caller gave is wrong. Its message names it.
type InputError struct{ Err error }

// Error is the message of what is wrong.
func (e *InputError) Error() string { return e.Err.Error() }

// Unwrap returns what is wrong.
func (e *InputError) Unwrap() error { return e.Err }
