package work

import (
	"fmt"
	"slices"
	"strings"

	"forge/engine/integrity"
	"forge/engine/prompt"
	"forge/patch"
)

// Tests is the state of a module's tests. It outlasts the attempt that wrote them.
type Tests struct {
	run   *Run
	begin *Start
	now   *Attempt

	Written  *patch.ChangeSet // tests that were seen red; nil before
	Red      integrity.Reds   // how those of each suite failed
	Excuse   string           // the model's explanation of its tests
	Released []string         // findings of the gate regression that the user permits
	Refused  []string         // those that the user rejects
	// FaultyTests is set by review if the tests themselves are at fault, so that the executor rewrites
	// them although tests are frozen.
	FaultyTests bool
	// Disowned is set once the implementation has called a test of this run wrong; a second time has no effect.
	Disowned bool
	Unseen   bool // the tests could not be run before there was an implementation
	Waived   bool // the user has said that the change needs none
}

// AllRed returns the tests that were seen red by the module and its predecessors: all of them must pass.
func (t *Tests) AllRed() integrity.Reds { return t.begin.Earlier.Red.With(t.Red...) }

// AllTests returns the test files of the module and its predecessors.
func (t *Tests) AllTests() []string {
	if t.Written == nil {
		return t.begin.Earlier.tests
	}
	return Union(t.begin.Earlier.tests, ChangedPaths(*t.Written))
}

// WroteTest reports whether the module, or a predecessor, has written tests in a file.
func (t *Tests) WroteTest(path string) bool { return slices.Contains(t.AllTests(), path) }

// InTests reports whether a line of a changed file belongs to tests that the attempt wrote. Line 0 is the whole file.
func (t *Tests) InTests(path string, line int) bool {
	if !t.WroteTest(path) {
		return false
	}
	at := slices.IndexFunc(t.now.Changes.Files, func(f patch.FileChange) bool { return f.Path == path })
	return at < 0 || t.run.Project.Suites.InTests(path, t.now.Changes.Files[at].After, line)
}

// JustTests reports whether a file of the result is unchanged since its tests were written.
func (t *Tests) JustTests(f patch.FileChange) bool {
	return t.Written != nil && slices.ContainsFunc(t.Written.Files, func(old patch.FileChange) bool {
		return old.Path == f.Path && old.After == f.After
	})
}

// SeenRed shows how the tests of the run fail without an implementation; nothing if that was not seen.
func (t *Tests) SeenRed() []prompt.Section {
	var text strings.Builder
	for _, red := range t.Red {
		for i, f := range red.Faults {
			if i == maxSeenRed {
				fmt.Fprintf(&text, "… and %d more\n", len(red.Faults)-i)
				break
			}
			text.WriteString(Condense(retold(f), maxRedFault) + "\n")
		}
	}
	if text.Len() == 0 {
		return nil
	}
	return []prompt.Section{{Kind: prompt.Errors, Name: "Current test failures", Text: strings.TrimRight(text.String(), "\n"), Data: true, Cut: 2}}
}

// DisownedTests returns the tests to rewrite, for the model that writes them.
func (t *Tests) DisownedTests() []prompt.Section {
	if t.Written == nil || !t.Disowned {
		return nil
	}
	return []prompt.Section{{Kind: prompt.Errors, Name: "Tests to rewrite", Text: t.Written.Unified(contextOfTests), Data: true, Cut: 1}}
}

// Restart forgets the state of the tests before they are written again.
func (t *Tests) Restart() { t.FaultyTests, t.Red, t.Unseen, t.Waived = false, nil, false, false }

// Reopen adopts the tests of a draft.
func (t *Tests) Reopen(d Draft) { t.Written, t.Red = d.tests, d.red }

// Keep keeps the tests for all later attempts.
func (t *Tests) Keep(tests patch.ChangeSet) { t.Written = &tests }

// SawRed records how a suite fails without the implementation.
func (t *Tests) SawRed(red integrity.Red) { t.Red = append(t.Red, red) }

// SawPass records the names of tests that pass with the change and did not before.
func (t *Tests) SawPass(suite string, tests []string) {
	t.Red = t.Red.With(integrity.Red{Gate: suite, Tests: tests})
}

// Blame records whether the tests are at fault: then they are rewritten.
func (t *Tests) Blame(faulty bool) { t.FaultyTests = faulty }

// Disown requests new tests for the model that implements the change.
func (t *Tests) Disown() { t.Disowned, t.FaultyTests = true, true }

// Release records findings of the gate regression that the user permits.
func (t *Tests) Release(found []string) { t.Released = Union(t.Released, found) }

// Refuse records findings that the user rejects.
func (t *Tests) Refuse(found []string) { t.Refused = Union(t.Refused, found) }

// CouldNotRun records that the tests were not seen to fail, because they could not run.
func (t *Tests) CouldNotRun() { t.Unseen = true }

// Explain records a model's reason for its tests.
func (t *Tests) Explain(excuse string) { t.Excuse = excuse }

// contextOfTests is the number of lines shown around a run's changes of tests.
const contextOfTests = 3

// The limits for failing tests before there is an implementation: findings of a suite, and bytes of each.
const maxSeenRed, maxRedFault = 8, 500
