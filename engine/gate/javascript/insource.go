package javascript

import (
	"path"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/internal/lazyregexp"
)

var (
	// inSource matches the beginning of Vitest's in-source tests. https://vitest.dev/guide/in-source
	inSource = lazyregexp.New(`\bif\s*\(\s*import\.meta\.vitest\s*\)\s*\{`)
	// passage matches a comment, a text, a bracket, or the beginning of one.
	passage         = lazyregexp.New("//[^\n]*|(?s:/\\*.*?\\*/)|'(?:[^'\\\\\n]|\\\\(?s:.))*'|\"(?:[^\"\\\\\n]|\\\\(?s:.))*\"|`(?:[^`\\\\]|\\\\(?s:.))*`|[{}]")
	inSourceEndings = []string{".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"}
)

// inline returns Vitest's in-source tests: blocks of `if (import.meta.vitest)`. They are at the end of files: if the end of a
// block is not found, because of quotes or brackets in a regular expression, it extends to the end.
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

// blockEnd returns the end of the block in which a text begins.
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
