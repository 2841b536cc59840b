package python

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"forge/engine/gate/python/testrun"
	"forge/engine/gate/tool"
)

// roots are the folders in which projects begin. A file that packagers or test runners read begins one, and so does a list of requirements
// with Python files below it that is in no other project, and the tree itself where Python files lie at its top.
//
// A project in another one has its files checked with that one; it is a project of its own for its tests. One that is an example, or
// part of a documentation, is none until it has tests. A folder that has no Python file at all is a project only where nothing else could
// be one: a new one.
func roots(paths []string, _ func(string) ([]byte, error)) []string {
	strong, weak := map[string]bool{}, map[string]bool{}
	for _, p := range paths {
		dir, base := tool.FolderOf(p), path.Base(p)
		switch {
		case isForeign(dir):
		case slices.Contains(beginnings, base):
			strong[dir] = true
		case isRequirements(base), dir == "" && path.Ext(base) == ".py":
			weak[dir] = true
		}
	}
	held := holdings(paths, strong, weak)
	found := []string{}
	for dir := range weak {
		if !strong[dir] && !inside(dir, strong) && !inside(dir, weak) && held.isProject(dir) {
			found = append(found, dir)
		}
	}
	for dir := range strong {
		switch within := inside(dir, strong); {
		case isFixture(dir), !held.isProject(dir), within && isAside(dir) && !held.tests[dir]:
		default:
			found = append(found, dir)
		}
	}
	slices.Sort(found)
	return found
}

// holding is which folders have Python files below them, which of these have tests, each file counted for the innermost folder, and whether
// another language has its projects in the tree.
type holding struct {
	code, tests map[string]bool
	others      bool
}

func holdings(paths []string, projects ...map[string]bool) holding {
	h := holding{code: map[string]bool{}, tests: map[string]bool{}}
	for _, p := range paths {
		dir := tool.FolderOf(p)
		if slices.Contains([]string{"go.mod", "package.json", "Cargo.toml", "deno.json", "pom.xml", "build.gradle", "CMakeLists.txt", "Gemfile", "composer.json"}, path.Base(p)) {
			h.others = true
		}
		if path.Ext(p) != ".py" || isForeign(dir) {
			continue
		}
		innermost := true
		for at := dir; ; at = tool.FolderOf(at) {
			if slices.ContainsFunc(projects, func(of map[string]bool) bool { return of[at] }) {
				h.code[at] = h.code[at] || path.Base(p) != "setup.py"
				if inner := strings.TrimPrefix(strings.TrimPrefix(p, at), "/"); innermost && testrun.IsTest(inner) {
					h.tests[at] = true
				}
				innermost = false
			}
			if at == "" {
				break
			}
		}
	}
	return h
}

// isProject reports whether there is anything to check in a folder, or it may become a project.
func (h holding) isProject(dir string) bool { return h.code[dir] || !h.others && dir == "" }

// isRequirements recognises what pip reads: requirements.txt, requirements-dev.txt.
func isRequirements(base string) bool {
	return strings.HasPrefix(base, "requirements") && path.Ext(base) == ".txt"
}

// inside reports whether a folder lies below one of the others.
func inside(dir string, others map[string]bool) bool {
	for dir != "" {
		if dir = tool.FolderOf(dir); others[dir] {
			return true
		}
	}
	return false
}

// isForeign reports whether a folder holds what others wrote: installed packages, or what tools keep.
func isForeign(dir string) bool {
	return slices.ContainsFunc(strings.Split(dir, "/"), func(part string) bool {
		return strings.HasPrefix(part, ".") || slices.Contains([]string{"venv", "node_modules", "site-packages", "__pycache__"}, part)
	})
}

// isFixture reports whether a folder lies in tests or documentation: a project there is one that something is tried on.
func isFixture(dir string) bool {
	return slices.ContainsFunc(strings.Split(dir, "/"), func(part string) bool {
		return slices.Contains([]string{"tests", "test", "testdata", "testing", "fixtures"}, part)
	})
}

// isAside reports whether a folder lies among examples or documentation: what is there shows something, and is seldom what anybody works on.
func isAside(dir string) bool {
	return slices.ContainsFunc(strings.Split(dir, "/"), func(part string) bool {
		return slices.Contains([]string{"examples", "example", "samples", "sample", "demos", "demo", "docs", "doc", "benchmarks", "templates"}, part)
	})
}

// sources gives the Python files of a folder of the project itself, sorted. Symbolic links are not followed.
func sources(dir string) ([]string, error) {
	var files []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && isForeign(entry.Name()):
			return fs.SkipDir
		case entry.Type().IsRegular() && path.Ext(name) == ".py":
			files = append(files, name)
		}
		return nil
	})
	slices.Sort(files)
	return files, err
}
