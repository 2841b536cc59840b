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

	pythonTests = `import unittest

from ferry.age import days, split


class AgeTest(unittest.TestCase):
    def test_splits(self):
        self.assertEqual(split("1w 2d"), ["1w", "2d"])
`
	pythonTest = "tests/test_age.py"
)

var suitesOfTests = Suites{{Gate: "test", IsTest: func(path string) bool { return strings.HasPrefix(path, "test") }}}

// rewrittenTo is a change of a test file, with other new test files.
func rewrittenTo(path, before, after string, others ...string) Rewritten {
	files := []patch.FileChange{{Kind: patch.Update, Path: path, Before: before, After: after}}
	for _, code := range []string{"src/age.js", "src/split.js", "src/check.js", "ferry/age.py", "ferry/text.py"} {
		files = append(files, patch.FileChange{Kind: patch.Update, Path: code, Before: "a", After: "b"})
	}
	for _, other := range others {
		files = append(files, patch.FileChange{Kind: patch.Create, Path: other, After: "export function split() {}\n"})
	}
	return suitesOfTests.Rewritten(patch.ChangeSet{Files: files})
}

func TestRelocated_OnlyWhereItImportsFromDiffers(t *testing.T) {
	t.Parallel()
	const imports, moved = "import { parse, split } from '../src/age.js';", "import { parse } from '../src/age.js';\nimport { split } from '../src/split.js';"
	other := strings.Replace(ageTests, imports, moved, 1)
	for name, c := range map[string]struct {
		after     string
		others    []string
		relocated bool
	}{
		"moved":                        {other, nil, true},
		"with a new test":              {other + "\ntest('splits nothing', () => {\n  assert.deepEqual(split(''), []);\n});\n", nil, true},
		"unused import is gone":        {strings.Replace(other, "import { test } from 'node:test';\n", "import { test } from 'node:test';\nimport { join } from '../src/split.js';\n", 1), nil, true},
		"all from one new module":      {strings.Replace(ageTests, "'../src/age.js'", "'../src/split.js'", 1), nil, true},
		"nothing moved":                {ageTests + "\ntest('splits', () => {});\n", nil, false},
		"a line of the test differs":   {strings.Replace(other, "['1w', '2d']", "split('1w 2d')", 1), nil, false},
		"a helper differs":             {strings.Replace(other, "parse(text).days", "7", 1), nil, false},
		"another name under that name": {strings.Replace(other, "{ split }", "{ fake as split }", 1), nil, false},
		"declared instead":             {strings.Replace(ageTests, imports, "import { parse } from '../src/age.js';\nconst split = () => ['1w', '2d'];", 1), nil, false},
		"from a new test file":         {strings.Replace(other, "'../src/split.js'", "'./split.js'", 1), []string{"test/split.js"}, false},
		"beside a new test file":       {other, []string{"test/other.js"}, true},
		"from a file that stays":       {strings.Replace(other, "'../src/split.js'", "'../src/other.js'", 1), nil, false},
		"what is not of the change":    {strings.Replace(other, "from 'node:assert/strict'", "from '../src/check.js'", 1), nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.relocated, rewrittenTo(ageTest, ageTests, c.after, c.others...).Relocated(ageTest+" > splits"))
		})
	}
}

func TestRelocated_InPython(t *testing.T) {
	t.Parallel()
	moved := strings.Replace(pythonTests, "from ferry.age import days, split\n", "from ferry.age import days\nfrom ferry.text import split\n", 1)
	const splits = "tests.test_age.AgeTest.test_splits"
	require.True(t, rewrittenTo(pythonTest, pythonTests, moved).Relocated(splits))
	require.False(t, rewrittenTo(pythonTest, pythonTests, strings.Replace(moved, `["1w", "2d"]`, "split(\"1w 2d\")", 1)).Relocated(splits))
	require.False(t, rewrittenTo(pythonTest, pythonTests, strings.Replace(moved, "ferry.text", "tests.fakes", 1), "tests/fakes.py").Relocated(splits))
}

func TestSubstitutes_SomethingElseIsUsedUnderTheName(t *testing.T) {
	t.Parallel()
	const splits = ageTest + " > splits"
	fake := strings.Replace(ageTests, "import { parse, split } from '../src/age.js';", "import { parse } from '../src/age.js';\nimport { split } from './fakes.js';", 1)
	require.True(t, rewrittenTo(ageTest, ageTests, fake, "test/fakes.js").Substitutes(splits))
	require.True(t, rewrittenTo(ageTest, ageTests, strings.Replace(fake, "import { split } from './fakes.js';", "const split = () => [];", 1)).Substitutes(splits))
	require.False(t, rewrittenTo(ageTest, ageTests, strings.Replace(fake, "./fakes.js", "../src/split.js", 1)).Substitutes(splits))
	require.False(t, rewrittenTo(ageTest, ageTests, strings.Replace(ageTests, "['1w', '2d']", "['1w']", 1), "test/fakes.js").Substitutes(splits))
}

func TestIsAbsence_SomethingImportedDoesNotExist(t *testing.T) {
	t.Parallel()
	for message, is := range map[string]bool{
		"SyntaxError: The requested module '../src/age.js' does not provide an export named 'split'": true,
		"Error [ERR_MODULE_NOT_FOUND]: Cannot find module 'src/split.js' imported from a.test.js":    true,
		"ImportError: cannot import name 'split' from 'ferry.age' (ferry/age.py)":                    true,
		"ModuleNotFoundError: No module named 'ferry.age'":                                           true,
		"SyntaxError: Unexpected token '}'":                                                          false,
		"TypeError: split is not a function\nCannot find module 'x'":                                 false,
	} {
		require.Equal(t, is, IsAbsence(gate.Finding{Path: ageTest, Message: message}), message)
	}
	require.False(t, IsAbsence(gate.Finding{Path: ageTest, Test: "splits", Message: "No module named 'ferry'"}))
}
