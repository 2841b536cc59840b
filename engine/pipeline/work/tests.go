package work

import (
	"fmt"
	"slices"
	"strings"

	"forge/engine/integrity"
	"forge/engine/prompt"
	"forge/patch"
)

// Tests are what a module has of its tests. They outlast the attempt that wrote them.
type Tests struct {
	run   *Run
	begin *Start
	now   *Attempt

	Written  *patch.ChangeSet // tests that were seen red; nil until then
	Red      integrity.Reds   // what those of each suite were seen to do
	Excuse   string           // what the model said of the tests that it has written
	Released []string         // what the user has let the gate regression find
	Refused  []string         // what the user has not let it find
	// FaultyTests is set by review when the fault lies in the tests themselves, so that the executor
	// writes them anew although tests are frozen otherwise.
	FaultyTests bool
	// Disowned is set once the implementation has said that a test of this run is wrong: it is heard once.
	Disowned bool
	Unseen   bool // the tests could not be run before there was an implementation
}

// AllRed are the tests that were seen red by the module and those before it: all of them must hold.
func (t *Tests) AllRed() integrity.Reds { return t.begin.Earlier.Red.With(t.Red...) }

// AllTests are the test files that the module and those before it have written.
func (t *Tests) AllTests() []string {
	if t.Written == nil {
		return t.begin.Earlier.tests
	}
	return Union(t.begin.Earlier.tests, ChangedPaths(*t.Written))
}

// WroteTest reports whether the module, or one before it, has written tests in a file.
func (t *Tests) WroteTest(path string) bool { return slices.Contains(t.AllTests(), path) }

// InTests reports whether a line of a file that the attempt has changed belongs to tests that it wrote. Line 0 is the whole file.
func (t *Tests) InTests(path string, line int) bool {
	if !t.WroteTest(path) {
		return false
	}
	at := slices.IndexFunc(t.now.Changes.Files, func(f patch.FileChange) bool { return f.Path == path })
	return at < 0 || t.run.Project.Suites.InTests(path, t.now.Changes.Files[at].After, line)
}

// JustTests reports whether a file of the result is as it was when its tests were written.
func (t *Tests) JustTests(f patch.FileChange) bool {
	return t.Written != nil && slices.ContainsFunc(t.Written.Files, func(old patch.FileChange) bool {
		return old.Path == f.Path && old.After == f.After
	})
}

// SeenRed shows how the tests of the run fail without an implementation; nothing where that was not seen.
func (t *Tests) SeenRed() []prompt.Section {
	var text strings.Builder
	for _, red := range t.Red {
		for i, f := range red.Faults {
			if i == maxSeenRed {
				fmt.Fprintf(&text, "… and %d more\n", len(red.Faults)-i)
				break
			}
			text.WriteString(Shorten(retold(f), maxRedFault) + "\n")
		}
	}
	if text.Len() == 0 {
		return nil
	}
	return []prompt.Section{{Kind: prompt.Errors, Name: "Current test failures", Text: strings.TrimRight(text.String(), "\n"), Data: true, Cut: 2}}
}

// DisownedTests are the tests that are to be written anew, for the model that writes them.
func (t *Tests) DisownedTests() []prompt.Section {
	if t.Written == nil || !t.Disowned {
		return nil
	}
	return []prompt.Section{{Kind: prompt.Errors, Name: "Tests to rewrite", Text: t.Written.Unified(contextOfTests), Data: true, Cut: 1}}
}

// Restart forgets what was seen of the tests, which are about to be written.
func (t *Tests) Restart() { t.FaultyTests, t.Red, t.Unseen = false, nil, false }

// Reopen takes over the tests of a draft.
func (t *Tests) Reopen(d Draft) { t.Written, t.Red = d.tests, d.red }

// Keep has the tests stay for all later attempts.
func (t *Tests) Keep(tests patch.ChangeSet) { t.Written = &tests }

// SawRed keeps what a suite was seen to do without the implementation.
func (t *Tests) SawRed(red integrity.Red) { t.Red = append(t.Red, red) }

// SawPass keeps the names of tests that pass with the change and did not before.
func (t *Tests) SawPass(suite string, tests []string) {
	t.Red = t.Red.With(integrity.Red{Gate: suite, Tests: tests})
}

// Blame says whether the fault lies in the tests: then they are written anew.
func (t *Tests) Blame(faulty bool) { t.FaultyTests = faulty }

// Disown has the tests written anew because the model that implements the change wants it so.
func (t *Tests) Disown() { t.Disowned, t.FaultyTests = true, true }

// Release keeps what the user lets the gate regression find.
func (t *Tests) Release(found []string) { t.Released = Union(t.Released, found) }

// Refuse keeps what the user does not let it find.
func (t *Tests) Refuse(found []string) { t.Refused = Union(t.Refused, found) }

// CouldNotRun keeps that the tests were not seen to fail, because they could not be run.
func (t *Tests) CouldNotRun() { t.Unseen = true }

// Explain keeps the reason that a model gives for its tests.
func (t *Tests) Explain(excuse string) { t.Excuse = excuse }

// contextOfTests is how many lines are shown around what a run has written of tests.
const contextOfTests = 3

// The most that is shown of tests that fail before there is an implementation: findings of a suite, and bytes of each.
const maxSeenRed, maxRedFault = 8, 400
