package npm

import (
	"maps"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"forge/codeintel/imports"
	"forge/engine/gate"
	"forge/engine/gate/javascript/testrun"
	"forge/internal/lazyregexp"
)

// concern computes what a change concerns in a suite.
//
// Invariant: the result is the same on the trees with and without the change, except for test files that only one side has.
// Otherwise a suite would execute fewer tests with the change than without it.
type concern struct {
	p     *Project
	suite Selection
	scope gate.Scope
	graph *imports.Graph
	roots []string // the changed files that others import, or that are tests
}

// ConcernedBy returns the test files of a suite that a change concerns, sorted; none if they are missing from the tree, or no
// imports lead to them. known is false if the change may concern any.
func (s Selection) ConcernedBy(p *Project, scope gate.Scope) (files []string, known bool) {
	c := concern{p: p, suite: s, scope: scope, graph: importsOf(p, scope.Changed, s.loads)}
	for _, file := range scope.Changed {
		if !c.add(file) {
			return nil, false
		}
	}
	tests := slices.ContainsFunc(scope.Changed, s.Takes)
	found, known := c.tests(scope.Reach == gate.ReachWide)
	if known && len(found) == 0 && !tests {
		found, known = c.tests(true)
	}
	return found, known && !p.Sources.Partial()
}

// add adds a changed file. It returns false if the file may concern any test.
func (c *concern) add(file string) bool {
	among := testrun.IsTest(file)
	switch {
	case !filepath.IsLocal(file):
		return !Settings.MatchString(path.Base(file)) && !AsksFor(c.p, file)
	case Settings.MatchString(path.Base(file)):
		return false
	case c.suite.Takes(file), IsCode(file) && !among:
	case Documents.MatchString(file) && !among:
		return true
	case !c.isRead(file): // data, possibly of tests
		return c.scope.Reach == gate.ReachNear && among && slices.ContainsFunc(c.scope.Changed, c.suite.Takes)
	}
	c.roots = append(c.roots, file)
	return true
}

// isRead reports whether an unchanged file imports a file.
func (c *concern) isRead(file string) bool {
	return slices.ContainsFunc(c.graph.Importers(file), func(by string) bool { return !slices.Contains(c.scope.Changed, by) })
}

// tests returns the test files that have changed, that are named after a changed file, or that import one; through others if
// requested. known is false if a file that is loaded before all tests is among the importers.
func (c *concern) tests(through bool) (files []string, known bool) {
	depth := 1
	if through {
		depth = math.MaxInt
	}
	reached := map[string]bool{}
	for _, root := range c.roots {
		for _, file := range append(c.graph.Downstream(root, depth), root) {
			reached[file] = true
		}
	}
	if reached[theScript] {
		return nil, false
	}
	found := map[string]bool{}
	for _, file := range c.p.Sources.Below(".", c.suite.Takes) {
		named := func(root string) bool { return subject(file) == stem(root) && !c.suite.Takes(root) }
		if reached[file] || slices.ContainsFunc(c.roots, named) {
			found[file] = true
		}
	}
	return slices.Sorted(maps.Keys(found)), true
}

// ofTests matches the part of a file name that marks tests.
var ofTests = lazyregexp.New(`^test[\-_.]|[\-_.](?:test|spec)$`)

// stem returns the name of a file without its folder and ending.
func stem(file string) string { return strings.TrimSuffix(path.Base(file), path.Ext(file)) }

// subject returns the subject of a test file, by its name.
func subject(file string) string { return ofTests.ReplaceAllString(stem(file), "") }

var (
	// Settings matches files that control how a project is built, checked or tested.
	Settings = lazyregexp.New(`^(?:package\.json|.*lock.*|pnpm-workspace\.yaml|tsconfig.*\.json|jsconfig\.json|.*\.config\.[cm]?[jt]s(?:on)?|\.(?:eslint|prettier|mocha|babel|swc)(?:rc|ignore).*|\.editorconfig|\.npmrc|\.nvmrc)$`)
	// Documents matches files for readers, which nothing here runs.
	Documents = lazyregexp.New(`(?i)\.(?:md|rst|txt|adoc|png|jpe?g|gif|ico)$`)
)

// AsksFor reports whether a file outside of the project belongs to a package that the project depends on.
func AsksFor(p *Project, file string) bool {
	for dir := path.Dir(file); strings.Trim(dir, "./") != ""; dir = path.Dir(dir) {
		text, err := os.ReadFile(filepath.Join(p.Dir, filepath.FromSlash(dir), ManifestName))
		if err != nil {
			continue
		}
		m, err := ParseManifest(text[:min(len(text), MaxManifest)])
		return err != nil || m.Name != "" && p.DependsOn(m.Name)
	}
	return false
}
