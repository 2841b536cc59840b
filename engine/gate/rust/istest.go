package rust

import (
	"path"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/tool"
)

// IsTest reports whether a path, relative to the project's root, belongs to its tests: any file in a folder of tests or
// benchmarks or of their data, and files named like test modules.
//
// Rust's unit tests are in the files that they test, in `#[cfg(test)] mod tests { … }`. Such a file is code; inline finds
// its tests.
func IsTest(file string) bool {
	base := path.Base(file)
	if base == "tests.rs" || base == "test.rs" || strings.HasSuffix(base, "_test.rs") || strings.HasSuffix(base, "_tests.rs") {
		return true
	}
	return slices.ContainsFunc(strings.Split(path.Dir(file), "/"), func(name string) bool {
		return slices.Contains([]string{"tests", "benches", "testdata", "fixtures"}, name)
	})
}

// holdsTests reports whether a file is code of tests, or contains tests.
func holdsTests(sources *tool.Sources, file string) bool {
	return path.Ext(file) == ".rs" && (IsTest(file) || slices.ContainsFunc(inline(file, string(sources.Read(file))), func(p gate.Part) bool { return !p.Example }))
}
