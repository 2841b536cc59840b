package work

import (
	"forge/engine/integrity"
	"forge/engine/prompt"
	"forge/engine/step"
	"forge/patch"
)

// Start is what the attempts of a module begin with. It is set by the module's node explore.
type Start struct {
	Tree    step.State      // the tree
	Given   patch.ChangeSet // what start differs in from the user's tree; for what joins parts it is set by the executor
	Earlier Earlier         // what the module has to keep of those before it
	Clashes []patch.Clash   // of those, what does not go together
}

// Earlier is what a module has to keep of those before it.
type Earlier struct {
	Red      integrity.Reds // tests that were seen red
	tests    []string       // test files that were written
	Released []string       // what tests do that they may, as the user has said: messages of the gate regression
}

// Clashing shows what the parts have made that does not go together.
func (b *Start) Clashing() (sections []prompt.Section) {
	for _, c := range b.Clashes {
		sections = append(sections, prompt.Section{
			Kind: prompt.Errors, Name: "What another part made of " + c.Path, Data: true,
			Text: "It is not in the file as you see it. Bring in what it is for.\n" + patch.ChangeSet{Files: []patch.FileChange{c.Theirs}}.Unified(3),
		})
	}
	return sections
}

// With is what a module has to keep that begins after another one.
func (e Earlier) With(before *Module) Earlier {
	return Earlier{
		Red:      e.Red.With(before.Tests.AllRed()...),
		tests:    Union(e.tests, before.Tests.AllTests()),
		Released: Union(e.Released, Union(before.Start.Earlier.Released, before.Tests.Released)),
	}
}
