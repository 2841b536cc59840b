package testrun

import (
	"path"
	"slices"
	"strings"

	"forge/engine/gate/tool"
	"forge/internal/lazyregexp"
)

// testFolders are the folders in which runners look for tests, and which hold what tests read.
var testFolders = []string{"__tests__", "__mocks__", "__snapshots__", "__fixtures__", "test", "tests", "spec", "specs"}

// testName is how test files are named: "a.test.ts", "a-test.mjs", "a.spec.js", "test-a.js", "test.js".
var testName = lazyregexp.New(`^(?:.+[.\-_](?:test|spec)|test|test-.+)\.[cm]?[jt]sx?$`)

// IsTest reports whether a path, relative to the project, belongs to its tests: a test file by its name, or anything in a folder of
// tests.
func IsTest(file string) bool {
	return isNamedTest(file) || slices.ContainsFunc(strings.Split(path.Dir(file), "/"), func(dir string) bool {
		return slices.Contains(testFolders, dir)
	})
}

func isNamedTest(file string) bool { return testName.MatchString(path.Base(file)) }

// CodeName is how files of code are named.
var CodeName = lazyregexp.New(`\.[cm]?[jt]sx?$`)

// HoldsTests reports whether a file is code of tests, and not what tests work on.
func HoldsTests(_ *tool.Sources, file string) bool {
	return CodeName.MatchString(file) && IsTest(file) && !strings.Contains(file, "fixture")
}

// made is how folders are called into which a build writes.
var made = lazyregexp.New(`(?:^|/)(?:dist|build|out|distribution|coverage|tmp|temp|\.[^/]+)/`)

// WrittenTests reports whether a file is code of tests that somebody has written, and not what a build makes of it.
func WrittenTests(s *tool.Sources, file string) bool {
	return HoldsTests(s, file) && !made.MatchString(file)
}
