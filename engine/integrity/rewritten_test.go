package integrity

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/patch"
)

func TestBase_NameInTheFile(t *testing.T) {
	t.Parallel()
	for test, want := range map[string]string{
		"m/stat.TestSum":                          "TestSum",
		"m/stat.TestSum/of_1.5/x":                 "TestSum",
		"tests.test_stat.test_sum":                "test_sum",
		"tests.test_stat.TestSum.test_sum[a.b-1]": "test_sum",
		"tests/test_stat.py::TestSum::test_sum":   "test_sum",
		"stat.test.ts > Sum > adds 1.5 to [2]":    "adds 1.5 to [2]",
		"semver tests::parses":                    "parses",
		"serde_json::test parses_bytes":           "parses_bytes",
		"serde_json::lexical math::small::adds":   "adds",
		"ExampleSum":                              "ExampleSum",
	} {
		require.Equal(t, want, Base(test), test)
	}
}

const statBefore = `package stat

func TestSum(t *testing.T) {
	if Sum(1, 2) != 3 {
		t.Fatal("sum of two")
	}
}

func TestMean(t *testing.T) {
	check(t, Mean(1, 2), 1.5)
}
`

func TestRewritten_DistinguishesRemovedFromRenamed(t *testing.T) {
	t.Parallel()
	after := `package stat

func TestTotal(t *testing.T) {
	if Total(1, 2) != 3 {
		t.Fatal("sum of two")
	}
}

func TestOther(t *testing.T) {}
`
	r := rewritten(statBefore, after)
	require.True(t, r.Touched("m.TestSum") && r.Touched("m.TestMean/one"))
	require.False(t, r.Touched("m.TestTotal"), "it is new")
	require.True(t, r.Gone("m.TestSum") && r.Gone("m.TestMean"))
	require.True(t, r.Written("m.TestTotal"))
	require.Equal(t, "m.TestTotal", r.Renamed("m.TestSum", []string{"m.TestOther", "m.TestTotal"}))
	require.Empty(t, r.Renamed("m.TestMean", []string{"m.TestOther", "m.TestTotal"}), "its text is in neither")
}

// A test in one line is known again under another name, as one of several lines is.
func TestRewritten_RenamedInOneLine(t *testing.T) {
	t.Parallel()
	const before = "test('old is off', () => assert.equal(new Queue().carries, false));\n"
	renamed := func(after string) string {
		r := Suites{{Gate: "test", IsTest: func(string) bool { return true }}}.Rewritten(patch.ChangeSet{Files: []patch.FileChange{{Path: "q.test.js", Before: before, After: after}}})
		return r.Renamed("q.test.js > old is off", []string{"q.test.js > new is off"})
	}
	require.Equal(t, "q.test.js > new is off", renamed("test('new is off', () => assert.equal(new Queue().carries, false));\n"))
	require.Empty(t, renamed("test('new is off', () => {});\n"), "the twin: it states nothing any more")
}

// node-semver af761c05bd: the new title has the old one as its end.
func TestRewritten_ATitleWithinALongerOneIsAnother(t *testing.T) {
	t.Parallel()
	const before = "test('has a list', (t) => {\n  t.match(semver, {})\n  re.forEach(r => t.match(r, RegExp))\n  t.end()\n})\n"
	const old = "re.js > has a list"
	for title, gone := range map[string]bool{"Semver itself has a list": true, "has a list of tokens": true, "has a list": false} {
		after := strings.Replace(before, "has a list", title, 1)
		r := Suites{{Gate: "test", IsTest: func(string) bool { return true }}}.Rewritten(patch.ChangeSet{Files: []patch.FileChange{{Path: "re.js", Before: before, After: after}}})
		require.Equal(t, gone, r.Gone(old), title)
		if gone {
			require.Equal(t, "re.js > "+title, r.Renamed(old, []string{"re.js > " + title}), title)
		}
	}
}

// A change outside of the given tests is found.
func TestRewritten_Outside(t *testing.T) {
	t.Parallel()
	const before = "fn test_a() {\n    assert(1);\n}\n\nfn test_b() {\n    assert(2);\n}\n"
	outside := func(after string, tests ...string) bool {
		r := Suites{{Gate: "test", IsTest: func(string) bool { return true }}}.Rewritten(patch.ChangeSet{Files: []patch.FileChange{{Path: "lib.rs", Before: before, After: after}}})
		return r.Outside("lib.rs", tests)
	}
	changed := strings.Replace(before, "1", "3", 1)
	require.False(t, outside(changed, "m::test_a"))
	require.True(t, outside(changed), "the twin: no test accounts for it")
	require.True(t, outside(strings.Replace(changed, "assert(2)", "", 1), "m::test_a"), "another test lost a line, too")
	require.True(t, outside(strings.Replace(changed, "fn test_b() {\n    assert(2);\n}\n", "", 1), "m::test_a"), "another test is gone")
}

// A test whose name is computed from a row of a table is a case of the suite around it: another row in its place is another case of it.
func TestRewritten_ComputedNamesAreCasesOfTheirSuite(t *testing.T) {
	t.Parallel()
	const before = `describe("withBase", () => {
  for (const [base, input, out] of [["/", "/", "/"], ["/foo", "/", "/foo"]]) {
    test(JSON.stringify(base) + " + " + JSON.stringify(input), () => expect(withBase(input, base)).toBe(out));
  }
});

describe("other", () => {
  test("stays", () => expect(other()).toBe(1));
});
`
	after := strings.Replace(before, `["/foo", "/", "/foo"]`, `["/foo", "", "/foo"]`, 1)
	r := Suites{{Gate: "test", IsTest: func(string) bool { return true }}}.Rewritten(patch.ChangeSet{Files: []patch.FileChange{{Path: "base.test.ts", Before: before, After: after}}})
	gone, kept, fresh := `base.test.ts > withBase > "/foo" + "/"`, `base.test.ts > withBase > "/" + "/"`, `base.test.ts > withBase > "/foo" + ""`
	require.True(t, r.Touched(gone) && r.Same(gone, fresh) && r.Same(gone, kept))
	require.False(t, r.Gone(gone), "its suite is there")
	require.False(t, r.Same(gone, "base.test.ts > other > stays"), "the twin: a case of another suite")
	require.False(t, r.Same(gone, `else.test.ts > withBase > "/foo" + ""`), "the twin: a suite of another file")
	require.False(t, r.Touched(`else.test.ts > withBase > "/foo" + "/"`))

	promise := Promise{Before: gate.Report{PassedTests: []string{gone, kept, "base.test.ts > other > stays"}}, Rewritten: r}
	_, found := promise.Held(gate.Report{PassedTests: []string{fresh, kept, "base.test.ts > other > stays"}})
	require.Empty(t, found)
	_, found = promise.Held(gate.Report{PassedTests: []string{"base.test.ts > other > stays"}})
	require.Len(t, found, 2, "the twin: no case of the suite is executed any more")
}

// A name that stands in a row of a table as a value is computed all the same.
func TestRewritten_AValueInARowIsNoName(t *testing.T) {
	t.Parallel()
	const before = `describe("join", () => {
  for (const row of [{ input: ["/"], out: "/" }]) {
    test(JSON.stringify(row.input), () => expect(join(...row.input)).toBe(row.out));
  }
});
`
	after := strings.Replace(before, "JSON.stringify(row.input)", "`join(${row.input})`", 1)
	r := Suites{{Gate: "test", IsTest: func(string) bool { return true }}}.Rewritten(patch.ChangeSet{Files: []patch.FileChange{{Path: "join.test.ts", Before: before, After: after}}})
	gone, fresh := `join.test.ts > join > ["/"]`, "join.test.ts > join > join(/)"
	require.True(t, r.Touched(gone) && r.Same(gone, fresh))
}

// A runner that runs out of time reports that like a test, of whatever file it was in.
func TestRewritten_MayHoldTestsOfItsFilesOnly(t *testing.T) {
	t.Parallel()
	suites := Suites{{IsTest: func(path string) bool { return strings.HasSuffix(path, ".test.js") }}}
	r := suites.Rewritten(patch.ChangeSet{Files: []patch.FileChange{{Kind: patch.Create, Path: "lib/sum.test.js", After: "test('adds', () => {})\n"}}})
	require.True(t, r.MayHold("lib/sum.test.js > adds"))
	require.True(t, r.MayHold("lib/sum.test.js > timeout!"))
	require.False(t, r.MayHold("lib/mean.test.js > timeout!"))
}

func TestCovers_IsTheTestOfAFile(t *testing.T) {
	t.Parallel()
	require.True(t, Covers("test/bin/sum.js > sum.js", "test/bin/sum.js > adds > two"))
	require.False(t, Covers("test/bin/sum.js > sum.js", "test/bin/mean.js > adds"))
	require.False(t, Covers("test/bin/sum.js > adds", "test/bin/sum.js > adds > two"))
	require.False(t, Covers("TestSum", "TestSum/two"))
}

func TestAlike_FindsALongTextInALongerOne(t *testing.T) {
	t.Parallel()
	old := []string{"let bytes = from(vec![237, 160]);", "assert_eq!(v, bytes);", "assert!(res.is_err());"}
	more := slices.Repeat([]string{"check(another, value)"}, 40)
	require.True(t, alike(old, slices.Concat(more, old)))
	require.False(t, alike(old[2:], slices.Concat(more, old)), "too short")
	require.False(t, alike(old, more))
}

func TestRewritten_RestatesWhatHasOtherLines(t *testing.T) {
	t.Parallel()
	const before = "def test_a():\n    x = 1\n    assert x\n\n\ndef test_b():\n    y = 1\n    assert y\n"
	suites := Suites{{Gate: "test", IsTest: func(string) bool { return true }}}
	r := suites.Rewritten(patch.ChangeSet{Files: []patch.FileChange{{Path: "test_m.py", Before: before, After: strings.Replace(before, "assert x", "pass", 1)}}})
	require.True(t, r.Restates("test_m.test_a"))
	require.False(t, r.Restates("test_m.test_b"))
}

// A test with another name and another text replaces the removed one in whose place it stands, and no second one.
func TestRewritten_InPlace(t *testing.T) {
	t.Parallel()
	test := func(name, text string) string { return "func Test" + name + "(t *testing.T) {\n\t" + text + "\n}\n\n" }
	first, last := test("First", "first()"), test("Last", "last()")
	limits, alike := test("Limits", "limits(3)"), test("Same", "a(1); b(2); c(3); d(4); e(5)")
	before := []string{"m.TestFirst", "m.TestLimits", "m.TestLimits/one", "m.TestSame", "m.TestLast"}
	now := func(names ...string) (all []string) {
		for _, name := range names {
			all = append(all, "m.Test"+name)
		}
		return all
	}
	depths := test("Depths", "depths(1, 2); more(t)")
	for what, c := range map[string]struct {
		after string
		now   []string
		want  string
	}{
		"one for one":              {first + depths + alike + last, now("First", "Depths", "Same", "Last"), "m.TestDepths"},
		"beside more new ones":     {first + depths + test("More", "more()") + alike + last, now("First", "Depths", "More", "Same", "Last"), "m.TestDepths"},
		"only removed":             {first + alike + last, now("First", "Same", "Last"), ""},
		"a new one elsewhere":      {first + alike + last + depths, now("First", "Same", "Last", "Depths"), ""},
		"a new one that fails":     {first + depths + alike + last, now("First", "Same", "Last"), ""},
		"it replaces another":      {first + test("Renamed", "a(1); b(2); c(3); d(4); e(5)") + last, now("First", "Renamed", "Last"), ""},
		"both replaced":            {first + depths + test("Renamed", "a(1); b(2); c(3); d(4); e(5)") + last, now("First", "Depths", "Renamed", "Last"), "m.TestDepths"},
		"the neighbour above went": {depths + alike + last, now("Depths", "Same", "Last"), ""},
	} {
		r := rewritten(first+limits+alike+last, c.after)
		require.Equal(t, c.want, r.InPlace("m.TestLimits/one", before, c.now), what)
	}
}
