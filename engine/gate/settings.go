package gate

import (
	"path"
	"slices"
	"strings"
)

// settings are files that say what tools check and what they let pass, and nothing else. Files that say more, such as a
// package.json, are not among them: what of the tests goes with them is missed by Baseline.
var settings = []string{
	".editorconfig", ".golangci.*", "staticcheck.conf",
	"ruff.toml", ".ruff.toml", ".flake8", "mypy.ini", ".mypy.ini", "pytest.ini", ".pytest.ini", "pyrightconfig.json", ".bandit", "tox.ini", ".pylintrc",
	"eslint.config.*", ".eslintrc", ".eslintrc.*", ".eslintignore", ".prettierrc", ".prettierrc.*", "prettier.config.*", ".prettierignore", "tsconfig*.json",
	"vitest.config.*", "vitest.workspace.*", "jest.config.*", ".mocharc", ".mocharc.*",
	"clippy.toml", ".clippy.toml", "rustfmt.toml", ".rustfmt.toml", ".shellcheckrc", "shellcheckrc",
}

// IsSettings reports whether a path is that of a file which only says how code is checked: whoever changes it can have
// anything pass.
func IsSettings(name string) bool {
	dir, base := path.Split(name)
	if strings.HasSuffix(dir, ".cargo/") && strings.HasPrefix(base, "config") {
		return true
	}
	return slices.ContainsFunc(settings, func(pattern string) bool {
		is, _ := path.Match(pattern, base) // the patterns are ours
		return is
	})
}
