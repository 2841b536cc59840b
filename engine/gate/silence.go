package gate

import (
	"path"
	"strings"

	"forge/internal/lazyregexp"
)

// silencers match the comments that silence a tool, by the ending of the file.
var silencers = map[string]*lazyregexp.Regexp{
	".go": lazyregexp.New(`//\s*nolint\b|//lint:(?:file-)?ignore\b|#nosec\b`),
	".py": lazyregexp.New(`#\s*(?:noqa\b|type:\s*ignore|(?:pylint|pyright|mypy|ruff|flake8|nosec)\b[^\n]*|pragma:\s*no\s*cover|fmt:\s*(?:off|skip))`),
	".js": lazyregexp.New(`eslint-disable|@ts-(?:ignore|expect-error|nocheck)\b|prettier-ignore|biome-ignore|(?:istanbul|c8|v8) ignore`),
	".rs": lazyregexp.New(`#!?\[\s*(?:allow|expect)\s*\(|\bcfg_attr\s*\(.*\b(?:allow|expect)\s*\(|rustfmt::skip|rustfmt_skip`),
	".sh": lazyregexp.New(`#\s*shellcheck\s+disable`),
}

// Silence returns the part of a line that silences a linter, a type checker or a formatter, or "".
func Silence(name, line string) string {
	ending := path.Ext(name)
	switch ending {
	case ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".vue", ".svelte":
		ending = ".js"
	case ".pyi":
		ending = ".py"
	}
	if found := silencers[ending]; found != nil {
		return strings.TrimSpace(found.FindString(line))
	}
	return ""
}
