package gate

import (
	"path"
	"slices"
	"strings"

	"forge/internal/lazyregexp"
)

// settings are files that only control what tools check and accept. Settings handles files that contain other
// things too, such as a package.json.
var settings = []string{
	".editorconfig", ".golangci.*", "staticcheck.conf",
	"ruff.toml", ".ruff.toml", ".flake8", "mypy.ini", ".mypy.ini", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "pyrightconfig.json", ".bandit", "tox.ini", ".pylintrc",
	"eslint.config.*", ".eslintrc", ".eslintrc.*", ".eslintignore", ".prettierrc", ".prettierrc.*", "prettier.config.*", ".prettierignore", "tsconfig*.json",
	"vitest.config.*", "vitest.workspace.*", "jest.config.*", ".mocharc", ".mocharc.*",
	"clippy.toml", ".clippy.toml", "rustfmt.toml", ".rustfmt.toml", ".shellcheckrc", "shellcheckrc",
}

// IsSettings reports whether a file only controls how code is checked: a change of it can make any check pass.
func IsSettings(name string) bool {
	dir, base := path.Split(name)
	switch {
	case strings.HasSuffix(dir, ".cargo/") && strings.HasPrefix(base, "config"),
		base == "entry_points.txt" && (strings.HasSuffix(dir, ".dist-info/") || strings.HasSuffix(dir, ".egg-info/")): // pytest loads the plugins that they name
		return true
	}
	return slices.ContainsFunc(settings, func(pattern string) bool {
		is, _ := path.Match(pattern, base) // our patterns are valid
		return is
	})
}

// vendored matches files that Go's tools copied from other modules: their folders are named after their origin.
var vendored = lazyregexp.New(`(?:^|/)vendor/(?:modules\.txt$|[^/]+\.[^/]+/)`)

// IsInstalled reports whether a file was installed and not written here. Tests rely on such files, such as assertion libraries,
// and nothing checks them.
func IsInstalled(name string) bool {
	dir := path.Dir(name)
	return vendored.MatchString(name) || slices.ContainsFunc(strings.Split(dir, "/"), func(part string) bool {
		return slices.Contains([]string{"node_modules", "site-packages", ".venv"}, part)
	})
}
