package npm

import (
	"path"
	"slices"
	"strings"

	"forge/engine/gate/tool"
)

// notProjects are folders whose package.json is not a project of the user: installed or built files, and data of tests.
var notProjects = []string{
	"node_modules", "bower_components", "vendor", "dist", "build", "out", "coverage",
	"fixtures", "__fixtures__", "fixture", "testdata", "test", "tests", "__tests__", "__mocks__",
}

// Roots returns the folders of projects: that of each package.json with dependencies or scripts. The package of a workspace
// is checked with the workspace, by its root. It is also checked alone if it has tests or a tsconfig.json of its own,
// because a runner or compiler at the root skips these unless configured. Tests that both include run twice.
func Roots(paths []string, read func(string) ([]byte, error)) (found []string) {
	has := make(map[string]bool, len(paths))
	for _, p := range paths {
		has[p] = true
	}
	type candidate struct {
		dir string
		Manifest
	}
	var candidates []candidate
	var spaces []space
	for _, p := range paths {
		dir := tool.FolderOf(p)
		if path.Base(p) != "package.json" || !mayBeProject(dir) {
			continue
		}
		text, err := read(p)
		if err != nil {
			continue
		}
		m, err := ParseManifest(text)
		if err != nil && dir != "" {
			continue
		}
		if list := path.Join(dir, "pnpm-workspace.yaml"); has[list] && len(m.Workspaces) == 0 {
			if text, err := read(list); err == nil {
				m.Workspaces = pnpmPackages(string(text))
			}
		}
		candidates = append(candidates, candidate{dir, m})
		if len(m.Workspaces) > 0 {
			spaces = append(spaces, space{dir, m.Workspaces})
		}
	}
	for _, c := range candidates {
		if c.dir == "" || isRoot(c.Manifest, has[path.Join(c.dir, "tsconfig.json")], isMember(spaces, c.dir)) {
			found = append(found, c.dir)
		}
	}
	slices.Sort(found)
	return found
}

func isRoot(m Manifest, typed, member bool) bool {
	if member {
		return typed || m.HasTestScript()
	}
	return typed || len(m.Scripts)+len(m.Dependencies)+len(m.DevDependencies) > 0 || len(m.Workspaces) > 0
}

// HasTestScript reports whether a package has a script for tests; the default of npm init is none.
func (m Manifest) HasTestScript() bool {
	script := m.Scripts["test"]
	return script != "" && !strings.Contains(script, "no test specified")
}

func mayBeProject(dir string) bool {
	for part := range strings.SplitSeq(dir, "/") {
		if slices.Contains(notProjects, part) || strings.HasPrefix(part, ".") {
			return false
		}
	}
	return true
}

// space is a workspace: a folder, and the patterns of its packages.
type space struct {
	dir      string
	patterns []string
}

func isMember(spaces []space, dir string) bool {
	return slices.ContainsFunc(spaces, func(s space) bool {
		inside, is := strings.CutPrefix(dir, s.dir+"/")
		if s.dir == "" {
			inside, is = dir, dir != ""
		}
		if !is {
			return false
		}
		member := false
		for _, pattern := range s.patterns { // a later one wins, "!" excludes
			out := strings.HasPrefix(pattern, "!")
			pattern = strings.Trim(strings.TrimPrefix(strings.TrimPrefix(pattern, "!"), "./"), "/")
			if matches(strings.Split(pattern, "/"), strings.Split(inside, "/")) {
				member = !out
			}
		}
		return member
	})
}

// matches compares a path with a pattern, part by part; "**" is any number of parts.
func matches(pattern, parts []string) bool {
	if len(pattern) == 0 {
		return len(parts) == 0
	}
	if pattern[0] == "**" {
		return matches(pattern[1:], parts) || len(parts) > 0 && matches(pattern, parts[1:])
	}
	if len(parts) == 0 {
		return false
	}
	ok, err := path.Match(pattern[0], parts[0])
	return err == nil && ok && matches(pattern[1:], parts[1:])
}

// pnpmPackages parses the list of patterns below "packages:" in a pnpm-workspace.yaml.
func pnpmPackages(text string) (patterns []string) {
	inside := false
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		item, isItem := strings.CutPrefix(trimmed, "-")
		switch {
		case trimmed == "" || strings.HasPrefix(trimmed, "#"):
		case isItem && inside:
			item, _, _ = strings.Cut(item, " #")
			patterns = append(patterns, strings.Trim(strings.TrimSpace(item), `"'`))
		case !strings.HasPrefix(line, " "):
			inside = strings.HasPrefix(trimmed, "packages:")
		}
	}
	return patterns
}
