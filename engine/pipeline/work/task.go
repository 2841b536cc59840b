package work

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/integrity"
	"forge/engine/mode"
	"forge/engine/plan"
	"forge/engine/prompt"
	"forge/engine/step"
	"forge/internal/lazyregexp"
	"forge/patch"
)

// Project is what Forge knows about the projects in a tree. Its functions are pure.
type Project struct {
	Gates []string // names, cheapest first
	// Later are those of Gates whose baseline is only measured if they fail with the change.
	Later []string
	// Meanwhile are those whose baseline is measured while the model writes; in a run that does not overlap the two, they are as Later.
	Meanwhile []string
	// Spare are those of Later whose baseline is measured in time in which the run only waits for a model.
	Spare []string
	// Weights are the gates' weights by name; a gate without an entry is required.
	Weights   map[string]gate.Weight
	Suites    integrity.Suites // one for each project with tests in the tree
	TestFiles int              // files of tests in the tree
	// Overlap means that there are suites, so that their baseline may be measured while the model writes.
	Overlap bool
	// InTurn means that gates on two trees wait for each other, or are slower together: none runs on a change until the baseline is known.
	InTurn bool
	Waived []string // gates that the user waives: they do not run, and are reported as waived
	Known  []string // the languages whose projects Forge detects, for the user: "go (go.mod)"
	// Joining are additional gates for joining parts of a plan.
	Joining []string
}

// IsTest reports whether a path belongs to any tests.
func (p Project) IsTest(path string) bool { return p.Suites.IsTest(path) }

// meanwhile is 1 for a gate of Meanwhile, else 0.
func (p Project) meanwhile(name string) int { return min(1, 1+slices.Index(p.Meanwhile, name)) }

// Required returns the names of the gates that must pass, regardless of the baseline.
func (p Project) Required() (names []string) {
	for _, name := range p.Gates {
		if p.Weights[name] == gate.Required {
			names = append(names, name)
		}
	}
	return names
}

// Unchecked returns why nothing checks a folder; empty if something does.
func (p Project) Unchecked() string {
	switch {
	case len(p.Gates) > 0:
		return ""
	case len(p.Waived) > 0:
		return fmt.Sprintf("nothing checks this change: your settings waive %s", strings.Join(p.Waived, ", "))
	}
	return fmt.Sprintf("nothing checks this change: Forge finds projects of %s, and there is none here. Your settings can add a command that does (gates)",
		strings.Join(p.Known, ", "))
}

// MaxTests is the largest number of test files for which all tests run for each change. With more, gates check what the change
// concerns: the new tests while they must fail, and the changed code with its importers before the proposal.
const MaxTests = 100

// Scoped reports whether gates only check what the change concerns.
func (p Project) Scoped() bool { return p.TestFiles > MaxTests }

// Unmeasured returns why the baseline is not measured; empty if it is.
func (p Project) Unmeasured() string {
	if !p.Scoped() {
		return ""
	}
	return fmt.Sprintf("the folder has %d files of tests: what concerns the change is measured with it", p.TestFiles)
}

// Recipe is the kind of work.
type Recipe = mode.Recipe

// Task is the user's request.
type Task struct {
	Text   string
	Recipe Recipe
	Focus  Focus
	// Earlier are the turns of the conversation that the request continues, the oldest first.
	Earlier []Turn
	// Class is the classification by rules; the zero Class means none.
	Class mode.Class
	// ApproveSpec asks the user to approve the specification before anything is generated.
	ApproveSpec bool
	// NoReview omits the reviewer, by the user's settings.
	NoReview bool
	// Mode limits what the run may spend and do; the zero Mode is the default one.
	Mode mode.Mode
	// Profile is the user's choice of how to request the change; empty leaves it to mode and recipe.
	Profile mode.Profile
	// Plan controls splitting the task into parts.
	Plan Planning
	// Open means that the user has named no recipe, profile or plan: the orchestrator may choose a recipe whose tests need not fail first.
	Open bool
	// NoTests means that tests need not fail before the request is carried out, for example a change of settings.
	NoTests bool
	// Direct are tools that do the work without a model for the implementation.
	Direct []Action
	// KeepFormat leaves files as models wrote them, without a formatter.
	KeepFormat bool
}

// ofExamples matches a request that may be about an example of documentation.
var ofExamples = lazyregexp.New(`(?i)\bdoc|\bexample|\breadme\b|///|//!`)

// MayBeAboutExamples reports whether an example of documentation that fails today may be what the request is about.
func (t Task) MayBeAboutExamples() bool { return ofExamples.MatchString(t.Text) }

// Planning is whether and how a task is split into parts.
type Planning struct {
	Wanted   bool
	Approved bool        // the user needs no question about the plan
	Inline   bool        // sub-tasks of a part do not run in parallel
	Lite     bool        // a small plan whose parts follow each other is worked on by one module: see plan.InOne
	Given    []plan.Part // the user's own plan: no model is asked for one, unless the user wants it changed
}

// Action is a tool to call, and its arguments: an object that the tool's schema describes.
type Action struct {
	Tool string
	Args json.RawMessage
}

// Focus is the place that the user named; the zero Focus is the whole tree.
type Focus struct {
	Path               string
	StartLine, EndLine int // from 1, inclusive; 0 is the whole file
	Diagnostics        []string
	// Since is the commit that a review compares the tree with: a branch, a tag or an id; empty is the one that is checked out.
	Since string
}

// Spec is the specification of a change.
type Spec struct {
	Title string
	Text  string // Markdown
}

// Start is what the attempts of a module begin with. The module's node explore sets it.
type Start struct {
	Tree    step.State      // the tree
	Given   patch.ChangeSet // its differences from the user's tree; for joining modules the executor sets it
	Earlier Earlier         // what the module must keep of its predecessors
	Clashes []patch.Clash   // conflicts among those
}

// Earlier is what a module must keep of its predecessors.
type Earlier struct {
	Red      integrity.Reds // tests that were seen red
	tests    []string       // test files that were written
	Released []string       // effects on tests that the user has permitted: messages of the gate regression
	agreed   []string       // existing tests of which the user agreed that they change
	denied   []string       // existing tests of which the user rejected what a change made of them
}

// Clashing returns the conflicting changes of the parts.
func (b *Start) Clashing() (sections []prompt.Section) {
	for _, c := range b.Clashes {
		sections = append(sections, prompt.Section{
			Kind: prompt.Errors, Name: "What another part made of " + c.Path, Data: true,
			Text: "It is not in the file as you see it. Bring in what it is for.\n" + patch.ChangeSet{Files: []patch.FileChange{c.Theirs}}.Unified(3),
		})
	}
	return sections
}

// With returns what a module after another one must keep.
func (e Earlier) With(before *Module) Earlier {
	return Earlier{
		Red:      e.Red.With(before.Tests.AllRed()...),
		tests:    Union(e.tests, before.Tests.AllTests()),
		Released: Union(e.Released, Union(before.Start.Earlier.Released, before.Tests.Released)),
		agreed:   Union(e.agreed, Union(before.Start.Earlier.agreed, before.Tests.Agreed)),
		denied:   Union(e.denied, Union(before.Start.Earlier.denied, before.Tests.denied)),
	}
}
