package npm

import (
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// Expanded returns the files that a pattern matches in a shell; the pattern itself if there are none.
func (p *Project) Expanded(pattern string) (names []string) {
	found, err := filepath.Glob(filepath.Join(p.Dir, filepath.FromSlash(pattern)))
	if err != nil || len(found) == 0 {
		return []string{pattern}
	}
	for _, name := range found {
		if rel, err := filepath.Rel(p.Dir, name); err == nil {
			names = append(names, Here(rel))
		}
	}
	return names
}

// Matches reports whether a file, a folder or a pattern, in the syntax of Node.js' globs, matches a file.
func Matches(pattern, file string) bool {
	pattern = path.Clean(pattern)
	if pattern == "." || pattern == file || strings.HasPrefix(file, pattern+"/") {
		return true
	}
	if !strings.ContainsAny(pattern, "*?{[") {
		return false
	}
	var expression strings.Builder
	for rest := pattern; rest != ""; {
		switch {
		case strings.HasPrefix(rest, "**/"):
			expression.WriteString("(?:.*/)?")
			rest = rest[3:]
			continue
		case strings.HasPrefix(rest, "**"):
			expression.WriteString(".*")
			rest = rest[2:]
			continue
		case rest[0] == '*':
			expression.WriteString("[^/]*")
		case rest[0] == '?':
			expression.WriteString("[^/]")
		case rest[0] == '{':
			expression.WriteString("(?:")
		case rest[0] == '}':
			expression.WriteString(")")
		case rest[0] == ',':
			expression.WriteString("|")
		default:
			expression.WriteString(regexp.QuoteMeta(rest[:1]))
		}
		rest = rest[1:]
	}
	compiled, err := regexp.Compile("^" + expression.String() + "$")
	return err != nil || compiled.MatchString(file) // an unreadable pattern excludes nothing
}
