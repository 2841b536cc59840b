package imports

import (
	"encoding/json"
	"strings"
)

// conditions are those under which an entry of exports counts, whichever comes first: what leads to sources before
// what leads to a build.
var conditions = map[string]bool{
	"source": true, "development": true, "types": true, "import": true, "module": true, "browser": true,
	"node": true, "require": true, "default": true,
}

// exported returns the paths that a map of exports or imports gives a name, the best first.
func exported(written json.RawMessage, name string) []string {
	entries := orderedJSON(written)
	if !strings.HasPrefix(name, "#") && (len(entries) == 0 || !strings.HasPrefix(entries[0].key, ".")) {
		if name != "." {
			return nil
		}
		return targetsOf(written, 0)
	}
	var best *entry
	star := ""
	for i, e := range entries {
		prefix, suffix, hasStar := strings.Cut(e.key, "*")
		switch {
		case e.key == name:
			return targetsOf(e.value, 0)
		case hasStar && len(name) > len(prefix)+len(suffix) && strings.HasPrefix(name, prefix) &&
			strings.HasSuffix(name, suffix) && (best == nil || len(best.key) < len(e.key)):
			best, star = &entries[i], name[len(prefix):len(name)-len(suffix)]
		}
	}
	if best == nil {
		return nil
	}
	targets := targetsOf(best.value, 0)
	for i, target := range targets {
		targets[i] = strings.ReplaceAll(target, "*", star)
	}
	return targets
}

// targetsOf returns the paths of a target: a path, a list, or targets by condition.
func targetsOf(written json.RawMessage, depth int) []string {
	if depth > maxConfigDepth {
		return nil
	}
	targets := oneOrMore(written)
	for _, e := range orderedJSON(written) {
		if conditions[e.key] {
			targets = append(targets, targetsOf(e.value, depth+1)...)
		}
	}
	return targets
}
