package golang

import (
	"path"
	"slices"
	"strings"
)

// IsTest reports whether a path belongs to the tests of a Go module: a test file, or data in a testdata
// folder.
func IsTest(file string) bool {
	return strings.HasSuffix(file, "_test.go") || slices.Contains(strings.Split(path.Dir(file), "/"), "testdata")
}
