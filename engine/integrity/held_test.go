package integrity

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/patch"
)

func messages(found []gate.Finding) (all []string) {
	for _, f := range found {
		all = append(all, f.Message)
	}
	return all
}

// rewritten is a change of the only file with tests.
func rewritten(before, after string) Rewritten {
	all := Suites{{Gate: "test", IsTest: func(string) bool { return true }}}
	return all.Rewritten(patch.ChangeSet{Files: []patch.FileChange{{Path: "t", Before: before, After: after}}})
}

// Each promise is broken by one thing alone, and kept by its twin.
func TestHeld_Promises(t *testing.T) {
	t.Parallel()
	before := gate.Report{Gate: "test", Verdict: gate.Pass, Tests: true, Executed: 2, Passed: 2, PassedTests: []string{"old", "port 80"}}
	after := func(held ...string) gate.Report {
		return gate.Report{Gate: "test", Verdict: gate.Pass, Tests: true, Executed: len(held), Passed: len(held), PassedTests: held}
	}
	counted := func(n int) gate.Report {
		return gate.Report{Gate: "test", Verdict: gate.Pass, Tests: true, Executed: n, Passed: n}
	}
	const nothingNew = "no test passes now that did not pass before the change"
	for name, c := range map[string]struct {
		promise Promise
		after   gate.Report
		found   []string
	}{
		"all passes":                                     {Promise{Before: before, Red: []string{"new"}}, after("old", "port 80", "new"), nil},
		"what was red is not executed":                   {Promise{Before: before, Red: []string{"new"}}, after("old", "port 80"), []string{"new was seen to fail before the change, and was not executed with it, or does not pass"}},
		"what passed is not executed":                    {Promise{Before: before}, after("old"), []string{"port 80 passed before the change, and is not executed any more, or does not pass"}},
		"a number is another":                            {Promise{Before: before}, after("old", "port 8080"), nil},
		"an address is another":                          {Promise{Before: gate.Report{PassedTests: []string{"old", "set/0x2a026c1356a0"}}}, after("old", "set/0x1f3f6c00d7e8"), nil},
		"one address fewer":                              {Promise{Before: gate.Report{PassedTests: []string{"set/0x2a026c1356a0", "set/0x2a026c1356c0"}}}, after("set/0x1f3f6c00d7e8"), []string{"set/0x2a026c1356c0 passed before the change, and is not executed any more, or does not pass"}},
		"the address of one that was red":                {Promise{Red: []string{"new/0x2a026c1356a0"}}, after("new/0x1f3f6c00d7e8"), nil},
		"an address is nothing new":                      {Promise{Known: []string{"set/0x2a026c1356a0"}, MustBring: true}, after("set/0x1f3f6c00d7e8"), []string{nothingNew}},
		"it was changed with a reason":                   {Promise{Before: before, Rewritten: rewritten("case: port 80", "")}, after("old"), nil},
		"what the task names fails":                      {Promise{Wanted: []string{"fee"}}, after("old"), []string{"fee failed before the change, the task names it, and it still does not pass"}},
		"nothing new":                                    {Promise{Before: before, Known: before.PassedTests, MustBring: true}, after("old", "port 80"), []string{nothingNew}},
		"one that was red":                               {Promise{Before: before, Known: before.PassedTests, New: []string{"old"}, MustBring: true}, after("old", "port 80"), nil},
		"one more by number":                             {Promise{Before: counted(2), MustBring: true}, counted(3), nil},
		"as many by number":                              {Promise{Before: counted(2), MustBring: true, WasRed: true}, counted(2), []string{nothingNew}},
		"one changed test leaves the others":             {Promise{Before: before, Rewritten: rewritten("case: port 80", "")}, after("port 80"), []string{"old passed before the change, and is not executed any more, or does not pass"}},
		"what did not compile, in a file that was there": {Promise{Before: before, Known: before.PassedTests, MustBring: true, Broken: true, Rewritten: rewritten("case: old 1", "case: old 2")}, after("old", "port 80"), nil},
		"what did not compile is not executed":           {Promise{Before: before, Known: before.PassedTests, MustBring: true, Broken: true, Rewritten: rewritten("case: other 1", "case: other 2")}, after("old", "port 80"), []string{nothingNew}},
		"as many, and some changed":                      {Promise{Before: counted(2), MustBring: true, WasRed: true, Rewritten: rewritten("a", "b")}, counted(2), nil},
		"neither names nor numbers":                      {Promise{Red: []string{"new"}, MustBring: true}, gate.Report{Verdict: gate.Pass}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			executed, found := c.promise.Held(c.after)
			require.Equal(t, c.found, messages(found))
			require.GreaterOrEqual(t, executed, len(found))
		})
	}
}

func TestHeld_TestsAsTheyWere(t *testing.T) {
	t.Parallel()
	named := gate.Report{Gate: "test", Verdict: gate.Pass, PassedTests: []string{"one", "two"}}
	unnamed := gate.Report{Gate: "test", Verdict: gate.Pass}
	for name, c := range map[string]struct {
		before, after gate.Report
		found         []string
	}{
		"all pass":           {named, named, nil},
		"one does not":       {named, gate.Report{Verdict: gate.Fail, PassedTests: []string{"one"}}, []string{"two passes as it is today, and would fail with this change"}},
		"without names":      {unnamed, gate.Report{Verdict: gate.Fail}, []string{"the tests of test pass as they are today, and would fail with this change"}},
		"they pass, unnamed": {unnamed, unnamed, nil},
		"they cannot be run": {named, gate.Report{Verdict: gate.Error, Summary: "it does not compile"}, []string{"the tests of test pass as they are today, and could not be run with this change: it does not compile"}},
		"they were not run":  {unnamed, gate.Report{Verdict: gate.NotRun, Summary: "nothing to run"}, []string{"the tests of test pass as they are today, and could not be run with this change: nothing to run"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, found := Kept(c.before, c.after)
			require.Equal(t, c.found, messages(found))
		})
	}
}

// A file of tests that is moved away is a change of its suite.
func TestHeld_AMovedTestIsOfItsSuite(t *testing.T) {
	t.Parallel()
	all := Suites{{Gate: "test", IsTest: func(path string) bool { return path == "a_test" }}}
	moved := patch.FileChange{Kind: patch.Move, From: "a_test", Path: "a.txt", Before: "one", After: "one"}
	require.True(t, all.Lose(moved))
	require.Len(t, all.In(patch.ChangeSet{Files: []patch.FileChange{moved}}), 1)
	require.Empty(t, all.In(patch.ChangeSet{Files: []patch.FileChange{{Kind: patch.Update, Path: "a"}}}))
}

// Cases whose names differ in a number only are tests of their own: one that passes does not stand for another that fails, or is gone.
func TestKept_NumberedCasesAreTestsOfTheirOwn(t *testing.T) {
	t.Parallel()
	before := gate.Report{Gate: "test", PassedTests: []string{"TestFee/200", "TestFee/5"}}
	_, found := Kept(before, gate.Report{Verdict: gate.Fail, PassedTests: []string{"TestFee/200"}, Findings: []gate.Finding{{Test: "TestFee/5"}}})
	require.Len(t, found, 1)
	require.Equal(t, "TestFee/5", found[0].Test)
	_, found = Kept(before, gate.Report{Verdict: gate.Pass, PassedTests: []string{"TestFee/200"}})
	require.Len(t, found, 1, "it is not executed any more")
	_, found = Kept(before, gate.Report{Verdict: gate.Pass, PassedTests: []string{"TestFee/200", "TestFee/6"}})
	require.Empty(t, found, "the twin: the number is another one, as that of a port is")
	_, found = Kept(before, gate.Report{Verdict: gate.Fail, PassedTests: []string{"TestFee/200", "TestFee/6"}, Findings: []gate.Finding{{Test: "TestFee/5"}}})
	require.Len(t, found, 1, "what fails is not replaced by what passes")
}
