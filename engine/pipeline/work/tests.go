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
	Agreed   []string         // existing tests of which the user agreed that they change
	Refused  []string         // those that the user rejects
	denied   []string         // the tests that these are about: only a user may permit what is to become of them, no default
	// FaultyTests is set if the tests themselves are at fault, so that their author writes them again although tests are frozen. It holds
	// until other tests are kept.
	FaultyTests bool
	CodeToo     bool // not only the tests are at fault
	HandedBack  bool // it is not review that finds them at fault, but the implementation, or the user
	// Disowned is set once the implementation has called a test wrong; a second time the user is asked.
	Disowned     bool
	reconsidered int   // attempts that ended because the user has answered what a model says of a test
	accepted     *seen // of Written, while it is written again
	Unseen       bool  // the tests could not be run before there was an implementation
	Waived       bool  // the user has said that the change needs none
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

// seen is how tests failed without the implementation.
type seen struct {
	red            integrity.Reds
	unseen, waived bool
}

// Restart forgets how the tests failed before they are written again.
func (t *Tests) Restart() {
	if t.Written != nil && t.accepted == nil {
		t.accepted = &seen{t.Red, t.Unseen, t.Waived}
	}
	t.Red, t.Unseen, t.Waived = nil, false, false
}

// MayStand reports whether their author may leave tests as they are that were handed back.
func (t *Tests) MayStand() bool { return t.HandedBack && t.Written != nil && len(t.Written.Files) > 0 }

// Stand keeps the tests as they are, instead of other ones.
func (t *Tests) Stand() {
	t.Red, t.Unseen, t.Waived = t.accepted.red, t.accepted.unseen, t.accepted.waived
	t.Keep(*t.Written)
}

// Reopen adopts the tests of a draft.
func (t *Tests) Reopen(d Draft) { t.Written, t.Red = d.tests, d.red }

// Keep keeps the tests for all later attempts.
func (t *Tests) Keep(tests patch.ChangeSet) {
	t.Written, t.FaultyTests, t.CodeToo, t.HandedBack, t.accepted = &tests, false, false, false, nil
}

// SawRed records how a suite fails without the implementation.
func (t *Tests) SawRed(red integrity.Red) { t.Red = append(t.Red, red) }

// SawPass records the names of tests that pass with the change and did not before.
func (t *Tests) SawPass(suite string, tests []string) {
	t.Red = t.Red.With(integrity.Red{Gate: suite, Tests: tests})
}

// Blame records whether the tests are at fault: then they are rewritten. codeToo is set if they are not the only fault.
func (t *Tests) Blame(faulty, codeToo bool) {
	t.FaultyTests, t.CodeToo, t.HandedBack = faulty, codeToo, false
}

// Disown hands the tests back for the model that implements the change.
func (t *Tests) Disown() { t.Disowned, t.FaultyTests, t.HandedBack = true, true, true }

// Reconsider hands the tests back after an answer of the user.
func (t *Tests) Reconsider() {
	t.Disown()
	t.reconsidered++
}

// Release records findings of the gate regression that the user permits.
func (t *Tests) Release(found []string) { t.Released = Union(t.Released, found) }

// Agree records existing tests of which the user agreed that they change.
func (t *Tests) Agree(tests []string) { t.Agreed = Union(t.Agreed, tests) }

// Agreements names, for the reviewer, the existing tests of which the user agreed that they change, in this module or before it; nothing if
// there are none.
func (t *Tests) Agreements() []prompt.Section {
	tests := Union(t.begin.Earlier.agreed, t.Agreed)
	if len(tests) == 0 {
		return nil
	}
	text := Shorten("- "+strings.Join(tests, "\n- "), MaxDigest)
	return []prompt.Section{{Kind: prompt.Errors, Name: "Existing tests: the user agreed that these change", Text: text, Data: true}}
}

// Refuse records that the user rejects findings about tests, or finding by finding if they name none. They are not asked about again.
func (t *Tests) Refuse(found, tests []string) {
	t.Refused = Union(t.Refused, found)
	t.Deny(tests)
}

// Deny records tests about which the user has not consented.
func (t *Tests) Deny(tests []string) { t.denied = Union(t.denied, tests) }

// Denied reports whether the user has refused what a change makes of one of these tests, of a case of it, or of the test that it is a case of, in
// this module or before it.
func (t *Tests) Denied(tests []string) bool {
	denied := Union(t.begin.Earlier.denied, t.denied)
	return slices.ContainsFunc(tests, func(test string) bool {
		return slices.ContainsFunc(denied, func(other string) bool {
			return test == other || strings.HasPrefix(test, other+"/") || strings.HasPrefix(other, test+"/")
		})
	})
}

// CouldNotRun records that the tests were not seen to fail, because they could not run.
func (t *Tests) CouldNotRun() { t.Unseen = true }

// Explain records a model's reason for its tests.
func (t *Tests) Explain(excuse string) { t.Excuse = excuse }

// The limits for failing tests before there is an implementation: findings of a suite, and bytes of each.
const maxSeenRed, maxRedFault = 8, 500
