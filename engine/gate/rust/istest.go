package rust

import (
	"path"
	"slices"
	"strings"
)

// IsTest reports whether a path, relative to the project's root, belongs to its tests: whatever is in a folder of tests
// or benchmarks or of their data, and files that are named as modules of tests are.
//
// Rust's unit tests stand in the files that they test, in `#[cfg(test)] mod tests { … }`. Such a file is code: no change
// could be made to it otherwise. Its tests are kept by other means: a test that was seen red must be executed and pass in the
// end (gate.Report.Held), and the number of tests may not fall. That does not keep a model from weakening an old test in such
// a file: review sees it in the diff. New tests go to files that are frozen as a whole: tests/name.rs, or src/name/tests.rs for what must see private names.
func IsTest(file string) bool {
	base := path.Base(file)
	if base == "tests.rs" || base == "test.rs" || strings.HasSuffix(base, "_test.rs") || strings.HasSuffix(base, "_tests.rs") {
		return true
	}
	return slices.ContainsFunc(strings.Split(path.Dir(file), "/"), func(name string) bool {
		return slices.Contains([]string{"tests", "benches", "testdata", "fixtures"}, name)
	})
}
