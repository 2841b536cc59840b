package rust

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/tool"
)

// concerned reports whether files may affect the compiler and tests: code, manifests, files next to tests, and files that code
// includes. Outside of the project, any Rust file counts, because dependencies may be paths.
func concerned(tree gate.Tree, changed []string) bool {
	sources := tool.SourcesOf(tree)
	return slices.ContainsFunc(changed, func(file string) bool { return isRead(sources, file) })
}

// isRead reports whether the compiler or a test may read a file.
func isRead(sources *tool.Sources, file string) bool {
	switch base := path.Base(file); {
	case isRust(file):
		return true
	case !filepath.IsLocal(file):
		return false
	case IsTest(file) || strings.Contains("/"+file, "/testdata/"), base == "rust-toolchain", base == "clippy.toml":
		return true
	default:
		return len(mentioning(sources, base)) > 0
	}
}

// mentioning returns the Rust files that contain the name of a file.
func mentioning(sources *tool.Sources, base string) []string {
	return sources.Below(".", func(name string) bool {
		return path.Ext(name) == ".rs" && strings.Contains(string(sources.Read(name)), base)
	})
}

func isRust(file string) bool {
	return path.Ext(file) == ".rs" || path.Ext(file) == ".toml" || path.Base(file) == "Cargo.lock"
}

// Concerned reports whether Rust files or settings changed.
func (*formatGate) Concerned(_ gate.Tree, changed []string) bool {
	return slices.ContainsFunc(changed, func(file string) bool { return filepath.IsLocal(file) && isRust(file) })
}

// Concerned reports whether files that the compiler reads changed.
func (*compileGate) Concerned(tree gate.Tree, changed []string) bool { return concerned(tree, changed) }

// Concerned reports whether files that the compiler and tests read changed.
func (*testGate) Concerned(tree gate.Tree, changed []string) bool { return concerned(tree, changed) }

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
