package testrun

import (
	"path"
	"slices"
	"strings"
)

// IsTest reports whether a path belongs to the tests of a Python project: a test file by its name, as pytest or Django have it, a conftest.py,
// or anything in a folder of tests.
func IsTest(file string) bool {
	base, parts := path.Base(file), strings.Split(path.Dir(file), "/")
	name, isPython := strings.CutSuffix(base, ".py")
	if isPython && (strings.HasPrefix(name, "test_") || strings.HasSuffix(name, "_test") || strings.HasSuffix(name, "_tests") || name == "conftest") {
		return true
	}
	if isPython && name == "tests" && !slices.Contains(parts, "src") { // a library's code may have a module of that name: src/jinja2/tests.py
		return true
	}
	return slices.ContainsFunc(parts, func(part string) bool { return part == "tests" || part == "test" })
}
