package work

import (
	"forge/engine/integrity"
	"forge/engine/prompt"
	"forge/engine/step"
	"forge/patch"
)

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
	}
}
