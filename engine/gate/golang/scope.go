package golang

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/tool"
)

// selection is the part of a tree that a gate checks.
type selection struct {
	packages []listed
	args     []string       // what the go command is given: patterns, or import paths
	among    int            // how many packages there are; 0 where all are meant
	alone    bool           // it is for tests that are run again
	uncached bool           // results that the go command remembers do not count
	names    []string       // of these, if not all of the packages
	far      map[string]int // in a wide scope, by import path: the number of imports between a package and what has changed
	left     int            // how many of these were not looked at, since there was no time for them
	weight   map[string]int // by import path: how many packages have to be compiled for it
	reached  int            // how many of those that only import what has changed were
	state    string         // of the tree
}

// want is what a gate does with packages.
type want int

const (
	wantBuilds want = iota // it compiles them without their tests
	wantTests              // it compiles or runs their tests as well
	wantTexts              // it reads their texts and those of their tests: data that tests use does not concern it
)

// selected returns the packages in a scope: all of them if a changed file, such as go.mod, concerns all or is of no known package, or if go list fails.
func (t tools) selected(ctx context.Context, tree gate.Tree, scope gate.Scope, w want) selection {
	patterns := t.patterns(ctx, tree)
	all := selection{args: patterns}
	all.packages, all.state = t.packages(ctx, tree, patterns)
	if scope.All() || len(all.packages) == 0 || slices.ContainsFunc(scope.Changed, isModuleFile) {
		return all
	}
	code := slices.DeleteFunc(slices.Clone(scope.Changed), isTestFile)
	tests := slices.DeleteFunc(slices.Clone(scope.Changed), func(file string) bool { return !isTestFile(file) }) // no other package imports them
	root := tool.RootOf(tree)
	changed := changedPackages(root, tree, all.packages, code)
	if changed[""] {
		return all
	}
	reached := importers(nil, changed, w)
	if scope.Reach == gate.ReachWide {
		reached = importers(all.packages, changed, w)
	} else if w == wantTests {
		maps.Copy(reached, dataUsers(root, all.packages, code))
	}
	for p := range changedPackages(root, tree, all.packages, tests) {
		reached[p] = 0
	}
	s := selection{among: len(all.packages), far: map[string]int{}, state: all.state}
	for _, p := range all.packages {
		if at, is := reached[p.path]; is {
			s.packages, s.args, s.far[p.path] = append(s.packages, p), append(s.args, p.path), at
		}
	}
	s.weight = weights(all.packages, s.far, w)
	if len(s.packages) == len(all.packages) {
		all.far, all.weight = s.far, s.weight
		return all
	}
	return s
}

// unreached reports how many packages were not checked for lack of time; empty if all were.
func (s selection) unreached() string {
	if s.left == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d packages that only import what has changed were not checked, there was no time", s.left, s.left+s.reached)
}

// describe returns the checked part in words, to follow a summary; empty for all of the tree.
func (s selection) describe() string {
	if unreached := s.unreached(); unreached != "" {
		return ": " + unreached
	}
	if s.among == 0 || s.alone {
		return ""
	}
	return fmt.Sprintf(", of %d: those that the change concerns", s.among)
}

// part reports whether there are tests that were not run because of the scope.
func (s selection) part() bool { return s.among > 0 || s.left > 0 || len(s.names) > 0 }

// none reports whether nothing in the scope is of Go.
func (s selection) none() bool { return s.among > 0 && len(s.packages) == 0 }

func isModuleFile(file string) bool {
	return slices.Contains([]string{"go.mod", "go.sum", "go.work", "go.work.sum"}, path.Base(file)) || strings.HasPrefix(file, "vendor/")
}

// changedPackages are the import paths of packages of which a file has changed: one in their folder, one that is compiled into them, also if it is gone,
// or one of their test data. Of a package that is gone it is the path that it had. The empty path is among them if a file concerns the module and is of no
// package in it: one of another module that it is compiled with, or test data in a folder without a package.
func changedPackages(root tool.Root, tree gate.Tree, all []listed, files []string) map[string]bool {
	dirs, changed, embedded := map[string]string{}, map[string]bool{}, map[string]bool{}
	for _, p := range all {
		dir, in := root.Rel(p.dir)
		if !in {
			continue
		}
		dirs[dir] = p.path
		for _, file := range files {
			if p.embedsFrom(dir, file) {
				changed[p.path], embedded[file] = true, true
			}
		}
	}
	for _, file := range files {
		dir := path.Dir(file)
		data, _, isData := strings.Cut("/"+file, "/testdata/")
		if isData {
			dir = path.Clean(strings.TrimPrefix(data, "/"))
		}
		at := pathOf(tree.Dir(), all, dir)
		switch p, known := dirs[dir]; {
		case known:
			changed[p] = true
		case at != "" && path.Ext(file) == ".go":
			changed[at] = true
		case (at == "" || isData && !embedded[file]) && concerned(tree, []string{file}):
			changed[""] = true
		}
	}
	return changed
}

// embedsFrom reports whether a package in a folder embeds a file, or did before it was gone: patterns may match a folder above it.
func (p listed) embedsFrom(dir, file string) bool {
	inside, is := strings.CutPrefix(file, dir+"/")
	if dir == "." {
		inside, is = file, filepath.IsLocal(file)
	}
	for ; is && inside != "."; inside = path.Dir(inside) {
		if slices.ContainsFunc(p.wanted, func(pattern string) bool {
			matches, err := path.Match(strings.TrimPrefix(pattern, "all:"), inside)
			return matches && err == nil
		}) {
			return true
		}
	}
	return false
}

// dataUsers are the packages whose tests use a package that has test data compiled into its own code, which is there for them: such data is
// run by their tests. Each has the number of imports between it and the data.
func dataUsers(root tool.Root, all []listed, files []string) map[string]int {
	var holders []string
	for _, p := range all {
		dir, in := root.Rel(p.dir)
		if in && slices.ContainsFunc(p.embeds, func(file string) bool {
			name := path.Join(dir, filepath.ToSlash(file))
			return IsTest(name) && slices.Contains(files, name)
		}) {
			holders = append(holders, p.path)
		}
	}
	users := map[string]int{}
	for _, p := range all {
		if slices.ContainsFunc(holders, func(holder string) bool { return slices.Contains(p.testsUse, holder) }) {
			users[p.path] = 1
		}
	}
	return users
}

// pathOf is the import path that a package in a folder of the tree has; empty if it is of no module that is listed.
func pathOf(top string, all []listed, dir string) string {
	full, best, found := filepath.Join(top, filepath.FromSlash(dir)), "", ""
	for _, p := range all {
		if rel, err := filepath.Rel(p.moduleDir, full); p.module != "" && err == nil && filepath.IsLocal(rel) && len(p.moduleDir) >= len(best) {
			best, found = p.moduleDir, path.Join(p.module, filepath.ToSlash(rel))
		}
	}
	if moduleAmong([]string{best}, filepath.Join(full, "x")) == "" {
		return "" // a module that is not listed lies between
	}
	return found
}

// importers adds to packages those that import them, also through others, and, where tests count, those whose tests do. Each has the number of imports
// between it and what has changed.
func importers(all []listed, changed map[string]bool, w want) map[string]int {
	reached := map[string]int{}
	for p := range changed {
		reached[p] = 0
	}
	for far := 1; ; far++ {
		var next []string
		for _, p := range all {
			if _, is := reached[p.path]; !is && nearest(reached, p.imports) >= 0 {
				next = append(next, p.path)
			}
		}
		if len(next) == 0 {
			break
		}
		for _, p := range next {
			reached[p] = far
		}
	}
	if w == wantBuilds {
		return reached
	}
	tested := maps.Clone(reached)
	for _, p := range all {
		at := nearest(reached, p.testsUse)
		if had, is := tested[p.path]; at >= 0 && (!is || at+1 < had) {
			tested[p.path] = at + 1
		}
	}
	return tested
}

// nearest is the least number of imports between one of some packages and what has changed; below 0 where none has to do with it.
func nearest(reached map[string]int, imports []string) int {
	best := -1
	for _, p := range imports {
		if at, is := reached[p]; is && (best < 0 || at < best) {
			best = at
		}
	}
	return best
}

// isLeftOut reports whether a tree is in a folder that patterns such as ./... do not match. See go help packages.
func isLeftOut(tree gate.Tree) bool {
	dir, err := filepath.Rel(gate.Top(tree), tree.Dir())
	return err == nil && dir != "." && slices.ContainsFunc(strings.Split(filepath.ToSlash(dir), "/"), func(name string) bool {
		return strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") || name == "testdata"
	})
}

// isBesideCode reports whether a folder has files of Go, or a folder above it has some that embed files.
func isBesideCode(root *os.Root, dir string) bool {
	for at := dir; ; at = path.Dir(at) {
		entries, err := fs.ReadDir(root.FS(), at)
		for _, entry := range entries {
			if err != nil || path.Ext(entry.Name()) != ".go" {
				continue
			}
			if at == dir {
				return true
			}
			if text, err := root.ReadFile(filepath.FromSlash(path.Join(at, entry.Name()))); err == nil && strings.Contains(string(text), "\n//go:embed ") {
				return true
			}
		}
		if at == "." {
			return false
		}
	}
}

// alone is the selection of some tests by their names, or of their packages. It is not ok where a test is of no package of the tree.
func (t tools) alone(ctx context.Context, tree gate.Tree, scope gate.Scope) (s selection, ok bool) {
	all, _ := t.packages(ctx, tree, t.patterns(ctx, tree))
	s.among, s.alone = len(all), true
	chosen := map[string]bool{}
	for _, test := range scope.Only {
		pkg, name := splitTest(all, test)
		if pkg == "" {
			return selection{}, false
		}
		chosen[pkg] = true
		if top, _, _ := strings.Cut(name, "/"); !slices.Contains(s.names, top) {
			s.names = append(s.names, top)
		}
	}
	for _, p := range all {
		if chosen[p.path] {
			s.packages, s.args = append(s.packages, p), append(s.args, p.path)
		}
	}
	if scope.Files {
		s.names = nil
	}
	return s, true
}

// splitTest takes the name of a test apart: the path of the package with the longest one that it can be of, and the test's own name.
func splitTest(all []listed, test string) (pkg, name string) {
	for _, p := range all {
		if rest, is := strings.CutPrefix(test, p.path+"."); is && len(p.path) > len(pkg) {
			pkg, name = p.path, rest
		}
	}
	return pkg, name
}

// arguments are the options of go test that run what is selected only, and the witnesses of packages. A result of an earlier run,
// which the go command remembers, does not count for tests that are run again.
func (s selection) arguments(witnesses map[string]string) (args []string) {
	if s.alone || s.uncached {
		args = append(args, "-count=1")
	}
	if len(s.names) == 0 {
		return args
	}
	var names []string
	for _, name := range s.names {
		names = append(names, regexp.QuoteMeta(name))
	}
	for _, p := range s.packages {
		if name := witnesses[p.path]; name != "" {
			names = append(names, readier(name), name)
		}
	}
	return append(args, "-run=^("+strings.Join(names, "|")+")$")
}
