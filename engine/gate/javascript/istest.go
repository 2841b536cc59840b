package javascript

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// testFolders are the folders in which runners look for tests, and which hold what tests read.
var testFolders = []string{"__tests__", "__mocks__", "__snapshots__", "__fixtures__", "test", "tests", "spec", "specs"}

// testName is how test files are named: "a.test.ts", "a-test.mjs", "a.spec.js", "test-a.js", "test.js".
var testName = regexp.MustCompile(`^(?:.+[.\-_](?:test|spec)|test|test-.+)\.[cm]?[jt]sx?$`)

// IsTest reports whether a path, relative to the project, belongs to its tests: a test file by its name, or anything in a folder of
// tests.
func IsTest(file string) bool {
	return isNamedTest(file) || slices.ContainsFunc(strings.Split(path.Dir(file), "/"), func(dir string) bool {
		return slices.Contains(testFolders, dir)
	})
}

func isNamedTest(file string) bool { return testName.MatchString(path.Base(file)) }
