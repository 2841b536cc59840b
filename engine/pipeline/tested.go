package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"forge/engine/integrity"
	"forge/engine/prompt"
	"forge/patch"
)

// tested is what a module has of its tests. They outlast the attempt that wrote them.
type tested struct {
	run   *run
	begin *beginning
	now   *attempt

	tests    *patch.ChangeSet // tests that were seen red; nil until then
	red      integrity.Reds   // what those of each suite were seen to do
	excuse   string           // what the model said of the tests that it has written
	released []string         // what the user has let the gate regression find
	refused  []string         // what the user has not let it find
	// faultyTests is set by review when the fault lies in the tests themselves, so that the executor
	// writes them anew although tests are frozen otherwise.
	faultyTests bool
	// disowned is set once the implementation has said that a test of this run is wrong: it is heard once.
	disowned bool
	unseen   bool // the tests could not be run before there was an implementation
}

// allRed are the tests that were seen red by the module and those before it: all of them must hold.
func (t *tested) allRed() integrity.Reds { return t.begin.earlier.red.With(t.red...) }

// allTests are the test files that the module and those before it have written.
func (t *tested) allTests() []string {
	if t.tests == nil {
		return t.begin.earlier.tests
	}
	return merge(t.begin.earlier.tests, changedPaths(*t.tests))
}

// wroteTest reports whether the module, or one before it, has written tests in a file.
func (t *tested) wroteTest(path string) bool { return slices.Contains(t.allTests(), path) }

// inTests reports whether a line of a file that the attempt has changed belongs to tests that it wrote. Line 0 is the whole file.
func (t *tested) inTests(path string, line int) bool {
	if !t.wroteTest(path) {
		return false
	}
	at := slices.IndexFunc(t.now.changes.Files, func(f patch.FileChange) bool { return f.Path == path })
	return at < 0 || t.run.Project.Suites.InTests(path, t.now.changes.Files[at].After, line)
}

// justTests reports whether a file of the result is as it was when its tests were written.
func (t *tested) justTests(f patch.FileChange) bool {
	return t.tests != nil && slices.ContainsFunc(t.tests.Files, func(old patch.FileChange) bool {
		return old.Path == f.Path && old.After == f.After
	})
}

// seenRed shows how the tests of the run fail without an implementation; nothing where that was not seen.
func (t *tested) seenRed() []prompt.Section {
	var text strings.Builder
	for _, red := range t.red {
		for i, f := range red.Faults {
			if i == maxSeenRed {
				fmt.Fprintf(&text, "… and %d more\n", len(red.Faults)-i)
				break
			}
			text.WriteString(digest(retold(f), maxRedFault) + "\n")
		}
	}
	if text.Len() == 0 {
		return nil
	}
	return []prompt.Section{{Kind: prompt.Errors, Name: "Current test failures", Text: strings.TrimRight(text.String(), "\n"), Data: true, Cut: 2}}
}

// disownedTests are the tests that are to be written anew, for the model that writes them.
func (t *tested) disownedTests() []prompt.Section {
	if t.tests == nil || !t.disowned {
		return nil
	}
	return []prompt.Section{{Kind: prompt.Errors, Name: "Tests to rewrite", Text: t.tests.Unified(contextOfTests), Data: true, Cut: 1}}
}

// restart forgets what was seen of the tests, which are about to be written.
func (t *tested) restart() { t.faultyTests, t.red, t.unseen = false, nil, false }

// reopen takes over the tests of a draft.
func (t *tested) reopen(d draft) { t.tests, t.red = d.tests, d.red }

// keep has the tests stay for all later attempts.
func (t *tested) keep(tests patch.ChangeSet) { t.tests = &tests }

// sawRed keeps what a suite was seen to do without the implementation.
func (t *tested) sawRed(red integrity.Red) { t.red = append(t.red, red) }

// sawPass keeps the names of tests that pass with the change and did not before.
func (t *tested) sawPass(suite string, tests []string) {
	t.red = t.red.With(integrity.Red{Gate: suite, Tests: tests})
}

// blame says whether the fault lies in the tests: then they are written anew.
func (t *tested) blame(faulty bool) { t.faultyTests = faulty }

// disown has the tests written anew because the model that implements the change wants it so.
func (t *tested) disown() { t.disowned, t.faultyTests = true, true }

// release keeps what the user lets the gate regression find.
func (t *tested) release(found []string) { t.released = merge(t.released, found) }

// refuse keeps what the user does not let it find.
func (t *tested) refuse(found []string) { t.refused = merge(t.refused, found) }

// couldNotRun keeps that the tests were not seen to fail, because they could not be run.
func (t *tested) couldNotRun() { t.unseen = true }

// explain keeps the reason that a model gives for its tests.
func (t *tested) explain(excuse string) { t.excuse = excuse }

// contextOfTests is how many lines are shown around what a run has written of tests.
const contextOfTests = 3

// The most that is shown of tests that fail before there is an implementation: findings of a suite, and bytes of each.
const maxSeenRed, maxRedFault = 8, 400
