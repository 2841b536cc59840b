package general

import (
	"os"
	"path/filepath"
	"slices"

	"forge/engine/gate"
)

// concerned reports whether one of some files is a script, or was one by its name.
func concerned(t gate.Tree, changed []string) bool {
	tree := os.DirFS(t.Dir())
	return slices.ContainsFunc(changed, func(file string) bool {
		return filepath.IsLocal(file) && (named(file) || mayNameShell(file) && shellOf(file, head(tree, file)) != "")
	})
}

// Concerned reports whether scripts changed.
func (*syntaxGate) Concerned(t gate.Tree, changed []string) bool { return concerned(t, changed) }

// Concerned reports whether scripts, or settings of shellcheck, changed.
func (*checkGate) Concerned(t gate.Tree, changed []string) bool {
	return concerned(t, changed) || slices.Contains(changed, ".shellcheckrc") || slices.Contains(changed, "shellcheckrc")
}
