package archtest

import (
	"fmt"
	"slices"
	"strings"
)

// checkWorld keeps each kind of contact with the outside behind its one door, and the list of doors true.
func checkWorld(m *module, b *blocks) []Violation {
	var found []Violation
	used := map[edge]bool{}
	for _, p := range m.packages {
		for _, f := range p.production() {
			for _, i := range f.imports() {
				if message := contact(m, b, p.dir, i.path, used); message != "" {
					found = append(found, Violation{f.path, i.line, "world", message})
				}
			}
		}
	}
	return append(found, unusedDoors(m, b, used)...)
}

// contact returns what is wrong with an import from outside, and notes the rows that allow it as used.
func contact(m *module, b *blocks, dir, importPath string, used map[edge]bool) string {
	if _, ok := m.inside(importPath); ok {
		return ""
	}
	named := false
	for _, r := range b.world {
		if !matchesAny(r.left, importPath) {
			continue
		}
		named = true
		for _, door := range r.right {
			if matches(door, dir) {
				used[edge{r.left[0], door}] = true
				return ""
			}
		}
	}
	switch {
	case named:
		return fmt.Sprintf("%s must not import %s: the block world gives it to other packages only", dir, importPath)
	case !standardLibrary(importPath):
		return importPath + " is not in the block world: say there which package may use it, and why in docs/adr"
	}
	return ""
}

// standardLibrary decides by the missing dot in the first element, as the go command does.
func standardLibrary(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".")
}

func unusedDoors(m *module, b *blocks, used map[edge]bool) []Violation {
	var found []Violation
	for _, r := range b.world {
		for _, door := range r.right {
			if used[edge{r.left[0], door}] {
				continue
			}
			exists := slices.ContainsFunc(m.packages, func(p *pkg) bool { return matches(door, p.dir) })
			message := fmt.Sprintf("%s does not import %s: remove it from the line", door, strings.Join(r.left, ", "))
			if !exists {
				message = door + ": there is no such package: remove it from the line"
			}
			found = append(found, Violation{ImportsFile, r.line, "world", message})
		}
	}
	return found
}
