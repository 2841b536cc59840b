package activity

import (
	"path"
	"slices"
	"strings"
)

// lockFiles are what package managers write and nobody edits.
var lockFiles = []string{
	"bun.lock", "cargo.lock", "composer.lock", "deno.lock", "gemfile.lock", "go.sum", "go.work.sum", "npm-shrinkwrap.json", "package-lock.json",
	"pdm.lock", "pipfile.lock", "pixi.lock", "pnpm-lock.yaml", "poetry.lock", "uv.lock", "yarn.lock",
}

// isUnedited reports whether hardly any task changes a file by hand: lock files and licences. One that the task names is wanted.
func isUnedited(file, task string) bool {
	base := path.Base(file)
	name, _, _ := strings.Cut(strings.ToLower(base), ".")
	licence := slices.Contains([]string{"license", "licence", "copying", "unlicense", "notice"}, name) || strings.HasPrefix(name, "license-")
	return (licence && !isSource(base) || slices.Contains(lockFiles, strings.ToLower(base))) && !strings.Contains(task, base)
}

// isSource reports whether a file with the name of a licence is something else: code that checks licences, say.
func isSource(base string) bool {
	return !slices.Contains([]string{"", ".txt", ".md", ".rst", ".adoc"}, strings.ToLower(path.Ext(base))) && !strings.HasPrefix(strings.ToLower(base), "license-")
}
