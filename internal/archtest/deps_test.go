package archtest

import (
	"fmt"
	"slices"
	"strings"
)

// edge is an import of one package of the module by another.
type edge struct{ from, to string }

// checkDeps compares the edges of the code with those of the block, both ways.
func checkDeps(m *module, b *blocks) []Violation {
	allowed, found := allowedEdges(b)
	used := map[edge]bool{}
	for _, p := range m.packages {
		if len(p.production()) == 0 {
			continue
		}
		if !slices.ContainsFunc(b.deps, func(r row) bool { return r.left[0] == p.dir }) {
			found = append(found, Violation{p.dir, 0, "deps", "the package has no line in the block deps: decide where it belongs, and write it there"})
		}
		for e, place := range m.edges(p.dir, p.production(), "deps") {
			used[e] = true
			if allowed[e] == 0 {
				place.Message = fmt.Sprintf("%s must not import %s: the block deps has no such edge", e.from, e.to)
				found = append(found, place)
			}
		}
	}
	return append(found, unused(m, b, allowed, used)...)
}

// allowedEdges returns the edges of the block with their line, and what is wrong with the block itself: an
// arrow that goes up, or a package with two lines.
func allowedEdges(b *blocks) (map[edge]int, []Violation) {
	allowed := map[edge]int{}
	var found []Violation
	above := map[string]bool{}
	for _, r := range b.deps {
		from := r.left[0]
		if above[from] || len(r.left) > 1 {
			found = append(found, Violation{ImportsFile, r.line, "deps", from + ": a package has one line of its own"})
		}
		for _, to := range r.right {
			allowed[edge{from, to}] = r.line
			if !above[to] {
				found = append(found, Violation{ImportsFile, r.line, "deps", fmt.Sprintf("%s names %s, which is not above it: arrows go up the block only", from, to)})
			}
		}
		above[from] = true
	}
	return allowed, found
}

// edges returns the edges that start in some files of a package, each with the first place that has it.
func (m *module) edges(dir string, files []*goFile, rule string) map[edge]Violation {
	edges := map[edge]Violation{}
	for _, f := range files {
		for _, i := range f.imports() {
			to, ok := m.inside(i.path)
			if _, seen := edges[edge{dir, to}]; ok && !seen {
				edges[edge{dir, to}] = Violation{Path: f.path, Line: i.line, Rule: rule}
			}
		}
	}
	return edges
}

// unused returns lines for packages that are gone and edges that no code has.
func unused(m *module, b *blocks, allowed map[edge]int, used map[edge]bool) []Violation {
	var found []Violation
	for _, r := range b.deps {
		if !m.has(r.left[0]) {
			found = append(found, Violation{ImportsFile, r.line, "deps", r.left[0] + ": there is no such package: remove the line"})
		}
	}
	for e, line := range allowed {
		if !used[e] && m.has(e.from) {
			found = append(found, Violation{ImportsFile, line, "deps", fmt.Sprintf("%s does not import %s: remove it from the line", e.from, e.to)})
		}
	}
	return found
}

// has reports whether a folder holds production code.
func (m *module) has(dir string) bool {
	return slices.ContainsFunc(m.packages, func(p *pkg) bool { return p.dir == dir && len(p.production()) > 0 })
}

// String gives the module's packages and what each imports, in the form of the block deps: for the user
// who has decided that the code is right.
func (m *module) String() string {
	var b strings.Builder
	for _, p := range m.packages {
		if !m.has(p.dir) {
			continue
		}
		var to []string
		for e := range m.edges(p.dir, p.production(), "deps") {
			to = append(to, e.to)
		}
		fmt.Fprintf(&b, "%s\n", strings.TrimSpace(fmt.Sprintf("%-23s %s", p.dir+":", strings.Join(slices.Sorted(slices.Values(to)), " "))))
	}
	return b.String()
}

// checkFronts keeps tests of lower packages from standing on the fronts.
func checkFronts(m *module, _ *blocks) []Violation {
	var found []Violation
	for _, p := range m.packages {
		if isFront(p.dir) || strings.HasPrefix(p.dir, "test/") {
			continue
		}
		for e, place := range m.edges(p.dir, p.tests(), "fronts") {
			if isFront(e.to) {
				place.Message = fmt.Sprintf("a test of %s must not import the front %s: test it from the front, or from test/", e.from, e.to)
				found = append(found, place)
			}
		}
	}
	return found
}

// isFront reports whether a package speaks to users or editors: the servers for editors, and the commands.
func isFront(dir string) bool {
	top, _, _ := strings.Cut(dir, "/")
	return top == "acp" || top == "lsp" || top == "cmd"
}
