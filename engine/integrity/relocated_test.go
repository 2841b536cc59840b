package integrity

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/patch"
)

const (
	ageTests = `import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parse, split } from '../src/age.js';

const days = (text) => parse(text).days;

test('splits', () => {
  assert.deepEqual(split('1w 2d'), ['1w', '2d']);
});

test('reads days', () => {
  assert.equal(days('1w'), 7);
});
`
	ageTest = "test/age.test.js"
)

// movedImport is the test file after the function split has moved.
var movedImport = strings.Replace(ageTests, "import { parse, split } from '../src/age.js';", "import { parse } from '../src/age.js';\nimport { split } from '../src/split.js';", 1)

// relocation is a change of tests, and what was seen of them.
type relocation struct {
	files []patch.FileChange
	runs  Runs
}

var suitesOfTests = Suites{{Gate: "test", IsTest: func(path string) bool { return strings.HasPrefix(path, "test") }}}

func (c relocation) relocated(test string) bool {
	return suitesOfTests.Rewritten(patch.ChangeSet{Files: c.files}).Relocated(test, c.runs)
}

func fault(path string, line int, message string) gate.Finding {
	return gate.Finding{Path: path, Line: line, Severity: gate.SeverityError, Message: message}
}

// ofAge is a change of the test file after which its tests pass.
func ofAge(after string) relocation {
	return relocation{
		files: []patch.FileChange{{Kind: patch.Update, Path: ageTest, Before: ageTests, After: after}},
		runs: Runs{
			Held:     []string{ageTest + " > splits", ageTest + " > reads days"},
			Original: []gate.Finding{fault(ageTest, 4, "SyntaxError: The requested module '../src/age.js' does not provide an export named 'split'")},
			New:      []gate.Finding{fault(ageTest, 5, "Error [ERR_MODULE_NOT_FOUND]: Cannot find module 'src/split.js' imported from test/age.test.js")},
		},
	}
}

func TestRelocated_IsATestThatImportsFromElsewhere(t *testing.T) {
	t.Parallel()
	const splits = ageTest + " > splits"
	require.True(t, ofAge(movedImport).relocated(splits))
	require.False(t, ofAge(movedImport).relocated(ageTest+" > reads days"), "it does not import what has moved, so it runs as it was")

	two := ofAge(strings.Replace(ageTests, "{ parse, split } from '../src/age.js'", "{ parse, split } from '../src/split.js'", 1))
	two.runs.New[0].Line = 4
	require.True(t, two.relocated(splits))
	require.True(t, two.relocated(ageTest+" > reads days"), "it imports by what it uses; only the first missing name is reported")

	undefined := ofAge(movedImport) // as in CommonJS
	undefined.runs.Original = []gate.Finding{{Path: ageTest, Line: 9, Test: splits, Message: "TypeError: split is not a function"}}
	require.True(t, undefined.relocated(splits))

	into := ofAge(strings.Replace(ageTests, "test('splits', () => {\n  assert.deepEqual(split('1w 2d'), ['1w', '2d']);\n});\n", "", 1))
	into.files[0].After = strings.Replace(into.files[0].After, "parse, split", "parse", 1)
	into.files = append(into.files, patch.FileChange{Kind: patch.Create, Path: "test/split.test.js", After: `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { split } from '../src/split.js';

const none = (text) => split(text).length === 0;

test('splits', () => {
  assert.deepEqual(split('1w 2d'), ['1w', '2d']);
});

test('splits nothing', () => assert.ok(none('')));
`})
	into.runs.Held = []string{ageTest + " > reads days", "test/split.test.js > splits", "test/split.test.js > splits nothing"}
	into.runs.New = []gate.Finding{fault("test/split.test.js", 3, "Cannot find module '../src/split.js' from 'test/split.test.js'")}
	require.True(t, into.relocated(splits), "it has moved into another file")
	into.files[1].After = strings.Replace(into.files[1].After, "['1w', '2d']", "split('1w 2d')", 1)
	require.False(t, into.relocated(splits), "its lines differ")
}

func TestRelocated_OfPython(t *testing.T) {
	t.Parallel()
	const file, splits = "tests/test_age.py", "tests.test_age.AgeTest.test_splits"
	const before = `import unittest

from ferry.age import days, split


class AgeTest(unittest.TestCase):
    def setUp(self):
        self.text = "1w 2d"

    def test_splits(self):
        self.assertEqual(split(self.text), ["1w", "2d"])

    def test_days(self):
        self.assertEqual(days(self.text), 9)
`
	change := func(from, to string) relocation {
		return relocation{
			files: []patch.FileChange{{Kind: patch.Update, Path: file, Before: before, After: strings.Replace(
				strings.Replace(before, "from ferry.age import days, split", "from ferry.age import days\nfrom ferry.text import split", 1), from, to, 1)}},
			runs: Runs{
				Held:     []string{splits, "tests.test_age.AgeTest.test_days"},
				Original: []gate.Finding{fault(file, 3, "ImportError: cannot import name 'split' from 'ferry.age' (ferry/age.py)")},
				New:      []gate.Finding{fault(file, 4, "ModuleNotFoundError: No module named 'ferry.text'")},
			},
		}
	}
	require.True(t, change("", "").relocated(splits))
	require.False(t, change(`"1w 2d"`, `""`).relocated(splits), "what runs before it differs")
	require.False(t, change("    def test_splits", "    @unittest.skip\n    def test_splits").relocated(splits))
	require.False(t, change("AgeTest(unittest.TestCase)", "AgeTest(Lenient)").relocated(splits))

	circular := change("", "")
	circular.runs.Original[0].Message = "ImportError: cannot import name 'split' from partially initialized module 'ferry.age' (most likely due to a circular import)"
	require.False(t, circular.relocated(splits))
	absent := change("", "")
	absent.runs.New[0].Message = "ModuleNotFoundError: No module named 'yaml'"
	require.False(t, absent.relocated(splits), "a package that the code imports is not installed")
}

// A weakened test does not count as one that imports from elsewhere.
func TestRelocated_IsNoWeakenedTest(t *testing.T) {
	t.Parallel()
	const splits = ageTest + " > splits"
	replaced := func(from, to string) relocation {
		after := strings.Replace(movedImport, from, to, 1)
		if after == movedImport {
			panic("no such text: " + from)
		}
		return ofAge(after)
	}
	with := func(c relocation, edit func(*relocation)) relocation {
		edit(&c)
		return c
	}
	add := func(path, text string) relocation {
		return with(ofAge(movedImport), func(c *relocation) {
			c.files = append(c.files, patch.FileChange{Kind: patch.Create, Path: path, After: text})
		})
	}
	original := func(f gate.Finding) relocation {
		return with(ofAge(movedImport), func(c *relocation) { c.runs.Original = []gate.Finding{f} })
	}
	fresh := func(f gate.Finding) relocation {
		return with(ofAge(movedImport), func(c *relocation) { c.runs.New = []gate.Finding{f} })
	}
	for what, c := range map[string]relocation{
		"its lines differ":                                        replaced("['1w', '2d']", "split('1w 2d')"),
		"a line of it is gone":                                    replaced("  assert.deepEqual(split('1w 2d'), ['1w', '2d']);\n", ""),
		"it is skipped":                                           replaced("test('splits', ()", "test('splits', { skip: true }, ()"),
		"an import of a fake beside the tests":                    replaced("'../src/split.js'", "'./fake.js'"),
		"an import of a fake in a test file":                      with(replaced("'../src/split.js'", "'./age.test.js'"), func(c *relocation) { c.runs.New[0].Message = "Cannot find module './age.test.js'" }),
		"a fake is written beside the tests":                      add("test/fake.js", "import '../src/split.js';\nexport const split = () => ['1w', '2d'];\n"),
		"settings are written beside":                             add("tests/conftest.py", "# splits\n"),
		"a snapshot is written beside":                            add("test/__snapshots__/age.test.js.snap", "exports[`splits`] = ``;\n"),
		"the assertions come from elsewhere":                      replaced("'node:assert/strict'", "'../src/split.js'"),
		"the assertions are weaker":                               replaced("'node:assert/strict'", "'node:assert'"),
		"another name is imported":                                replaced("{ split }", "{ anything as split }"),
		"a name is declared in its place":                         replaced("import { split } from '../src/split.js';", "import { parts } from '../src/split.js';\nconst split = (text) => ['1w', '2d'];"),
		"a statement runs before it":                              replaced("const days", "assert.deepEqual = () => {};\nconst days"),
		"a declaration does more":                                 replaced("const days", "const none = (assert.deepEqual = () => {});\nconst days"),
		"a call of a declaration does more":                       replaced("const days", "const none = weaken(assert);\nconst days"),
		"a hook runs before it":                                   replaced("const days", "beforeEach(() => { weaken(assert); });\nconst days"),
		"the original ran, and failed":                            original(gate.Finding{Path: ageTest, Line: 9, Test: splits, Message: "AssertionError: Expected values to be strictly deep-equal"}),
		"the original did not load, as the code does not compile": original(fault("src/age.js", 3, "SyntaxError: Unexpected token '}'")),
		"an import of code failed":                                original(fault("src/index.js", 1, "SyntaxError: The requested module './age.js' does not provide an export named 'split'")),
		"a package is not installed":                              original(fault(ageTest, 1, "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'yaml' imported from src/age.js")),
		"another module is missing":                               original(fault(ageTest, 4, "Error [ERR_MODULE_NOT_FOUND]: Cannot find module 'src/else.js' imported from test/age.test.js")),
		"another import failed":                                   original(fault(ageTest, 1, "SyntaxError: The requested module '../src/age.js' does not provide an export named 'split'")),
		"its place is a guess":                                    original(gate.Finding{Path: ageTest, Line: 4, Inferred: true, Message: "SyntaxError: The requested module '../src/age.js' does not provide an export named 'split'"}),
		"the new one loads on the old code":                       fresh(gate.Finding{Path: ageTest, Line: 9, Test: splits, Message: "AssertionError: Expected values to be strictly deep-equal"}),
		"the new one was not run there":                           with(ofAge(movedImport), func(c *relocation) { c.runs.New = nil }),
		"it does not pass":                                        with(ofAge(movedImport), func(c *relocation) { c.runs.Held = c.runs.Held[1:] }),
	} {
		require.False(t, c.relocated(splits), what)
	}

	two := ofAge(strings.Replace(ageTests, "{ parse, split } from '../src/age.js'", "{ parse, split } from '../src/lenient.js'", 1))
	two.runs.New = []gate.Finding{fault(ageTest, 4, "SyntaxError: The requested module '../src/lenient.js' does not provide an export named 'parse'")}
	require.False(t, two.relocated(splits), "the module was there, and may have had a function of that name")
}

// A test that uses something of its own in the place of what it imported was not seen to fail for what it states.
func TestSubstitutes_WhatATestImported(t *testing.T) {
	t.Parallel()
	const splits, days = ageTest + " > splits", ageTest + " > reads days"
	for what, c := range map[string]struct {
		from, to string // in the changed file
		beside   string // a new file
		is       bool
	}{
		"a new file beside it":            {"'../src/split.js'", "'./parts.js'", "test/parts.js", true},
		"a new folder, by an alias":       {"'../src/split.js'", "'@/test/parts'", "test/parts/index.ts", true},
		"a declaration":                   {"import { split } from '../src/split.js';", "const split = (text) => ['1w', '2d'];", "", true},
		"a declaration of several":        {"import { split } from '../src/split.js';", "const {\n  split,\n} = { split: null };", "", true},
		"a function":                      {"import { split } from '../src/split.js';", "function split() { return parts(); }", "", true},
		"code from elsewhere":             {"x", "x", "", false},
		"a helper beside it that was not": {"const days", "import { none } from './parts.js';\nconst days", "test/parts.js", false},
		"an older helper":                 {"'../src/split.js'", "'./parts.js'", "", false},
		"a name that is a global one now": {"import { test } from 'node:test';\n", "", "", false},
	} {
		change := ofAge(strings.Replace(movedImport, c.from, c.to, 1))
		if c.beside != "" {
			change.files = append(change.files, patch.FileChange{Kind: patch.Create, Path: c.beside, After: "export const split = () => ['1w', '2d'];\n"})
		}
		r := suitesOfTests.Rewritten(patch.ChangeSet{Files: change.files})
		require.Equal(t, c.is, r.Substitutes(splits), what)
		require.False(t, r.Substitutes(days), what)
	}
}
