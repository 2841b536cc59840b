package gate

import (
	"context"
	"slices"
	"strings"
)

// Language finds and checks the projects of one language in a tree. Its functions keep no state.
type Language struct {
	Name string // "go"
	// Mark is the file that marks a project, for users: "go.mod". May be empty.
	Mark string
	// Roots returns the folders of its projects, slash-separated, "" being the tree's root. paths are all files of the
	// tree, sorted; read returns the text of one. It is pure.
	Roots func(paths []string, read func(path string) ([]byte, error)) []string
	// Gates are all gates of the language, cheapest first. No other language has the same names.
	Gates []Gate
	// Select returns the gates that check the project at the root of a tree: those that the language requires, those that the
	// project is configured for, and those whose tool is installed. A gate that the project configures but whose tool is missing
	// is included, and will not run, so that the user sees it.
	Select func(ctx context.Context, t Tree) []string
	// Later are gates, but no suites, that measure a baseline only if they do not pass with the change: they take long, and their
	// old findings are reported by other gates too, or are not relevant.
	Later []string
	// Meanwhile are gates that measure their baseline while the model writes, and are as Later in runs that measure none then: their work is reused
	// for the change, or they often fail before it.
	Meanwhile []string
	// Spare are gates of Later that run without the change in time in which a run only waits for a model: they often fail before the change, or
	// their tools cache what they then need for it.
	Spare []string
	// Suite is the gate that runs the tests; it is one of Gates.
	Suite string
	// IsTest reports whether a path, relative to the project's root, belongs to its tests.
	IsTest func(path string) bool
	// Inline returns the parts of a source file that belong to the tests, in order and not nested. It is pure. Nil means that all
	// tests are in files that IsTest recognizes.
	Inline func(path, text string) []Part
	// Endings are the endings of the files that can affect its tests: ".go", "go.mod". None means that all files can.
	Endings []string
	// Red reports whether new tests were seen to fail, as they must before there is an implementation, and if not, why.
	// before and after are the suite's reports without and with them.
	Red func(before, after Report) (red bool, reason string)
	// Without returns the text of a test file without the declarations that contain lines which do not compile, with the other
	// lines in place; not ok if the remaining tests could behave differently than in the whole file. It is pure. Nil is never ok.
	Without func(text string, faults []int) (rest string, ok bool)
	// Touched compares two texts of a test file, empty for a missing one: tests are the names of the tests that only one of them
	// has, or that differ. It is not ok if they differ in something else that the other tests can see. It is pure. Nil is never ok.
	Touched func(before, after string) (tests []string, ok bool)
	// Overlap means that its gates may run on two trees at the same time, and lose nothing by it: nothing is compiled for each tree.
	Overlap bool
	// Versions returns the versions of the tools that its gates start, and of what these use outside of the tree: with equal
	// versions, gates report the same on the same tree. Empty if unknown. May be nil.
	Versions func(ctx context.Context, t Tree) string
	// Format formats files of the project in place, with the project's own settings. A missing formatter changes nothing. May be
	// nil.
	Format func(ctx context.Context, t Tree, paths []string) error
}

// Stage orders gates: cheap gates come first.
type Stage int

// The stages.
const (
	StageFormat Stage = iota
	StageLint
	StageBuild
	StageTest
	StageAudit
)

// Staged is a gate with its own stage; other gates have StageLint.
type Staged interface{ Stage() Stage }

// StageOf returns the stage of a gate.
func StageOf(g Gate) Stage {
	if s, is := g.(Staged); is {
		return s.Stage()
	}
	return StageLint
}

// In returns a gate for a project that is not at the root of the tree. Its name contains the folder, and its findings have
// paths from the root of the tree. In of "" returns the gate itself.
func In(dir string, g Gate) Gate {
	if dir == "" {
		return g
	}
	return within{Gate: g, dir: dir}
}

// NameIn returns the name of a gate in a folder.
func NameIn(dir, name string) string {
	if dir == "" {
		return name
	}
	return name + " (" + dir + ")"
}

// SplitName splits a name that NameIn made.
func SplitName(full string) (dir, name string) {
	if at := strings.Index(full, " ("); at >= 0 && strings.HasSuffix(full, ")") {
		return full[at+2 : len(full)-1], full[:at]
	}
	return "", full
}

type within struct {
	Gate
	dir string
}

func (w within) Name() string    { return NameIn(w.dir, w.Gate.Name()) }
func (w within) Stage() Stage    { return StageOf(w.Gate) }
func (w within) Weight() Weight  { return WeightOf(w.Gate) }
func (w within) OnlyReads() bool { return OnlyReads(w.Gate) }

func (w within) Preflight(ctx context.Context, t Tree) Missing {
	return Preflight(ctx, w.Gate, InDir(t, w.dir)).within(w.dir)
}

func (w within) Run(ctx context.Context, t Tree) Report {
	return w.placed(w.Gate.Run(ctx, InDir(t, w.dir)))
}

// placed returns a report with the paths of its findings from the root of the tree.
func (w within) placed(report Report) Report {
	report.Gate = w.Name()
	if report.Missing != "" {
		Missing{Program: report.Missing, Install: report.Install}.within(w.dir).NotRun(&report)
	}
	report.Findings = slices.Clone(report.Findings)
	for i, f := range report.Findings {
		if f.Path != "" {
			report.Findings[i].Path = w.dir + "/" + f.Path
		}
	}
	return report
}
