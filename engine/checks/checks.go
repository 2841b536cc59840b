// Package checks finds the projects of a folder and the gates that check them, by Forge's languages and the user's settings. It
// runs gates on request, starts them inside the guard of the user's files, and keeps their reports before a change for the next
// run. After a proposal that only a part of the tests has seen, it runs all of them in the background (Suite).
//
//	Checkers ─► Of(folder) ─► Checking ─► Units, Project, Gate
//	                                  ─► Detect, RunAll        for forge validate
//	         ─► Measured(Checking)                             gates, with their stored reports
package checks

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"forge/codeintel"
	"forge/engine/activity"
	"forge/engine/gate"
	"forge/engine/gate/general"
	"forge/engine/gate/tool"
	"forge/engine/integrity"
	"forge/engine/pipeline/work"
	"forge/engine/sandbox"
	"forge/engine/state"
	"forge/engine/step"
)

// Settings are the user's settings of gates.
type Settings struct {
	Own      []OwnGate                // the user's own commands
	Waived   []string                 // names of gates that do not run: in all folders ("mypy"), or in one ("mypy (api)")
	Timeouts map[string]time.Duration // limit of each command of a gate, by the gate's name
	AtFirst  bool                     // stop at the first gate that a change fails
	// Unguarded are names of gates, as in Waived, that run without a sandbox: their tests need what it forbids.
	Unguarded []string
	// Network are names of gates, as in Waived, whose commands have the user's network.
	Network []string
	// Proxies are variables ("NAME=value") that lead commands with the user's network through the user's proxies. Only the settings outside of folders count.
	Proxies []string
	// Required and Advisory are names of gates, as in Waived, whose weight the user has set.
	Required, Advisory []string
	// Remeasure makes each run measure the baseline again, even if an earlier run has a report on the same files.
	Remeasure bool
	// Offline lets no check download packages.
	Offline bool
	// WholeSuite is when tests unrelated to a change run; empty is SuiteBackground.
	WholeSuite WholeSuite
	// Processes and Memory limit the processes, and bytes of memory, of a gate's command with its children; 0 is the sandbox's
	// default. Only the settings outside of folders count.
	Processes int
	Memory    int64
}

// OwnGate is a command of the user.
type OwnGate = general.CommandSpec

// Checking holds the checks for the projects of one folder: from Forge's languages, and from the user's settings.
type Checking struct {
	languages []gate.Language
	set       Settings
}

// ownGates is the name of the language of the user's own commands: every tree is a project of it.
const ownGates = "settings"

// Checkers create the checks of folders, from Forge's languages and from users' settings.
type Checkers struct {
	languages []gate.Language
	outliner  codeintel.Outliner // nil omits the gates that read files
	settings  func(ctx context.Context, folder string) Settings
	runner    guarded // starts commands that execute code of scratch trees
	state     *state.State
	redact    func(document []byte) []byte // replaces the secrets in JSON
	now       func() time.Time
}

// Of returns the checks of a folder. An execution of a run calls it when it begins, and it reads the settings then.
func (c *Checkers) Of(ctx context.Context, folder string) Checking {
	known := Checking{languages: slices.Clone(c.languages), set: c.settings(ctx, folder)}
	known.languages = append(c.files(), known.languages...)
	return c.withOwn(known)
}

// withOwn adds the user's own gates.
func (c *Checkers) withOwn(known Checking) Checking {
	own := gate.Language{Name: ownGates, Roots: func([]string, func(string) ([]byte, error)) []string { return []string{""} }}
	var names []string
	for _, spec := range known.set.Own {
		g := c.ownGate(spec)
		if known.Gate(spec.Name) != nil {
			g = brokenGate{"settings: " + spec.Name, "a gate of Forge's own has this name; give yours another one"}
		}
		own.Gates = append(own.Gates, g)
		names = append(names, g.Name())
	}
	own.Select = func(context.Context, gate.Tree) []string { return names }
	if len(own.Gates) > 0 {
		known.languages = append(known.languages, own)
	}
	return known
}

// ownGate creates a gate from the user's specification. An invalid one becomes a gate that reports the error: omitting it
// would check less than the user wants.
func (c *Checkers) ownGate(spec OwnGate) gate.Gate {
	g, err := general.NewCommand(c.runner, spec)
	if err != nil {
		return brokenGate{spec.Name, err.Error()}
	}
	return g
}

// brokenGate is a gate that cannot be run.
type brokenGate struct{ name, why string }

func (b brokenGate) Name() string { return b.name }

func (b brokenGate) Run(context.Context, gate.Tree) gate.Report {
	return gate.Report{Gate: b.name, Verdict: gate.Error, Summary: tool.Summary("correct it in your settings: %s", b.why)}
}

// Units finds the projects in a tree and the gates that check them. A tree of no known language has none, and its run ends
// before it costs anything.
func (c Checking) Units(ctx context.Context, tree activity.Tree) ([]step.Unit, error) {
	paths, err := tree.List(ctx)
	if err != nil {
		return nil, err
	}
	units := []step.Unit{}
	for _, l := range c.languages {
		for _, dir := range l.Roots(paths, tree.ReadFile) {
			unit := step.Unit{Language: l.Name, Dir: dir}
			for _, name := range l.Select(ctx, gate.InDir(tree, dir)) {
				if c.isWaived(dir, name) {
					unit.Waived = append(unit.Waived, name)
				} else {
					unit.Gates = append(unit.Gates, name)
				}
			}
			if len(unit.Gates)+len(unit.Waived) > 0 {
				unit.Tests = countTests(l, dir, paths)
				units = append(units, unit)
			}
		}
	}
	return units, nil
}

// countTests counts the test files of a project.
func countTests(l gate.Language, dir string, paths []string) (n int) {
	if l.IsTest == nil {
		return 0
	}
	for _, path := range paths {
		inside, is := path, dir == ""
		if !is {
			inside, is = strings.CutPrefix(path, dir+"/")
		}
		if is && l.IsTest(inside) {
			n++
		}
	}
	return n
}

// isWaived reports whether the user waives a gate: everywhere, or in this folder of the tree.
func (c Checking) isWaived(dir, name string) bool { return listed(c.set.Waived, dir, name) }

// listed reports whether a list names a gate: in all folders, or in this one.
func listed(list []string, dir, name string) bool {
	return slices.Contains(list, name) || slices.Contains(list, gate.NameIn(dir, name))
}

// Gate finds a gate by the name that Project gave it; it returns nil for an unknown one.
func (c Checking) Gate(full string) gate.Gate {
	dir, name := gate.SplitName(full)
	for _, l := range c.languages {
		for _, g := range l.Gates {
			if g.Name() != name {
				continue
			}
			if limit := c.set.Timeouts[name]; limit > 0 {
				g = adjusted{g, func(ctx context.Context) context.Context { return tool.Within(ctx, limit) }}
			}
			if listed(c.set.Unguarded, dir, name) {
				g = adjusted{g, unguarded}
			}
			if listed(c.set.Network, dir, name) {
				g = adjusted{g, networked}
			}
			if c.isWaived(dir, name) {
				g = waivedGate{g}
			}
			return gate.In(dir, g)
		}
	}
	return nil
}

// adjusted is a gate whose commands run with the user's settings.
type adjusted struct {
	gate.Gate
	set func(context.Context) context.Context
}

func (a adjusted) Stage() gate.Stage   { return gate.StageOf(a.Gate) }
func (a adjusted) Weight() gate.Weight { return gate.WeightOf(a.Gate) }
func (a adjusted) OnlyReads() bool     { return gate.OnlyReads(a.Gate) }
func (a adjusted) RunIn(ctx context.Context, tree gate.Tree, scope gate.Scope) gate.Report {
	return gate.RunIn(a.set(ctx), a.Gate, tree, scope)
}
func (a adjusted) Concerned(tree gate.Tree, changed []string) bool {
	return gate.Concerned(a.Gate, tree, changed)
}
func (a adjusted) Preflight(ctx context.Context, tree gate.Tree) gate.Missing {
	return gate.Preflight(a.set(ctx), a.Gate, tree)
}
func (a adjusted) Run(ctx context.Context, tree gate.Tree) gate.Report {
	return a.Gate.Run(a.set(ctx), tree)
}

// waivedGate is a gate that the user's settings waive. A run chooses its gates when it begins, so it meets one only if the settings
// have changed since.
type waivedGate struct{ gate.Gate }

func (w waivedGate) Stage() gate.Stage   { return gate.StageOf(w.Gate) }
func (w waivedGate) Weight() gate.Weight { return gate.WeightOf(w.Gate) }
func (w waivedGate) OnlyReads() bool     { return true }
func (w waivedGate) Run(context.Context, gate.Tree) gate.Report {
	return gate.Report{Gate: w.Name(), Verdict: gate.NotRun, Empty: true, Summary: work.Waived}
}

// Project returns how units are checked: cheap gates come first.
func (c Checking) Project(units []step.Unit) work.Project {
	p := work.Project{Weights: map[string]gate.Weight{}}
	for _, l := range c.languages {
		if l.Name != ownGates && l.Name != ofFiles {
			p.Known = append(p.Known, known(l))
		}
	}
	for _, u := range units {
		l, known := c.language(u.Language)
		if !known {
			continue
		}
		for _, name := range u.Gates {
			full := gate.NameIn(u.Dir, name)
			p.Gates = append(p.Gates, full)
			if slices.Contains(l.Later, name) {
				p.Later = append(p.Later, full)
			}
			if slices.Contains(l.Meanwhile, name) {
				p.Meanwhile = append(p.Meanwhile, full)
			}
			if slices.Contains(l.Spare, name) {
				p.Spare = append(p.Spare, full)
			}
			p.Weights[full] = c.Weight(u.Dir, name)
		}
		for _, name := range u.Waived {
			p.Waived = append(p.Waived, gate.NameIn(u.Dir, name))
		}
		p.TestFiles += u.Tests
		p.InTurn = p.InTurn || !l.Overlap && l.Name != ofFiles && len(u.Gates) > 0
		if slices.Contains(u.Gates, l.Suite) {
			p.Suites = append(p.Suites, suite(l, u.Dir))
		}
	}
	p.Overlap = len(p.Suites) > 0
	p.Joining = c.joining()
	slices.SortStableFunc(p.Gates, func(a, b string) int { return int(c.stage(a)) - int(c.stage(b)) })
	return p
}

// Weight is what the verdict of a gate in a folder of the tree decides: the user's setting, otherwise the gate's own.
func (c Checking) Weight(dir, name string) gate.Weight {
	switch g := c.Gate(name); {
	case listed(c.set.Required, dir, name):
		return gate.Required
	case listed(c.set.Advisory, dir, name):
		return gate.Advisory
	case g != nil:
		return gate.WeightOf(g)
	}
	return gate.Required
}

// known is the name of a language for users.
func known(l gate.Language) string {
	if l.Mark == "" {
		return l.Name
	}
	return fmt.Sprintf("%s (%s)", l.Name, l.Mark)
}

// stage returns the stage of a gate. A gate that the user has removed from the settings since reports that when it runs.
func (c Checking) stage(name string) gate.Stage {
	if g := c.Gate(name); g != nil {
		return gate.StageOf(g)
	}
	return gate.StageFormat
}

func (c Checking) language(name string) (gate.Language, bool) {
	at := slices.IndexFunc(c.languages, func(l gate.Language) bool { return l.Name == name })
	if at < 0 {
		return gate.Language{}, false
	}
	return c.languages[at], true
}

// suite returns the tests of a project in a folder.
func suite(l gate.Language, dir string) integrity.Suite {
	return integrity.Suite{
		Gate: gate.NameIn(dir, l.Suite), Red: l.Red, Without: l.Without, Touched: l.Touched,
		IsTest: func(path string) bool {
			if dir == "" {
				return l.IsTest(path)
			}
			inside, is := strings.CutPrefix(path, dir+"/")
			return is && l.IsTest(inside)
		},
		Inline: func(path, text string) []gate.Part {
			inside, is := path, dir == ""
			if !is {
				inside, is = strings.CutPrefix(path, dir+"/")
			}
			if !is || l.Inline == nil {
				return nil
			}
			return l.Inline(inside, text)
		},
		Concerns: func(path string) bool {
			inside := dir == "" || strings.HasPrefix(path, dir+"/")
			return inside && (len(l.Endings) == 0 || slices.ContainsFunc(l.Endings, func(end string) bool { return strings.HasSuffix(path, end) }))
		},
	}
}

// New returns the Checkers. Languages are those that Forge knows; nil means all.
func New(o Options) *Checkers {
	g := guarded{runner: o.Runner, state: o.State, folders: o.Guarded, settings: o.Settings, now: o.Now}
	c := &Checkers{languages: o.Languages, outliner: o.Outliner, settings: o.Settings, runner: g, state: o.State, redact: o.Redact, now: o.Now}
	if c.languages == nil {
		c.languages = languages(g, o.State.Path("build"))
	}
	return c
}

// Options are the dependencies of Checkers.
type Options struct {
	State     *state.State
	Runner    sandbox.Runner
	Guarded   []string // the user's folders that no gate and no command may write into, besides those of runs
	Languages []gate.Language
	Outliner  codeintel.Outliner // nil omits the gates that read files
	Settings  func(ctx context.Context, folder string) Settings
	Redact    func(document []byte) []byte // replaces the secrets in a JSON document
	Now       func() time.Time
}

// Sandboxed returns the runner that starts programs as gates do.
func (c *Checkers) Sandboxed() sandbox.Runner { return c.runner }
