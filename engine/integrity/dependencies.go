package integrity

import (
	"encoding/json"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"forge/internal/lazyregexp"
	"forge/patch"
)

// Added returns the names of the packages that a change of a manifest adds to a project: of go.mod, package.json, Cargo.toml,
// pyproject.toml and requirements files. Models invent names of packages, and others register them.
func Added(c patch.FileChange) []string {
	list := manifestOf(c.Path)
	if list == nil || c.Kind == patch.Delete {
		return nil
	}
	had := list(c.Before)
	added := slices.DeleteFunc(list(c.After), func(name string) bool { return slices.Contains(had, name) })
	slices.Sort(added)
	return slices.Compact(added)
}

// Unlocked returns those of the names that no lock file next to or above a manifest has, none if there is no such file. read
// returns the text of a file as it was before the change.
func Unlocked(manifest string, names []string, read func(path string) (text string, ok bool)) []string {
	var locked []string
	for dir := path.Dir(manifest); ; dir = path.Dir(dir) {
		for _, lock := range locks[lockKind(manifest)] {
			if text, ok := read(path.Join(dir, lock)); ok {
				locked = append(locked, strings.ToLower(text))
			}
		}
		if dir == path.Dir(dir) {
			break
		}
	}
	if locked == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return slices.ContainsFunc(locked, func(text string) bool { return namesPackage(text, strings.ToLower(name)) })
	})
}

// locks are the lock files of a manifest.
var locks = map[string][]string{
	"go.mod":         {"go.sum"},
	"package.json":   {"package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock"},
	"cargo.toml":     {"Cargo.lock"},
	"pyproject.toml": {"uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "requirements.txt"},
}

// isLock reports whether a file, by its name in lower case, is a lock file.
func isLock(base string) bool {
	for _, names := range locks {
		if slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, base) }) {
			return !strings.HasSuffix(base, ".txt")
		}
	}
	return false
}

func lockKind(manifest string) string {
	base := fold(path.Base(manifest))
	if strings.HasSuffix(base, ".txt") {
		return "pyproject.toml"
	}
	return base
}

// namesPackage reports whether a text has a name that is no part of a longer one.
func namesPackage(text, name string) bool {
	found, err := regexp.MatchString(`(?m)(^|node_modules/|[^\w.@/-])`+regexp.QuoteMeta(name)+`($|[^\w./-])`, text)
	return err == nil && found
}

// manifestOf returns what lists the packages of a file, or nil if it is no manifest.
func manifestOf(name string) func(text string) []string {
	base := fold(path.Base(name))
	switch {
	case base == "go.mod":
		return requiredByGo
	case base == "package.json":
		return requiredByNode
	case base == "cargo.toml":
		return requiredByCargo
	case base == "pyproject.toml":
		return requiredByPython
	case strings.HasPrefix(base, "requirements") && strings.HasSuffix(base, ".txt"):
		return func(text string) []string { return distributions(strings.Split(text, "\n")) }
	}
	return nil
}

var (
	goRequire    = lazyregexp.New(`(?m)^\s*(?:require\s+)?([\w.~-]+\.[\w.~-]+(?:/[\w.~-]+)*)\s+v\d`)
	distribution = lazyregexp.New(`^\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:$|[\[<>=!~;@# ])`)
)

func requiredByGo(text string) []string {
	var names []string
	for _, match := range goRequire.FindAllStringSubmatch(text, -1) {
		names = append(names, match[1])
	}
	return names
}

func requiredByNode(text string) []string {
	var manifest struct {
		Dependencies, DevDependencies, PeerDependencies, OptionalDependencies map[string]any
	}
	if json.Unmarshal([]byte(text), &manifest) != nil {
		return nil
	}
	var names []string
	for _, of := range []map[string]any{manifest.Dependencies, manifest.DevDependencies, manifest.PeerDependencies, manifest.OptionalDependencies} {
		names = slices.AppendSeq(names, maps.Keys(of))
	}
	return names
}

// tables are the dependencies of a TOML manifest, however deep: a target's or a workspace's too.
func tables(at map[string]any, is func(key string) bool, found func(value any)) {
	for key, value := range at {
		if is(key) {
			found(value)
		} else if inner, ok := value.(map[string]any); ok {
			tables(inner, is, found)
		}
	}
}

func requiredByCargo(text string) []string {
	var manifest map[string]any
	if toml.Unmarshal([]byte(text), &manifest) != nil {
		return nil
	}
	var names []string
	tables(manifest, func(key string) bool { return strings.HasSuffix(key, "dependencies") }, func(value any) {
		packages, _ := value.(map[string]any)
		for name, spec := range packages {
			if fields, ok := spec.(map[string]any); ok {
				if other, renamed := fields["package"].(string); renamed {
					name = other
				}
			}
			names = append(names, name)
		}
	})
	return names
}

// requiredByPython reads the lists of PEP 621 and 735, and the tables of Poetry.
func requiredByPython(text string) []string {
	var manifest map[string]any
	if toml.Unmarshal([]byte(text), &manifest) != nil {
		return nil
	}
	var names []string
	isList := func(key string) bool {
		return strings.HasSuffix(key, "dependencies") || key == "dependency-groups" || key == "requires"
	}
	var take func(value any)
	take = func(value any) {
		switch value := value.(type) {
		case string:
			names = append(names, distributions([]string{value})...)
		case []any:
			for _, one := range value {
				take(one)
			}
		case map[string]any:
			for key, one := range value {
				if _, list := one.([]any); list {
					take(one) // a group of them
				} else if key != "python" {
					names = append(names, distributions([]string{key})...)
				}
			}
		}
	}
	tables(manifest, isList, take)
	return names
}

// distributions returns the names of requirements as of PEP 508, in their normal form.
func distributions(lines []string) []string {
	var names []string
	for _, line := range lines {
		if match := distribution.FindStringSubmatch(line); match != nil {
			names = append(names, strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(match[1]), "_", "-"), ".", "-"))
		}
	}
	return names
}
