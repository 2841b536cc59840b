package gate

import (
	"context"
	"slices"
	"strings"
)

// Language is how the projects of one language are found in a tree and checked. Its functions keep nothing.
type Language struct {
	Name string // "go"
	// Mark is what a project of it is known by, for people: "go.mod". May be empty.
	Mark string
	// Roots finds the folders in which its projects begin, slash-separated, "" being the tree's own. paths are all files of
	// the tree, sorted; read gives the text of one. It is pure.
	Roots func(paths []string, read func(path string) ([]byte, error)) []string
	// Gates are all it has, cheapest first, with names that no other language has.
	Gates []Gate
	// Select names the gates that check the project at the root of a tree: those that the language cannot do without, those that
	// the project is configured for, and those whose tool is there. One whose tool is missing although the project wants it is
	// named, and will not run: that is for the user to see.
	Select func(ctx context.Context, t Tree) []string
	// Later are gates, no suites, whose word on a tree before a change matters only where they do not pass with it: they take long, and what they find
	// in the code that is there is seen by others too, or is nobody's task.
	Later []string
	// Suite is the gate that runs the tests; it is in Gates.
	Suite string
	// IsTest reports whether a path, relative to the project's root, belongs to its tests.
	IsTest func(path string) bool
	// Inline finds the parts of a file of code that belong to the tests, in order and none within another. It is pure. May be nil:
	// all tests are in files that IsTest knows.
	Inline func(path, text string) []Part
	// Endings are how the names of files end that can change what its tests say: ".go", "go.mod". None: those of all files may.
	Endings []string
	// Red reports whether tests that were just written were seen to fail, as they must before there is an implementation; if
	// not, it says why. before and after are the suite's reports without and with them.
	Red func(before, after Report) (red bool, reason string)
	// Without gives the text of a file of tests without the declarations in which lines stand that do not compile, each other line where it was;
	// not ok where tests that are left could do something else then than in the whole file. It is pure. May be nil: it is never ok.
	Without func(text string, faults []int) (rest string, ok bool)
	// Touched compares two texts of a file of tests, empty where there is none: tests are the names, as they stand there, of those that are in one of
	// them only, or otherwise. It is not ok where something else differs that the other tests can see. It is pure. May be nil: it is never ok.
	Touched func(before, after string) (tests []string, ok bool)
	// Versions tells the tools that its gates start, and what these work with beside the tree and what is lent to it, each with its version: where
	// it says the same, gates say the same of the same tree. Empty where that is not known. May be nil.
	Versions func(ctx context.Context, t Tree) string
	// Format formats files of the project in place, as its own settings want it. A missing formatter changes nothing. May be nil.
	Format func(ctx context.Context, t Tree, paths []string) error
}

// Stage orders gates: what is cheap comes first.
type Stage int

// The stages.
const (
	StageFormat Stage = iota
	StageLint
	StageBuild
	StageTest
	StageAudit
)

// Staged is a gate that says where in the order it belongs; one that does not is a StageLint.
type Staged interface{ Stage() Stage }

// StageOf is where a gate belongs.
func StageOf(g Gate) Stage {
	if s, is := g.(Staged); is {
		return s.Stage()
	}
	return StageLint
}

// In is a gate for a project that is not at the root of the tree. Its name has the folder in it, and what it finds is named
// from the root of the tree. In of "" is the gate itself.
func In(dir string, g Gate) Gate {
	if dir == "" {
		return g
	}
	return within{Gate: g, dir: dir}
}

// NameIn is the name of a gate in a folder.
func NameIn(dir, name string) string {
	if dir == "" {
		return name
	}
	return name + " (" + dir + ")"
}

// SplitName takes a name apart that NameIn made.
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

// placed is a report with its findings named from the root of the tree.
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
