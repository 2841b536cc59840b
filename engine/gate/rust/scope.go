package rust

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/tool"
)

// concerned reports whether files may change what the compiler and tests say: code, manifests, what lies among tests, and what code
// takes in. Of files outside of the project it is any of Rust: packages are named by their paths.
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

// mentioning are the files of Rust in which the name of a file stands.
func mentioning(sources *tool.Sources, base string) []string {
	return sources.Below(".", func(name string) bool {
		return path.Ext(name) == ".rs" && strings.Contains(string(sources.Read(name)), base)
	})
}

func isRust(file string) bool {
	return path.Ext(file) == ".rs" || path.Ext(file) == ".toml" || path.Base(file) == "Cargo.lock"
}

// Concerned is about files of Rust, and settings.
func (*formatGate) Concerned(_ gate.Tree, changed []string) bool {
	return slices.ContainsFunc(changed, func(file string) bool { return filepath.IsLocal(file) && isRust(file) })
}

// Concerned is about what the compiler reads.
func (*compileGate) Concerned(tree gate.Tree, changed []string) bool { return concerned(tree, changed) }

// Concerned is about what the compiler and tests read.
func (*testGate) Concerned(tree gate.Tree, changed []string) bool { return concerned(tree, changed) }
