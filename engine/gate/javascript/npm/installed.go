package npm

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"forge/engine/gate"
)

// Binary returns the path of the project's program: relative to the project, in node_modules/.bin of its folder or of one above it
// in the tree. Empty: it is not installed. A program whose file is in the tree is not used: only the target of a link out of the
// tree existed before the run, and cannot be a model's forgery.
func (p *Project) Binary(program string) string {
	modules := p.modules(program)
	if modules == "" {
		return ""
	}
	return Here(filepath.Join(modules, ".bin", program))
}

// modules returns the node_modules with a program, relative to the project; empty if there is none.
func (p *Project) modules(program string) string {
	tree, err := filepath.EvalSymlinks(p.Top)
	if err != nil {
		return ""
	}
	up := "."
	for dir := p.Dir; ; dir, up = filepath.Dir(dir), filepath.Join("..", up) {
		if isInstalled(filepath.Join(dir, "node_modules", ".bin", program), tree) {
			return filepath.Join(up, "node_modules")
		}
		if dir == p.Top || dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// Major returns the major version of the package with a program's name; 0 if unknown.
func (p *Project) Major(program string) int { return p.VersionOf(program, program) }

// VersionOf returns the major version of the package that contains a program; 0 if unknown.
func (p *Project) VersionOf(program, of string) int {
	modules := p.modules(program)
	if modules == "" {
		return 0
	}
	text, err := os.ReadFile(filepath.Join(p.Dir, modules, of, ManifestName))
	if err != nil {
		return 0
	}
	var installed struct {
		Version string `json:"version"`
	}
	if json.Unmarshal(text, &installed) != nil {
		return 0
	}
	first, _, _ := strings.Cut(installed.Version, ".")
	n, _ := strconv.Atoi(first)
	return n
}

// isInstalled reports whether a path points to a file outside of the tree.
func isInstalled(name, tree string) bool {
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return false
	}
	info, err := os.Stat(real)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	rel, err := filepath.Rel(tree, real)
	return err != nil || !filepath.IsLocal(rel)
}

// Here makes a relative path explicit, so that it is not looked up on PATH.
func Here(relative string) string { return "." + string(filepath.Separator) + relative }

// Lacks returns the Missing for a program that is not installed.
func (p *Project) Lacks(program string) gate.Missing {
	return gate.Missing{Program: program, Install: p.installer()}
}
