package imports

import (
	"encoding/json"
	"strings"
)

// The conditions under which an entry of exports counts: what leads to sources before what leads to a build. Those
// of the first set that has an answer are asked, so that a declaration stands for TypeScript before all else, and
// for JavaScript only where nothing else does, and CommonJS comes last.
var (
	typedConditions = []map[string]bool{
		set("source development types import module browser node default"),
		set("source development types import module browser node require default"),
	}
	plainConditions = []map[string]bool{
		set("source development import module browser node default"),
		set("source development import module browser node require default"),
		set("source development types import module browser node require default"),
	}
)

func set(words string) map[string]bool {
	all := map[string]bool{}
	for _, word := range strings.Fields(words) {
		all[word] = true
	}
	return all
}

// exported returns the paths that a map of exports or imports gives a name, the best first. None leaves the folder.
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

// exportOf returns the entry of a name, and what its "*" stands for.
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
