package integrity

import (
	"path"
	"slices"
	"strings"
)

// mayBeIn reports whether a test may be in a file, according to its name: two packages may have tests of the same name. A Go file
// at the top of a module may be of any package, because names do not show the end of the module's path.
func mayBeIn(test, file string) bool {
	switch path.Ext(file) {
	case ".go":
		at := goTest.FindStringIndex(test)
		dir := path.Dir(file)
		return at == nil || dir == "." || test[:at[0]] == dir || strings.HasSuffix(test[:at[0]], "/"+dir)
	case ".py":
		if at := caseOf.FindStringIndex(test); at != nil {
			test = test[:at[1]-1]
		}
		parts := withinTest.Split(test, -1)
		return len(parts) < 2 || slices.Contains(parts, strings.TrimSuffix(path.Base(file), ".py"))
	case ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts":
		where, _, within := strings.Cut(test, " > ")
		return !within || path.Ext(where) == "" || path.Base(where) == path.Base(file)
	}
	return true
}
