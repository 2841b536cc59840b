package activity

import (
	"path"
	"slices"
	"strings"
)

// lockFiles are the files that package managers write, in lower case: no user edits them.
var lockFiles = []string{
	"bun.lock", "cargo.lock", "composer.lock", "deno.lock", "gemfile.lock", "go.sum", "go.work.sum", "npm-shrinkwrap.json", "package-lock.json",
	"pdm.lock", "pipfile.lock", "pixi.lock", "pnpm-lock.yaml", "poetry.lock", "uv.lock", "yarn.lock",
}

// licences are the names of files with terms of use, without their extensions; names such as "license-mit" are not among them.
var licences = []string{"license", "licence", "copying", "unlicense", "notice"}

// isUnedited reports whether a file is hardly ever edited by hand: lock files and licences. A file that the task names is not.
func isUnedited(file, task string) bool {
	base := strings.ToLower(path.Base(file))
	ending := path.Ext(base)
	name := strings.TrimSuffix(base, ending)
	isText := slices.Contains([]string{"", ".txt", ".md", ".rst", ".adoc"}, ending) // code may be called that, too
	isLicence := isText && (slices.Contains(licences, name) || strings.HasPrefix(name, "license-"))
	return (isLicence || slices.Contains(lockFiles, base)) && !strings.Contains(task, path.Base(file))
}
