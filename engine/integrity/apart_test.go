package integrity

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/patch"
)

const goTable = `package fee

import (
	"testing"
)

func TestCharge(t *testing.T) {
	for _, c := range []struct{ in, out int }{
		{in: 2,
			out: 5},
		{in: 3,
			out: 6},
	} {
		check(t, c)
	}
}

func TestNone(t *testing.T) {
	check(t, nil)
}
`

const pyClass = `import unittest

import val


class ValTest(unittest.TestCase):
    def test_lt(self):
        self.assertTrue(val.lt(3)(2))

    @unittest.skipUnless(val.FAST, "slow")
    def test_le(self):
        self.assertTrue(val.le(3)(3))
`

const jsSuite = `import test from 'node:test';

describe('sum', () => {
  it('adds', () => {
    equal(sum(1, 2), 3);
  });
});
`

const rustTests = `use super::*;

#[test]
fn cuts() {
    assert_eq!(cut(3), 1);
}
`

// after puts lines behind the one line that has a text.
func after(text, at, added string) string {
	before, rest, found := strings.Cut(text, at+"\n")
	if !found {
		panic("no such line: " + at)
	}
	return before + at + "\n" + added + rest
}

func TestAlters_IsWhatDoesNotStandApart(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		path, before, after string
		alters              bool
	}{
		"a test at the end":                {"a_test.go", goTable, goTable + "\nfunc TestNew(t *testing.T) {\n\tcheck(t, 1)\n}\n", false},
		"a test between others":            {"a_test.go", goTable, after(goTable, "func TestNone(t *testing.T) {\n\tcheck(t, nil)\n}", "\nfunc TestNew(t *testing.T) {\n\tcheck(t, nil)\n}\n"), false},
		"a test before the last":           {"a_test.go", goTable, strings.Replace(goTable, "func TestNone", "func TestNew(t *testing.T) {\n\tcheck(t, nil)\n}\n\nfunc TestNone", 1), false},
		"an import":                        {"a_test.go", goTable, after(goTable, "import (", "\t\"strconv\"\n"), false},
		"a comment":                        {"a_test.go", goTable, after(goTable, "func TestNone(t *testing.T) {", "\t// none\n"), false},
		"a comment of several lines":       {"a_test.go", goTable, goTable + "\n/* TestNew is new,\nand tests more.\n*/\nfunc TestNew(t *testing.T) {\n}\n", false},
		"a comment around lines":           {"a_test.go", goTable, strings.Replace(goTable, "\tcheck(t, nil)\n", "/*\n\tcheck(t, nil)\n*/\n", 1), true},
		"a constraint of a build":          {"a_test.go", goTable, "//go:build ignore\n\n" + goTable, true},
		"a row":                            {"a_test.go", goTable, after(goTable, "\t\t\tout: 5},", "\t\t{in: 9,\n\t\t\tout: 1},\n"), true},
		"half of two rows":                 {"a_test.go", goTable, after(goTable, "\t\t{in: 2,", "\t\t\tout: 4},\n\t\t{in: 9,\n"), true},
		"a statement":                      {"a_test.go", goTable, after(goTable, "func TestNone(t *testing.T) {", "\treturn\n"), true},
		"a statement between tests":        {"a_test.py", pyClass, after(pyClass, "import val", "val.lt = fake\n"), true},
		"a function that runs before all":  {"a_test.go", goTable, goTable + "\nfunc init() {\n\tcheck = never\n}\n", true},
		"a function of a used name":        {"a_test.py", pyClass, pyClass + "\n    def test_lt(self):\n        pass\n", true},
		"a method at the end":              {"a_test.py", pyClass, pyClass + "\n    def test_ne(self):\n        self.assertTrue(val.ne(3)(2))\n", false},
		"a method between others":          {"a_test.py", pyClass, after(pyClass, "        self.assertTrue(val.lt(3)(2))", "\n    @slow\n    def test_ne(self):\n        self.assertTrue(val.ne(3)(2))\n"), false},
		"a method under a decorator":       {"a_test.py", pyClass, after(pyClass, "    @unittest.skipUnless(val.FAST, \"slow\")", "    def test_ne(self):\n        pass\n\n"), true},
		"a decorator":                      {"a_test.py", pyClass, after(pyClass, "        self.assertTrue(val.lt(3)(2))", "    @slow\n"), true},
		"a method that takes in the lines": {"a_test.py", pyClass, after(pyClass, "    def test_lt(self):", "        def inner():\n            pass\n"), false},
		"a function around the lines":      {"a_test.py", pyClass, strings.Replace(pyClass, "        self.assertTrue(val.lt(3)(2))", "        def inner():\n            self.assertTrue(val.lt(3)(2))", 1), true},
		"a setup":                          {"a_test.py", pyClass, pyClass + "\n    def setUp(self):\n        val.lt = fake\n", true},
		"an import under a used name":      {"a_test.py", pyClass, after(pyClass, "import val", "import fake as val\n"), true},
		"a test with a title":              {"a.test.js", jsSuite, after(jsSuite, "describe('sum', () => {", "  it('adds none', () => {\n    equal(sum(), 0);\n  });\n\n"), false},
		"a test with a used title":         {"a.test.js", jsSuite, after(jsSuite, "describe('sum', () => {", "  it('adds', () => {\n  });\n"), true},
		"what runs before each test":       {"a.test.js", jsSuite, after(jsSuite, "describe('sum', () => {", "  beforeEach(() => {\n    fake();\n  });\n"), true},
		"an assertion":                     {"a.test.js", jsSuite, after(jsSuite, "    equal(sum(1, 2), 3);", "    equal(sum(2, 2), 4);\n"), true},
		"a test with an attribute":         {"a.rs", rustTests, rustTests + "\n#[test]\nfn keeps() {\n    assert_eq!(keep(3), 3);\n}\n", false},
		"an attribute of a test":           {"a.rs", rustTests, after(rustTests, "#[test]", "#[ignore]\n"), true},
		"a line of data":                   {"testdata/a.txt", "a\nb\n", "a\nb\nc\n", true},
		"another indentation":              {"a_test.go", goTable, strings.ReplaceAll(goTable, "\t", "  "), false},
		"a new file":                       {"a_test.go", "", goTable, true},
		"a line less":                      {"a_test.go", goTable, strings.Replace(goTable, "\tcheck(t, nil)\n", "", 1), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.alters, Alters(patch.FileChange{Kind: patch.Update, Path: c.path, Before: c.before, After: c.after}))
		})
	}
	require.False(t, Alters(patch.FileChange{Kind: patch.Create, Path: "a_test.go", After: goTable}))
}
