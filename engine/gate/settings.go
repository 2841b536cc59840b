package gate

import (
	"path"
	"slices"
	"strings"

	"forge/internal/lazyregexp"
)

// settings are files that say what tools check and what they let pass, and nothing else. What of files that say
// more, such as a package.json, says it is Settings.
var settings = []string{
	".editorconfig", ".golangci.*", "staticcheck.conf",
	"ruff.toml", ".ruff.toml", ".flake8", "mypy.ini", ".mypy.ini", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "pyrightconfig.json", ".bandit", "tox.ini", ".pylintrc",
	"eslint.config.*", ".eslintrc", ".eslintrc.*", ".eslintignore", ".prettierrc", ".prettierrc.*", "prettier.config.*", ".prettierignore", "tsconfig*.json",
	"vitest.config.*", "vitest.workspace.*", "jest.config.*", ".mocharc", ".mocharc.*",
	"clippy.toml", ".clippy.toml", "rustfmt.toml", ".rustfmt.toml", ".shellcheckrc", "shellcheckrc",
}

// IsSettings reports whether a path is that of a file which only says how code is checked: whoever changes it can have
// anything pass.
func IsSettings(name string) bool {
	dir, base := path.Split(name)
	switch {
	case strings.HasSuffix(dir, ".cargo/") && strings.HasPrefix(base, "config"),
		base == "entry_points.txt" && (strings.HasSuffix(dir, ".dist-info/") || strings.HasSuffix(dir, ".egg-info/")): // pytest loads plugins that these name
		return true
	}
	return slices.ContainsFunc(settings, func(pattern string) bool {
		is, _ := path.Match(pattern, base) // the patterns are ours
		return is
	})
}

// vendored finds files that Go's tools have copied from other modules: their folders are named after where those come from.
var vendored = lazyregexp.New(`(?:^|/)vendor/(?:modules\.txt$|[^/]+\.[^/]+/)`)

// IsInstalled reports whether a path is that of a file which was installed and not written here. Tests rely on such files, as on
// what compares values for them, and nothing checks them.
func IsInstalled(name string) bool {
	dir := path.Dir(name)
	return vendored.MatchString(name) || slices.ContainsFunc(strings.Split(dir, "/"), func(part string) bool {
		return slices.Contains([]string{"node_modules", "site-packages", ".venv"}, part)
	})
}
