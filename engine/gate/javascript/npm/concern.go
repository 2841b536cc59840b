package npm

import (
	"errors"
	"io/fs"
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
	"forge/engine/gate/tool"
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

// AsksFor reports whether a file outside of the project belongs to a package that the project depends on, directly or through others of its
// workspace.
func AsksFor(p *Project, file string) bool {
	for dir := path.Dir(file); strings.Trim(dir, "./") != ""; dir = path.Dir(dir) {
		m, err := manifestIn(filepath.Join(p.Dir, filepath.FromSlash(dir)))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		return err != nil || m.Name != "" && (p.DependsOn(m.Name) || p.reaches(m.Name))
	}
	return false
}

// reaches reports whether the project depends on a package through others of its workspace. What these name for development counts: a package
// that is bundled names what it contains there.
func (p *Project) reaches(name string) bool {
	members, seen := p.members(), map[string]bool{}
	for next := []Manifest{p.Manifest}; len(next) > 0; next = next[1:] {
		if next[0].DependsOn(name) {
			return true
		}
		for _, of := range []Texts{next[0].Dependencies, next[0].DevDependencies, next[0].PeerDependency} {
			for used := range of {
				if m, is := members[used]; is && !seen[used] {
					seen[used] = true
					next = append(next, m)
				}
			}
		}
	}
	return false
}

// members returns the packages of the workspaces that the project is in, by their names. Some that a workspace excludes may be among them.
func (p *Project) members() map[string]Manifest {
	found := map[string]Manifest{}
	for _, dir := range p.upward() {
		folder := os.DirFS(dir)
		for _, pattern := range patternsIn(dir) {
			pattern = path.Join(pattern, ManifestName)
			names, _ := fs.Glob(folder, pattern) // one that is no pattern matches nothing
			if strings.Contains(pattern, "**") || strings.Contains(pattern, "{") {
				names = tool.SourcesIn(folder).Below(".", func(file string) bool { return path.Base(file) == ManifestName })
			}
			for _, name := range names {
				if m, err := manifestIn(filepath.Join(dir, filepath.FromSlash(path.Dir(name)))); err == nil && m.Name != "" {
					found[m.Name] = m
				}
			}
		}
	}
	return found
}

// patternsIn returns the patterns of the workspace whose root is a folder; none if it is no such root.
func patternsIn(dir string) []string {
	if m, err := manifestIn(dir); err == nil && len(m.Workspaces) > 0 {
		return m.Workspaces
	}
	text, _ := os.ReadFile(filepath.Join(dir, "pnpm-workspace.yaml")) // a missing one names nothing
	return pnpmPackages(string(text[:min(len(text), MaxManifest)]))
}

// manifestIn reads the package.json in a folder.
func manifestIn(dir string) (Manifest, error) {
	text, err := os.ReadFile(filepath.Join(dir, ManifestName))
	if err != nil {
		return Manifest{}, err
	}
	return ParseManifest(text[:min(len(text), MaxManifest)])
}
