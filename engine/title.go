package engine

import (
	"path"
	"strings"
)

// title is a task as one short line.
func title(task string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(task), "\n")
	if runes := []rune(line); len(runes) > 72 {
		return string(runes[:71]) + "…"
	}
	return line
}

// scope reports what the person pointed at: with a focus, its folder and what is below it.
func scope(f Focus) func(string) bool {
	dir := path.Dir(f.Path)
	if f.Path == "" || dir == "." {
		return func(string) bool { return true }
	}
	return func(p string) bool { return strings.HasPrefix(p, dir+"/") }
}
