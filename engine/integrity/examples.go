package integrity

import (
	"slices"

	"forge/engine/gate"
	"forge/patch"
)

// IsExample reports whether a test is an example in the documentation of a file of code, according to its name.
func IsExample(test string) bool { return rustExample.MatchString(test) }

// Examples counts the examples in files of code that a change takes away, and those that it brings: a changed one is both.
func (all Suites) Examples(change patch.ChangeSet) (gone, fresh int) {
	example := func(part gate.Part) bool { return part.Example }
	for _, f := range change.Files {
		if all.IsTest(Origin(f)) || all.IsTest(f.Path) {
			continue
		}
		before := placed(f.Before, all.parts(Origin(f), f.Before), example)
		after := placed(f.After, all.parts(f.Path, f.After), example)
		gone, fresh = gone+len(less(before, after)), fresh+len(less(after, before))
	}
	return gone, fresh
}

// less returns those texts that others do not have, or not as often.
func less(texts, others []string) (rest []string) {
	others = slices.Clone(others)
	for _, text := range texts {
		if at := slices.Index(others, text); at >= 0 {
			others = slices.Delete(others, at, at+1)
			continue
		}
		rest = append(rest, text)
	}
	return rest
}

// WithoutExamples returns the suites for which examples in documentation are no tests.
func (all Suites) WithoutExamples() Suites {
	rest := slices.Clone(all)
	for i, s := range rest {
		rest[i].Inline = func(path, text string) []gate.Part {
			return slices.DeleteFunc(slices.Clone(s.parts(path, text)), func(part gate.Part) bool { return part.Example })
		}
	}
	return rest
}
