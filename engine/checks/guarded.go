package checks

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"forge/engine/gate/tool"
	"forge/engine/permission"
	"forge/engine/sandbox"
	"forge/engine/shadow"
	"forge/engine/state"
	"forge/engine/workspace"
)

// guarded starts commands that execute code of scratch trees, each in a jail with its own tree (docs/adr/0117). Where the system cannot
// confine them, it starts those of folders for which the user allowed it (docs/adr/0125).
type guarded struct {
	runner   sandbox.Runner
	state    *state.State
	folders  []string // the user's, besides those that the engine works for
	settings func(ctx context.Context, folder string) Settings
	now      func() time.Time
}

type unguardedKey struct{}

// unguarded lets commands that start with the context write wherever the user may.
func unguarded(ctx context.Context) context.Context {
	return context.WithValue(ctx, unguardedKey{}, true)
}

type networkKey struct{}

// networked returns a context with which commands have the user's network.
func networked(ctx context.Context) context.Context {
	return context.WithValue(ctx, networkKey{}, true)
}

type offlineKey struct{}

// Offline returns a context with which no check downloads packages. Gates for which the user has allowed the network keep it.
func Offline(ctx context.Context) context.Context {
	return context.WithValue(ctx, offlineKey{}, true)
}

type backgroundKey struct{}

// Background returns a context with which commands have the lowest priority on the machine.
func Background(ctx context.Context) context.Context {
	return context.WithValue(ctx, backgroundKey{}, true)
}

// Run starts a command within the user's limits, and inside the guard unless the user disabled it.
func (g guarded) Run(ctx context.Context, c sandbox.Command) (sandbox.Result, error) {
	set := g.settings(ctx, "")
	offline := set.Offline || ctx.Value(offlineKey{}) != nil
	c.MaxProcesses, c.MaxMemory = set.Processes, set.Memory
	c.Background = ctx.Value(backgroundKey{}) != nil
	if ctx.Value(unguardedKey{}) == nil {
		c.Jail = g.jail(ctx, c)
		c.Jail.Fetch = c.Jail.Fetch && !offline
	}
	c.Env = append(proxiesFor(c.Jail, set.Proxies), c.Env...)
	if c.Jail == nil {
		return g.runner.Run(ctx, c)
	}
	result, err := g.runner.Run(ctx, c)
	unconfined, is := errors.AsType[*sandbox.UnconfinedError](err)
	if !is || !g.allowed(c.Dir) {
		return result, err
	}
	if offline && !c.Jail.Network { // only the tools themselves can refuse to download
		c.Env = append(c.Env, "GOPROXY=off", "GONOPROXY=none", "CARGO_NET_OFFLINE=true")
	}
	c.Jail = nil
	result, err = g.runner.Run(ctx, c)
	result.Layers.Missing = append(result.Layers.Missing, "sandbox ("+unconfined.Reason+"), which you allowed in this folder")
	return result, err
}

// proxiesFor returns the variables of proxies for a command; none without a network. Names and passwords in them only reach a download, which executes no
// code of the folder.
func proxiesFor(jail *sandbox.Jail, proxies []string) (env []string) {
	if jail != nil && !jail.Network && !jail.Fetch {
		return nil
	}
	for _, variable := range proxies {
		name, value, _ := strings.Cut(variable, "=")
		if at := strings.LastIndexByte(value, '@'); at >= 0 && (jail == nil || !jail.Fetch) {
			scheme, _, has := strings.Cut(value, "://")
			if value = value[at+1:]; has {
				value = scheme + "://" + value
			}
		}
		env = append(env, name+"="+value)
	}
	return env
}

// allowed reports whether the user lets code of the folder of a scratch tree be executed where nothing confines it.
func (g guarded) allowed(dir string) bool {
	tree := shadow.TreeAt(g.state.Dir(), dir)
	if tree == "" {
		return false
	}
	scope, err := g.state.PermissionsOf(folderOf(tree)).Unconfined(g.now())
	return err == nil && scope == permission.Project
}

// folderOf returns the name under which Forge keeps the folder of a scratch tree: shadow/<name>/trees/<tree>/work.
func folderOf(tree string) string {
	return filepath.Base(filepath.Dir(filepath.Dir(filepath.Dir(tree))))
}

// Confinable returns why this system cannot confine gates, as a *sandbox.UnconfinedError; nil if it can.
func (c *Checkers) Confinable(ctx context.Context) error {
	return sandbox.Confinable(ctx, c.runner.runner)
}

// jail returns what a command may reach: its own tree, what its links lead to, and the build output of Forge's own folder.
func (g guarded) jail(ctx context.Context, c sandbox.Command) *sandbox.Jail {
	jail := &sandbox.Jail{Network: ctx.Value(networkKey{}) != nil}
	tool.Reach(ctx, jail)
	tree := shadow.TreeAt(g.state.Dir(), c.Dir)
	if tree == "" {
		jail.Read = []string{c.Dir}
		return jail
	}
	jail.Caches = g.state.Path("shadow", folderOf(tree), "caches")
	jail.Write = append(jail.Write, tree)
	linked, naming := linkedFolders(tree, g.yours())
	jail.Rewritten = inTree(tree, g.root(folderOf(tree)), naming)
	for _, folder := range linked {
		if tool.AllowsWritesToLinked(ctx) && filepath.Base(folder) == "node_modules" {
			jail.Installed = append(jail.Installed, folder)
		} else {
			jail.Read = append(jail.Read, folder)
		}
	}
	if c.InPlace {
		jail.Place = sandbox.Place{Folder: tree, At: g.placeOf(tree, len(jail.Read)+len(jail.Installed) > 0)}
	}
	for _, entry := range c.Env {
		if target, is := strings.CutPrefix(entry, "CARGO_TARGET_DIR="); is && strings.HasPrefix(target, g.state.Path("build")+string(filepath.Separator)) {
			_ = os.MkdirAll(target, 0o700) // on failure, cargo reports it
			jail.Write = append(jail.Write, target)
		}
	}
	return jail
}

// placeOf returns the path at which programs see a tree whose caches know files by their paths: that of the user's folder, or, if links to installed packages lead
// there, one that all trees of the folder have.
func (g guarded) placeOf(tree string, hasLinked bool) string {
	if hasLinked {
		return filepath.Join(filepath.Dir(filepath.Dir(tree)), "shown", filepath.Base(tree))
	}
	return g.root(folderOf(tree))
}

// root returns the user's folder of a shadow, if this process works in it.
func (g guarded) root(id string) string {
	for _, root := range g.state.Roots() {
		if workspace.NameOf(root) == id {
			return root
		}
	}
	return ""
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

// CheckSandbox starts a command as gates do, and reports what protects the user from it.
func (c *Checkers) CheckSandbox(ctx context.Context) Check {
	check := Check{Name: "sandbox", State: CheckWarning}
	result, err := c.runner.runner.Run(ctx, sandbox.Command{Argv: []string{"git", "--version"}, Dir: os.TempDir(), Jail: &sandbox.Jail{Read: []string{os.TempDir()}}})
	var unconfined *sandbox.UnconfinedError
	switch {
	case errors.As(err, &unconfined):
		check.Detail = unconfined.Error() + ": gates that execute code of your folders do not run, except those listed in unguarded, and those of folders for which you allow it when a run asks"
	case err != nil:
		check.Detail = err.Error()
	default:
		check.Detail = "gates, tests and commands of models run with: " + result.Layers.String()
		if len(result.Layers.Missing) == 0 {
			check.State = CheckOK
		}
	}
	return check
}
