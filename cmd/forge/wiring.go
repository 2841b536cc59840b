package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"forge/codeintel"
	"forge/codeintel/treesitter"
	"forge/engine"
	"forge/engine/config"
	"forge/engine/route"
	"forge/engine/spend"
	"forge/internal/inert"
)

// parts are what a command works with. Close lets go of all of it.
type parts struct {
	*engine.Engine
	router   *route.Router
	settings *settings
	state    string
}

// Close ends what runs, and lets go of connections.
func (p *parts) Close() {
	p.Engine.Close()
	p.router.Close()
}

// openParts makes what a command works with, from its environment and what its flags say of models. It asks nobody.
func openParts(t terminal, flags config.Models) (*parts, error) {
	state, err := config.StateDir(t.env)
	if err != nil {
		return nil, &exitError{exitBlocked, err.Error()}
	}
	p := &parts{state: state, settings: newSettings(t, state, flags)}
	t.secrets.LearnFirst(func() { p.settings.of(context.Background(), "") })
	p.router = route.New(route.Options{Settings: p.settings.of, Connector: newConnector(t)})
	p.Engine = engine.New(engine.Options{
		StateDir:        state,
		Environ:         t.environ,
		Secrets:         t.secrets,
		Skills:          skillRoots(t.env),
		Outliner:        newOutliner(),
		OutlinerVersion: programVersion(),
		Guarded:         p.settings.folders(),
		Notice:          func(text string) { fmt.Fprintf(t.err, "[forge] %s\n", inert.Text(text)) },
		Chooser:         p.router,
		Batcher:         p.router.Batcher,
		Settings: func(ctx context.Context, folder string) engine.Settings {
			return settingsOf(p.router.Settings(ctx, folder))
		},
	})
	return p, nil
}

// openTrusting is openParts for a run in a folder, which is trusted first where the person says so.
func openTrusting(t terminal, flags modelFlags, root string, trust bool) (*parts, error) {
	p, err := openParts(t, flags.models())
	if err != nil || !trust {
		return p, err
	}
	if err := p.Trust(root); err != nil {
		p.Close()
		return nil, &exitError{exitBlocked, err.Error()}
	}
	return p, nil
}

// openEngine makes the engine of a command that asks no model.
func openEngine(t terminal) (*parts, error) { return openParts(t, config.Models{}) }

// settingsOf is what an engine is told of the settings of a folder.
func settingsOf(s config.Settings) engine.Settings {
	return engine.Settings{
		Limits: engine.Limits{Tokens: s.Budget.Tokens, MicroUSD: spend.Micro(s.Budget.USD), Duration: time.Duration(s.Limits.Minutes) * time.Minute},
		Cache:  s.Cache, Bounds: s.Bounds, Domain: s.Domain, NoReview: s.NoReview, Mode: s.Mode, KeepFormat: !s.AutoFix, Steps: s.Limits.Steps, ToolCalls: s.Limits.ToolCalls,
		Notices: noticesOf(s), Err: s.Err,
		Checks: checksOf(s.Gates), Skills: dirs(s.Skills), Guides: s.Instructions, Grants: grantsOf(s), Web: webOf(s),
	}
}

// noticesOf are what a person should know of their settings, as they read it.
func noticesOf(s config.Settings) []string {
	var texts []string
	for _, n := range s.Notices {
		texts = append(texts, n.String())
	}
	return texts
}

// checksOf is what an engine is told of a person's gates.
func checksOf(g config.Gates) engine.Checks {
	c := engine.Checks{
		Waived: g.Waived, Timeouts: g.Timeouts, AtFirst: g.AtFirst, Unguarded: g.Unguarded, Required: g.Required, Advisory: g.Advisory,
		Processes: g.Processes, Memory: g.Memory, Remeasure: g.Remeasure,
	}
	for _, o := range g.Own {
		c.Own = append(c.Own, engine.OwnGate(o))
	}
	return c
}

// inFolder does something with the engine, in a folder that a person named.
func inFolder(t terminal, dir string, do func(e *engine.Engine, root string) error) error {
	return inFolderWith(t, dir, config.Models{}, do)
}

// inFolderWith is inFolder with what flags say of models.
func inFolderWith(t terminal, dir string, flags config.Models, do func(e *engine.Engine, root string) error) error {
	root, err := folder(dir)
	if err != nil {
		return err
	}
	return in(t, root, flags, do)
}

// inProject is inFolder for the project that a folder lies in.
func inProject(t terminal, dir string, do func(e *engine.Engine, root string) error) error {
	return inProjectWith(t, dir, config.Models{}, do)
}

// inProjectWith is inProject with what flags say of models.
func inProjectWith(t terminal, dir string, flags config.Models, do func(e *engine.Engine, root string) error) error {
	root, _, err := projectFolder(dir)
	if err != nil {
		return err
	}
	return in(t, root, flags, do)
}

func in(t terminal, root string, flags config.Models, do func(e *engine.Engine, root string) error) error {
	p, err := openParts(t, flags)
	if err != nil {
		return err
	}
	defer p.Close()
	return do(p.Engine, root)
}

// newOutliner reads the symbols of every language there is a grammar for.
func newOutliner() codeintel.Outliner { return treesitter.New(treesitter.WithoutReferences()) }

// programVersion is another one for every build: whatever an older program found is found again.
func programVersion() string {
	file, err := os.Executable()
	if err != nil {
		return version
	}
	info, err := os.Stat(file)
	if err != nil {
		return version
	}
	return fmt.Sprintf("%s %d %d", version, info.Size(), info.ModTime().UnixNano())
}

// env looks a variable up; where it is set twice, the last one counts, as for a process.
func (t terminal) env(name string) string {
	for _, e := range slices.Backward(t.environ) {
		if value, is := strings.CutPrefix(e, name+"="); is {
			return value
		}
	}
	return ""
}

// folder is the absolute path of a folder that a person named.
func folder(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", &exitError{exitUsage, fmt.Sprintf("folder %s: %v", dir, err)}
	}
	info, err := os.Stat(abs)
	if err != nil {
		return "", &exitError{exitUsage, fmt.Sprintf("folder %s: there is no such folder", abs)}
	}
	if !info.IsDir() {
		return "", &exitError{exitUsage, abs + " is not a folder"}
	}
	return abs, nil
}
