package rust

import (
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// manifest has the fields that Forge reads of a Cargo.toml. Cargo reads the rest; a broken file is empty.
type manifest struct {
	Package   *packageTable   `toml:"package"`
	Workspace *workspaceTable `toml:"workspace"`
	Lints     lints           `toml:"lints"`

	Lib        target   `toml:"lib"`
	Programs   []target `toml:"bin"`
	Tests      []target `toml:"test"`
	Examples   []target `toml:"example"`
	Benchmarks []target `toml:"bench"`
}

type packageTable struct {
	Edition  any `toml:"edition"` // a string, or a table that refers to the workspace
	Metadata struct {
		Fuzz any `toml:"cargo-fuzz"`
	} `toml:"metadata"`
}

type workspaceTable struct {
	Members []string     `toml:"members"`
	Exclude []string     `toml:"exclude"`
	Package packageTable `toml:"package"`
	Lints   lints        `toml:"lints"`
}

// lints are the lints of tools, by tool.
type lints map[string]any

// target is a crate of a package.
type target struct {
	Name    string `toml:"name"`
	Harness *bool  `toml:"harness"`
}

// withoutHarness reports whether it runs its tests without libtest.
func (t target) withoutHarness() bool { return t.Harness != nil && !*t.Harness }

// readManifest reads a Cargo.toml.
func readManifest(text []byte) (m manifest) {
	if toml.Unmarshal(text, &m) != nil {
		return manifest{}
	}
	return m
}

// excludes reports whether the workspace excludes a folder, relative to it.
func (m manifest) excludes(dir string) bool {
	return m.Workspace != nil && slices.ContainsFunc(m.Workspace.Exclude, func(e string) bool { return dir == e || strings.HasPrefix(dir, e+"/") })
}

// isFuzz reports whether it is a package for cargo-fuzz, which needs its own compiler.
func (m manifest) isFuzz() bool { return m.Package != nil && m.Package.Metadata.Fuzz == true }

// isAlone reports whether it is no workspace, or one of itself only, as cargo-fuzz makes it.
func (m manifest) isAlone() bool {
	return m.Workspace == nil || !slices.ContainsFunc(m.Workspace.Members, func(dir string) bool { return dir != "." })
}

// setsClippy reports whether it sets lints of clippy.
func (m manifest) setsClippy() bool {
	return m.Lints["clippy"] != nil || m.Workspace != nil && m.Workspace.Lints["clippy"] != nil
}

// custom returns the targets that run their tests without libtest; "" is the library.
func (m manifest) custom() map[string]bool {
	names := map[string]bool{}
	if m.Lib.withoutHarness() {
		names[""] = true
	}
	for _, t := range slices.Concat(m.Programs, m.Tests, m.Examples, m.Benchmarks) {
		if t.withoutHarness() {
			names[t.Name] = true
		}
	}
	return names
}

// edition returns that of the package; inherits means that the workspace has it.
func (m manifest) edition() (edition string, inherits bool) {
	if m.Package == nil {
		return "", false
	}
	edition, _ = m.Package.Edition.(string)
	_, inherits = m.Package.Edition.(map[string]any)
	return edition, inherits
}

// brings reports whether a toolchain file names a toolchain by its path. An unreadable file counts as one that does.
func brings(toolchain []byte) bool {
	var file struct {
		Toolchain struct {
			Path any `toml:"path"`
		} `toml:"toolchain"`
	}
	if toml.Unmarshal(toolchain, &file) != nil {
		return strings.Contains(string(toolchain), "path") // in the older form it is only a name
	}
	return file.Toolchain.Path != nil
}
