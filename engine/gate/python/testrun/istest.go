package testrun

import (
	"path"
	"slices"
	"strings"
)

// IsTest reports whether a path belongs to the tests of a Python project: a test file by its name, as pytest or Django have it, a conftest.py,
// or anything in a folder of tests.
func IsTest(file string) bool {
	dir, base := path.Dir(file), path.Base(file)
	name, isPython := strings.CutSuffix(base, ".py")
	if isPython && (strings.HasPrefix(name, "test_") || strings.HasSuffix(name, "_test") || strings.HasSuffix(name, "_tests") || name == "tests" || name == "conftest") {
		return true
	}
	return slices.ContainsFunc(strings.Split(dir, "/"), func(part string) bool { return part == "tests" || part == "test" })
}
