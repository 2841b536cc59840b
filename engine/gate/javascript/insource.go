package javascript

import (
	"path"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/internal/lazyregexp"
)

var (
	// inSource is how Vitest's tests in sources begin. https://vitest.dev/guide/in-source
	inSource = lazyregexp.New(`\bif\s*\(\s*import\.meta\.vitest\s*\)\s*\{`)
	// passage is a comment, a text, a bracket, or what may be one of them begun.
	passage         = lazyregexp.New("//[^\n]*|(?s:/\\*.*?\\*/)|'(?:[^'\\\\\n]|\\\\(?s:.))*'|\"(?:[^\"\\\\\n]|\\\\(?s:.))*\"|`(?:[^`\\\\]|\\\\(?s:.))*`|[{}]")
	inSourceEndings = []string{".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"}
)

// inline finds Vitest's tests in sources: blocks of `if (import.meta.vitest)`. They stand at the end of files: one whose end is
// not found, because a regular expression in it has quotes or brackets, goes to the end.
func inline(file, text string) (parts []gate.Part) {
	if !slices.Contains(inSourceEndings, path.Ext(file)) || !strings.Contains(text, "import.meta.vitest") {
		return nil
	}
	for at := 0; ; {
		begins := inSource.FindStringIndex(text[at:])
		if begins == nil {
			return parts
		}
		end := at + begins[1] + blockEnd(text[at+begins[1]:])
		parts = append(parts, gate.Part{Start: at + begins[0], End: end})
		at = end
	}
}

// blockEnd is where the block ends in which a text begins.
func blockEnd(text string) int {
	depth := 1
	for _, m := range passage.FindAllStringIndex(text, -1) {
		switch text[m[0]] {
		case '{':
			depth++
		case '}':
			depth--
		}
		if depth == 0 {
			return m[1]
		}
	}
	return len(text)
}
