package checks

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"forge/engine/sandbox"
	"forge/engine/shadow"
	"forge/engine/state"
	"forge/engine/workspace"
	"forge/internal/lazyregexp"
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

type networkedKey struct{}

// networked gives commands that start with the context the network.
func networked(ctx context.Context) context.Context {
	return context.WithValue(ctx, networkedKey{}, true)
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
	tree := shadow.TreeAt(g.state.Dir(), c.Dir)
	if tree == "" {
		return g.runner.Run(ctx, c)
	}
	c.Spared = []string{tree}
	fenced := c
	c.Box = g.box(tree)
	c.Box.Network = ctx.Value(networkedKey{}) != nil
	result, err := g.runner.Run(ctx, c)
	if argv := fetching(c, result); err == nil && argv != nil && !c.Offline && !c.Box.Network {
		fenced.Argv, fenced.Stdin, fenced.Heard, fenced.Timeout = argv, nil, nil, fetchLimit
		if fetched, err := g.runner.Run(ctx, fenced); err == nil && fetched.ExitCode == 0 && c.Stdin == nil {
			return g.runner.Run(ctx, c)
		}
	}
	return result, err
}

// box returns what commands of a tree may reach: the tree, and what is installed in its workspace.
func (g guarded) box(tree string) *sandbox.Box {
	id := filepath.Base(filepath.Dir(filepath.Dir(filepath.Dir(tree)))) // shadow/<id>/trees/<tree>/work
	b := &sandbox.Box{Tree: tree, Caches: g.state.Path("caches", id)}
	for _, root := range g.state.Roots() {
		if real, err := workspace.RealRoot(root); err == nil && workspace.NameOf(real) == id {
			b.Readable = append(b.Readable, real)
		}
	}
	return b
}

// fetchLimit is the time limit of fetching what a project depends on.
const fetchLimit = 5 * time.Minute

// unfetched match what go and cargo report if a dependency is not in their caches and cannot be fetched.
var (
	unfetchedGo   = lazyregexp.New(`(?m)^(?:go: |\S+\.go:\d+:\d+: ).*(?:Get "https?://|dial (?:tcp|udp)|no such host|git ls-remote)`)
	unfetchedRust = lazyregexp.New(`failed to (?:download|get|fetch)|[Cc]ould(?: not|n't) resolve host|download of .* failed`)
)

// fetching returns the command that fetches what a failed command misses, with the network and outside of its box, or nil. It executes
// no code of the project.
func fetching(c sandbox.Command, r sandbox.Result) []string {
	if r.ExitCode == 0 {
		return nil
	}
	lacks := func(text *lazyregexp.Regexp) bool { return text.Match(r.Stderr) || text.Match(r.Stdout) }
	switch program := filepath.Base(c.Argv[0]); {
	case program == "go" && lacks(unfetchedGo):
		return []string{c.Argv[0], "mod", "download"}
	case strings.HasPrefix(program, "cargo") && lacks(unfetchedRust):
		return []string{"cargo", "fetch"}
	}
	return nil
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
