package imports

import (
	"encoding/json"
	"path"
	"strings"

	"forge/codeintel"
)

// scriptPackage is the part of package.json on which imports depend.
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

// readPackages reads package.json above scripts and where else the tree has one, then the members of each workspace.
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

// matchSegments matches a path against a pattern whose "**" matches any number of segments. Only the last "**" is
// ever tried again, so that no pattern takes long.
func matchSegments(pattern, segments []string) bool {
	at, star, retry := 0, -1, 0 // in the pattern; its last "**"; the segment at which to continue after that
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

// linked returns the folder that a dependency names.
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

// The conditions under which an entry of exports counts: what leads to sources before what leads to a build. Those
// of the first set that has an answer are asked, so that a declaration stands for TypeScript before all else, and
// for JavaScript only where nothing else does, and CommonJS comes last.
var (
	typedConditions = []map[string]bool{
		codeintel.WordSet("source development types import module browser node default"),
		codeintel.WordSet("source development types import module browser node require default"),
	}
	plainConditions = []map[string]bool{
		codeintel.WordSet("source development import module browser node default"),
		codeintel.WordSet("source development import module browser node require default"),
		codeintel.WordSet("source development types import module browser node require default"),
	}
)

// exported returns the paths of a name in a map of exports or imports, the best first. None leaves the folder.
func exported(written json.RawMessage, name string, conditions []map[string]bool) []string {
	value, star := exportOf(written, name)
	var targets []string
	for _, these := range conditions {
		for _, target := range targetsOf(value, these, 0) {
			target = strings.ReplaceAll(target, "*", star)
			if _, ok := within("", target); ok {
				targets = append(targets, target)
			}
		}
	}
	return targets
}

// exportOf returns the entry of a name, and what its "*" matches.
func exportOf(written json.RawMessage, name string) (value json.RawMessage, star string) {
	entries := orderedJSON(written)
	if !strings.HasPrefix(name, "#") && (len(entries) == 0 || !strings.HasPrefix(entries[0].key, ".")) {
		if name == "." {
			return written, "" // the package has no other names
		}
		return nil, ""
	}
	longest := -1
	for _, e := range entries {
		prefix, suffix, hasStar := strings.Cut(e.key, "*")
		switch {
		case e.key == name:
			return e.value, ""
		case hasStar && len(name) > len(prefix)+len(suffix) && strings.HasPrefix(name, prefix) &&
			strings.HasSuffix(name, suffix) && len(e.key) > longest:
			value, star, longest = e.value, name[len(prefix):len(name)-len(suffix)], len(e.key)
		}
	}
	return value, star
}

// targetsOf returns the paths of a target: a path, a list, or targets by condition.
func targetsOf(written json.RawMessage, conditions map[string]bool, depth int) []string {
	if depth > maxConfigDepth {
		return nil
	}
	targets := oneOrMore(written)
	for _, e := range orderedJSON(written) {
		if conditions[e.key] {
			targets = append(targets, targetsOf(e.value, conditions, depth+1)...)
		}
	}
	return targets
}
