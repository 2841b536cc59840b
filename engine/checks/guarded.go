package checks

import (
	"context"
	"slices"

	"forge/engine/sandbox"
	"forge/engine/shadow"
	"forge/engine/state"
)

// guarded starts commands that execute code of scratch trees. They cannot write into folders of this engine's users, and in Forge's
// own folder only into their own tree, as far as the system can enforce that (docs/adr/0038).
type guarded struct {
	runner   sandbox.Runner
	state    *state.State
	folders  []string // the user's, besides those that the engine works for
	settings func(ctx context.Context, folder string) Settings
}

type unguardedKey struct{}

// unguarded lets commands that start with the context write wherever the user may.
func unguarded(ctx context.Context) context.Context {
	return context.WithValue(ctx, unguardedKey{}, true)
}

type backgroundKey struct{}

// Background gives commands that start with the context the lowest priority on the machine.
func Background(ctx context.Context) context.Context {
	return context.WithValue(ctx, backgroundKey{}, true)
}

// Run starts a command within the user's limits, and inside the guard unless the user disabled it.
func (g guarded) Run(ctx context.Context, c sandbox.Command) (sandbox.Result, error) {
	set := g.settings(ctx, "")
	c.MaxProcesses, c.MaxMemory = set.Processes, set.Memory
	c.Background = ctx.Value(backgroundKey{}) != nil
	if ctx.Value(unguardedKey{}) != nil {
		return g.runner.Run(ctx, c)
	}
	c.Guarded = g.yours()
	if tree := shadow.TreeAt(g.state.Dir(), c.Dir); tree != "" {
		c.Spared = []string{tree}
	}
	return g.runner.Run(ctx, c)
}

// Find searches for the program of a command.
func (g guarded) Find(c sandbox.Command) error {
	if finder, is := g.runner.(sandbox.Finder); is {
		return finder.Find(c)
	}
	return nil
}

// yours returns the folders that only fronts write, with consent, and those that only the engine itself writes.
func (g guarded) yours() []string {
	return slices.Concat([]string{g.state.Dir()}, g.folders, g.state.Roots())
}

// CheckGuard reports how well the user's files are protected from code that gates and tests execute.
func CheckGuard() Check {
	check := Check{Name: "guard", State: CheckWarning}
	switch sandbox.Confines() {
	case sandbox.Full:
		check.State, check.Detail = CheckOK, "gates, tests and commands of models cannot write into your folders (Landlock)"
	case sandbox.Partial:
		check.Detail = "gates, tests and commands of models cannot write into your folders, but they can empty files there: Linux 6.2 ends that"
	default:
		check.Detail = "this system does not keep gates, tests and commands of models from writing into your folders: Linux 5.19 and newer does, where Landlock is switched on"
	}
	return check
}
