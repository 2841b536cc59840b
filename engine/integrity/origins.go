package integrity

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"forge/internal/lazyregexp"
	"forge/patch"
)

// newOrigin returns a place that a manifest or a lock file takes packages from after a change and did not before, or "": a host, an
// address, a folder outside, or another package under the name of one. A new lock file has no hosts to compare with.
func newOrigin(c patch.FileChange) string {
	base := fold(path.Base(c.Path))
	if isLock(base) {
		return newHost(c)
	}
	list := originsOf(base)
	if list == nil {
		return ""
	}
	known := list(c.Before)
	for _, origin := range list(c.After) {
		if !slices.Contains(known, origin) {
			return origin
		}
	}
	return ""
}

// newHost is newOrigin of a lock file.
func newHost(c patch.FileChange) string {
	known := hosts(c.Before)
	if len(known) == 0 {
		return ""
	}
	for _, name := range hosts(c.After) {
		if !slices.Contains(known, name) {
			return name
		}
	}
	return ""
}

var (
	host    = lazyregexp.New(`(?i)(?:(?:https?|ssh|git|ftp|file)://(?:[^@/\s"']*@)?|\bgit@)([\w.-]+)`)
	escaped = lazyregexp.New(`\\u00([0-7][0-9a-fA-F])`)
	// shorthand matches what npm reads as a repository of GitHub.
	shorthand = lazyregexp.New(`^[\w.-]+/[\w.-]+(#.*)?$`)
	// sourceOption matches an option of pip that names a place of packages, in a file of requirements.
	sourceOption = lazyregexp.New(`^\s*(-i|-f|--index-url|--extra-index-url|--find-links|--trusted-host)\b`)
)

// hosts returns the hosts that a text names. A lock file may be JSON, in which letters and slashes can be escaped.
func hosts(text string) (names []string) {
	text = escaped.ReplaceAllStringFunc(strings.ReplaceAll(text, `\/`, "/"), func(s string) string {
		code, _ := strconv.ParseUint(s[len(s)-2:], 16, 8) // hexadecimal digits
		return string(rune(code))
	})
	for _, match := range host.FindAllStringSubmatch(text, -1) {
		names = append(names, strings.ToLower(match[1]))
	}
	return names
}

// originsOf returns what lists the places that a manifest takes packages from, or nil if the file, by its name in lower case, is none.
func originsOf(base string) func(text string) []string {
	switch {
	case base == "package.json" || base == "composer.json":
		return func(text string) []string {
			var values any
			_ = json.Unmarshal([]byte(text), &values) // an unreadable one names nothing
			return origins(values, nil)
		}
	case base == "cargo.toml" || base == "pyproject.toml" || base == "pipfile":
		return func(text string) []string {
			var values map[string]any
			_ = toml.Unmarshal([]byte(text), &values) // an unreadable one names nothing
			return origins(values, nil)
		}
	case strings.HasSuffix(base, ".txt") && (strings.HasPrefix(base, "requirements") || strings.HasPrefix(base, "constraints")),
		strings.HasPrefix(base, "requirements") && strings.HasSuffix(base, ".in"), base == "gemfile":
		return sourceLines
	}
	return nil
}

// sourceLines returns the lines that name a place.
func sourceLines(text string) (found []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "#") && (sourceOption.MatchString(line) || strings.Contains(line, "://") || strings.Contains(line, "git@")) {
			found = append(found, line)
		}
	}
	return found
}

// origins returns the texts within a value that name a place of packages, in order. at is the path of keys that leads to the value.
func origins(value any, at []string) (found []string) {
	switch value := value.(type) {
	case string:
		if concernsPackages(at) && isOrigin(value, at) {
			found = append(found, value)
		}
	case []any:
		for _, one := range value {
			found = append(found, origins(one, at)...)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			found = append(found, origins(value[key], append(at[:len(at):len(at)], strings.ToLower(key)))...)
		}
	}
	return found
}

// packageKeys are the keys of manifests below which packages and their places are.
var packageKeys = []string{
	"overrides", "resolutions", "requires", "dependency-groups", "source", "sources", "repositories", "index", "index-url", "extra-index-url", "find-links", "patch", "replace", "registries",
	"packages", "dev-packages",
}

func concernsPackages(at []string) bool {
	return slices.ContainsFunc(at, func(key string) bool {
		return strings.HasSuffix(key, "dependencies") || slices.Contains(packageKeys, key)
	})
}

// isOrigin reports whether a value names a place, and not a version or a name.
func isOrigin(value string, at []string) bool {
	replaces := slices.ContainsFunc(at, func(key string) bool { return key == "patch" || key == "replace" })
	if at[len(at)-1] == "path" {
		return replaces || outsideOf(value)
	}
	for _, prefix := range []string{"file:", "link:", "portal:"} {
		if place, is := strings.CutPrefix(value, prefix); is {
			return outsideOf(strings.TrimPrefix(place, "//"))
		}
	}
	for _, prefix := range []string{"npm:", "jsr:", "github:", "gitlab:", "bitbucket:", "gist:", "git@", "git:"} {
		if strings.HasPrefix(value, prefix) {
			return true
		}
	}
	return strings.Contains(value, "://") || strings.HasSuffix(at[0], "dependencies") && shorthand.MatchString(value) || replaces && at[len(at)-1] == "git"
}

// outsideOf reports whether a path may leave the folder of the project: it is absolute, or goes up by more than one folder.
func outsideOf(place string) bool {
	return path.IsAbs(place) || strings.HasPrefix(place, "~") || strings.HasPrefix(path.Clean(place), "../../")
}
