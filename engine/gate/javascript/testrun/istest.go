package testrun

import (
	"path"
	"slices"
	"strings"

	"forge/engine/gate/tool"
	"forge/internal/lazyregexp"
)

// testFolders are the folders in which runners search for tests, and folders with data of tests.
var testFolders = []string{"__tests__", "__mocks__", "__snapshots__", "__fixtures__", "test", "tests", "spec", "specs"}

// testName matches names of test files: "a.test.ts", "a-test.mjs", "a.spec.js", "test-a.js", "test.js".
var testName = lazyregexp.New(`^(?:.+[.\-_](?:test|spec)|test|test-.+)\.[cm]?[jt]sx?$`)

// IsTest reports whether a path, relative to the project, belongs to its tests: a test file by its name, or any file in a test
// folder.
func IsTest(file string) bool {
	return isNamedTest(file) || slices.ContainsFunc(strings.Split(path.Dir(file), "/"), func(dir string) bool {
		return slices.Contains(testFolders, dir)
	})
}

func isNamedTest(file string) bool { return testName.MatchString(path.Base(file)) }

// CodeName matches names of source files.
var CodeName = lazyregexp.New(`\.[cm]?[jt]sx?$`)

// HoldsTests reports whether a file is code of tests, and not data.
func HoldsTests(_ *tool.Sources, file string) bool {
	return CodeName.MatchString(file) && IsTest(file) && !strings.Contains(file, "fixture")
}

// made matches the output folders of builds.
var made = lazyregexp.New(`(?:^|/)(?:dist|build|out|distribution|coverage|tmp|temp|\.[^/]+)/`)

// WrittenTests reports whether a file is handwritten code of tests, and not the output of a build.
func WrittenTests(s *tool.Sources, file string) bool {
	return HoldsTests(s, file) && !made.MatchString(file)
}
