package imports

import (
	"encoding/json"
	"path"
	"strings"
)

// scriptPackage is what package.json says, as far as imports depend on it.
type scriptPackage struct {
	Name         string
	Main         string
	Module       string
	Types        string
	Typings      string
	Source       string
	Exports      json.RawMessage // a path, conditions, or both by name
	Imports      json.RawMessage // by names that begin with "#"
	Workspaces   json.RawMessage // patterns, or an object that holds them as packages
	Dependencies map[string]string

	DevDependencies map[string]string
	members         map[string]string // folders of the workspaces, by the name of the package
}

// readPackages reads package.json above scripts and where else the tree has one, then who is a member of which
// workspace.
func (r *scriptResolver) readPackages() {
	for folder := range r.tree.folders {
		if _, ok := r.tree.id[below(folder, "package.json")]; ok {
			r.readPackage(folder)
		}
	}
	for _, folder := range r.folders {
		r.readPackage(folder)
	}
	for folder, p := range r.packages {
		p.members = r.membersOf(folder, append(workspacePatterns(p.Workspaces), r.otherWorkspaces(folder)...))
	}
}

func (r *scriptResolver) readPackage(folder string) {
	if _, done := r.packages[folder]; done {
		return
	}
	if content := r.tree.config(below(folder, "package.json")); content != nil {
		p := &scriptPackage{}
		readJSON(content, p)
		r.packages[folder] = p
	}
}

func workspacePatterns(written json.RawMessage) []string {
	var object struct{ Packages json.RawMessage }
	if json.Unmarshal(written, &object) == nil {
		return oneOrMore(object.Packages)
	}
	return oneOrMore(written)
}

// otherWorkspaces reads the workspaces of pnpm and Lerna.
func (r *scriptResolver) otherWorkspaces(folder string) []string {
	var lerna struct{ Packages json.RawMessage }
	readJSON(r.tree.config(below(folder, "lerna.json")), &lerna)
	return append(pnpmPatterns(r.tree.config(below(folder, "pnpm-workspace.yaml"))), oneOrMore(lerna.Packages)...)
}

// pnpmPatterns reads the list "packages" of pnpm-workspace.yaml.
func pnpmPatterns(content []byte) []string {
	var patterns []string
	listed := false
	for line := range strings.Lines(string(content)) {
		text := strings.TrimSpace(line)
		item, isItem := strings.CutPrefix(text, "-")
		switch {
		case text == "" || text[0] == '#':
		case isItem && listed:
			item, _, _ = strings.Cut(item, " #")
			patterns = append(patterns, strings.Trim(strings.TrimSpace(item), `"'`))
		default:
			listed = text == "packages:"
		}
	}
	return patterns
}

func (r *scriptResolver) membersOf(root string, patterns []string) map[string]string {
	members := map[string]string{}
	for _, folder := range r.folders {
		p := r.packages[folder]
		if p == nil || p.Name == "" || folder == root || !inside(root, folder) {
			continue
		}
		inRoot := strings.TrimPrefix(strings.TrimPrefix(folder, root), "/")
		if _, taken := members[p.Name]; !taken && isMember(patterns, inRoot) {
			members[p.Name] = folder
		}
	}
	return members
}

// isMember matches a folder against patterns; a later "!pattern" takes it out again.
func isMember(patterns []string, folder string) bool {
	member := false
	for _, pattern := range patterns {
		pattern, out := strings.CutPrefix(pattern, "!")
		if matchSegments(strings.Split(path.Clean(pattern), "/"), strings.Split(folder, "/")) {
			member = !out
		}
	}
	return member
}

// matchSegments matches a path against a pattern whose "**" stands for any number of segments. Only the last "**" is
// ever tried again, so that no pattern takes long.
func matchSegments(pattern, segments []string) bool {
	at, star, retry := 0, -1, 0 // in the pattern; its last "**"; the segment to go on with behind that
	for i := 0; i < len(segments); {
		switch {
		case at < len(pattern) && pattern[at] == "**":
			star, retry = at, i
			at++
		case at < len(pattern) && matchSegment(pattern[at], segments[i]):
			at++
			i++
		case star >= 0:
			retry++
			at, i = star+1, retry
		default:
			return false
		}
	}
	for at < len(pattern) && pattern[at] == "**" {
		at++
	}
	return at == len(pattern)
}

func matchSegment(pattern, segment string) bool {
	ok, err := path.Match(pattern, segment)
	return ok && err == nil
}

// member finds the package of the tree that a name begins with, as seen from a folder: the package the folder itself
// belongs to, a member of a workspace around it, or a dependency that is a folder.
func (r *scriptResolver) member(folder, name string) (member, rest string, ok bool) {
	name, rest = splitPackageName(name)
	nearest := true
	for up := range upwards(folder) {
		p := r.packages[up]
		if p == nil {
			continue
		}
		if nearest && p.Name == name && name != "" {
			return up, rest, true
		}
		if target, found := p.members[name]; found {
			return target, rest, true
		}
		if target, found := p.linked(up, name); found && nearest {
			return target, rest, true
		}
		nearest = false
	}
	return "", "", false
}

// splitPackageName cuts "@scope/name/rest" and "name/rest".
func splitPackageName(name string) (pkg, rest string) {
	from := 0
	if strings.HasPrefix(name, "@") {
		from = strings.IndexByte(name, '/') + 1
	}
	if slash := strings.IndexByte(name[from:], '/'); slash >= 0 {
		return name[:from+slash], name[from+slash+1:]
	}
	return name, ""
}

// linked returns the folder that a dependency says it is.
func (p *scriptPackage) linked(folder, name string) (string, bool) {
	for _, all := range []map[string]string{p.Dependencies, p.DevDependencies} {
		for _, protocol := range []string{"file:", "link:", "portal:"} {
			if target, ok := strings.CutPrefix(all[name], protocol); ok {
				return within(folder, target)
			}
		}
	}
	return "", false
}
