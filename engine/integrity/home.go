package integrity

import (
	"path"
	"slices"
	"strings"
)

// mayBeIn reports whether a test may stand in a file, as far as its name says where it stands: two packages may each have a test of one
// name. A Go file at the top of a module may be of any package, for names do not say where the module's path ends.
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
