package golang

import (
	"os"
	"slices"
	"strings"
)

// maxArguments is how long a list of packages may be to be given to a program, in bytes: Windows takes 32 KiB.
const maxArguments = 24_000

// tested leaves out of what go test is given first the packages without tests: it would only compile them, which go build does. Where that leaves
// nothing, or more than can be given, all stay.
func (s selection) tested(first []string) []string {
	var with []string
	for _, p := range s.packages {
		if mayHaveTests(p) && s.far[p.path] == 0 {
			with = append(with, p.path)
		}
	}
	outside := func(path string) bool { return strings.HasPrefix(path, "_") || strings.HasPrefix(path, ".") } // of modules: folders, not paths
	if len(with) == 0 || len(with) == len(s.packages) || len(strings.Join(with, " ")) > maxArguments || slices.ContainsFunc(with, outside) {
		return first
	}
	return with
}

// mayHaveTests reports whether there is a file of tests in the folder of a package, compiled here or not, or the folder cannot be read.
func mayHaveTests(p listed) bool {
	entries, err := os.ReadDir(p.dir)
	return err != nil || slices.ContainsFunc(entries, func(e os.DirEntry) bool { return strings.HasSuffix(e.Name(), "_test.go") })
}
