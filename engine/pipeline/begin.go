package pipeline

import (
	"forge/engine/integrity"
	"forge/engine/prompt"
	"forge/engine/step"
	"forge/patch"
)

// beginning is what the attempts of a module begin with. It is set by the module's node explore.
type beginning struct {
	start   step.State      // the tree
	given   patch.ChangeSet // what start differs in from the user's tree; for what joins parts it is set by the executor
	earlier earlier         // what the module has to keep of those before it
	clashes []patch.Clash   // of those, what does not go together
}

// earlier is what a module has to keep of those before it.
type earlier struct {
	red      integrity.Reds // tests that were seen red
	tests    []string       // test files that were written
	released []string       // what tests do that they may, as the user has said: messages of the gate regression
}

// clashing shows what the parts have made that does not go together.
func (b *beginning) clashing() (sections []prompt.Section) {
	for _, c := range b.clashes {
		sections = append(sections, prompt.Section{
			Kind: prompt.Errors, Name: "What another part made of " + c.Path, Data: true,
			Text: "It is not in the file as you see it. Bring in what it is for.\n" + patch.ChangeSet{Files: []patch.FileChange{c.Theirs}}.Unified(3),
		})
	}
	return sections
}

// with is what a module has to keep that begins after another one.
func (e earlier) with(before *unit) earlier {
	return earlier{
		red:      e.red.With(before.tested.allRed()...),
		tests:    merge(e.tests, before.tested.allTests()),
		released: merge(e.released, merge(before.begin.earlier.released, before.tested.released)),
	}
}
