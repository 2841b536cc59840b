package golang

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/internal/lazyregexp"
)

// places finds out where in the tree something is: by the names that tools print, or else by the content of files.
type places struct {
	tool.Root
	dirs    map[string]string // folders of packages, by import path
	sources *tool.Sources
}

func placesIn(tree gate.Tree, packages []listed) places {
	root := tool.RootOf(tree)
	return places{Root: root, dirs: folders(root, packages), sources: tool.SourcesOf(tree)}
}

// locate gives a place to the findings that have none: in the end that is the module's own file.
func (r places) locate(found []gate.Finding) []gate.Finding {
	if len(found) > 0 {
		tool.Locate(found, r.sources.First("go.mod", "go.work"), r.look)
	}
	return found
}

func (r places) look(f gate.Finding) (tool.Place, bool) {
	switch f.Rule {
	case ruleModule:
		return r.required(f.Message)
	case ruleCompile:
		return r.imported(f.Message)
	}
	return tool.Place{}, false
}

// required is the line of go.mod, or of go.work, that names the module that a message is about.
func (r places) required(message string) (tool.Place, bool) {
	files := []string{"go.mod", "go.work"}
	if strings.Contains(message, "go.work") {
		files = files[1:]
	}
	for _, m := range modulePath.FindAllStringSubmatch(message, -1) {
		if at, found := r.sources.Find(files, regexp.MustCompile(`(?m)^.*[\s/]`+regexp.QuoteMeta(m[1]+m[2])+`(\s|$)`)); found {
			return at, true
		}
	}
	return tool.Place{Path: r.sources.First(files...), Line: 1}, true
}

var (
	modulePath = lazyregexp.New(`\b([\w.~-]+\.[\w.~-]+(?:/[\w.~-]+)+)|\bmodule (\S+) listed`)
	// cycle begins the go command's message about an import cycle.
	cycle = lazyregexp.New(`^package (\S+)\n\s*imports (\S+) from (\S+\.go)\b`)
)

// imported is the import with which a cycle begins.
func (r places) imported(message string) (tool.Place, bool) {
	m := cycle.FindStringSubmatch(message)
	if m == nil {
		return tool.Place{}, false
	}
	dir, known := r.dir(m[1])
	if !known {
		return tool.Place{}, false
	}
	file := path.Join(dir, m[3])
	if at, found := r.sources.Find([]string{file}, regexp.MustCompile(`"`+regexp.QuoteMeta(m[2])+`"`)); found {
		return at, true
	}
	return tool.Place{Path: file, Line: 1}, true
}

// dir is the folder of a package, or of the tests next to it.
func (r places) dir(pkg string) (string, bool) {
	dir, ok := r.dirs[strings.TrimSuffix(pkg, "_test")]
	return dir, ok
}

// of is where the code of a package begins, or that of its tests if it has no other.
func (r places) of(pkg string) tool.Place {
	dir, known := r.dir(pkg)
	if !known {
		return tool.Place{}
	}
	code := r.sources.In(dir, func(file string) bool { return path.Ext(file) == ".go" && !isTestFile(file) })
	at, _ := r.sources.Find(append(code, r.sources.In(dir, isTestFile)...), packageClause.Regexp())
	return at
}

// ends are what ends a package's tests before they have run.
var (
	ends          = []*lazyregexp.Regexp{lazyregexp.New(`(?m)^func TestMain\(`), lazyregexp.New(`\b(?:os|syscall)\.Exit\(`)}
	packageClause = lazyregexp.New(`(?m)^package `)
)

// test is where a test is written, or a part of one; with no name, what may have kept the package's tests from running. If it
// cannot be found it is the first file of the package's tests.
func (r places) test(pkg, name string) tool.Place {
	dir, known := r.dir(pkg)
	if !known {
		return tool.Place{}
	}
	files := r.sources.In(dir, isTestFile)
	wanted := ends
	if top, _, _ := strings.Cut(name, "/"); top != "" {
		wanted = []*lazyregexp.Regexp{lazyregexp.New(`(?m)^func ` + regexp.QuoteMeta(top) + `\(`)}
	}
	for _, pattern := range append(wanted[:len(wanted):len(wanted)], packageClause) {
		if at, found := r.sources.Find(files, pattern.Regexp()); found {
			return at
		}
	}
	return tool.Place{}
}

func isTestFile(file string) bool { return strings.HasSuffix(file, "_test.go") }

// IsTest reports whether a path belongs to the tests of a Go module: a test file, or data in a testdata
// folder.
func IsTest(file string) bool {
	return isTestFile(file) || slices.Contains(strings.Split(path.Dir(file), "/"), "testdata")
}
