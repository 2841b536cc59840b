//go:build cgo

package treesitter_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/codeintel"
	"forge/codeintel/treesitter"
)

// seen writes down where a name stands: line, "=" for a declaration, "." for a member, and the number of a local name.
func seen(t *testing.T, language codeintel.Language, source, name string) string {
	t.Helper()
	found, known, err := new(treesitter.Outliner).Occurrences(t.Context(), language, source, name)
	require.NoError(t, err)
	require.True(t, known)
	var all []string
	for _, o := range found {
		require.Equal(t, name, source[o.Span.Start:o.Span.End])
		mark := fmt.Sprint(1 + strings.Count(source[:o.Span.Start], "\n"))
		if o.Defines {
			mark += "="
		}
		if o.Member {
			mark += "."
		}
		if o.Local > 0 {
			mark += fmt.Sprint("#", o.Local)
		}
		all = append(all, mark)
	}
	return strings.Join(all, " ")
}

func TestOccurrences_CodeAndNotText(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		language codeintel.Language
		source   string
		want     string
		name     string // empty is "total"
	}{
		"Go": {codeintel.LanguageGo, "package a\n\n// total is\nfunc total() int { return 1 }\nfunc b() (n int) {\n\ttotal := total()\n\tn = total\n\treturn n + x.total + len(\"total\")\n}\ntype t struct{ total int }\nvar _ = t{total: total()}\n",
			"4= 6=#1 6 7#1 8. 10=. 11. 11", ""},
		"Python": {codeintel.LanguagePython, "def total(n):\n    \"\"\"total\"\"\"\n    return n  # total\n\ndef f(total):\n    return total + g(total=total).total\n\nclass A:\n    def total(self):\n        return total(f\"total {total}\")\n",
			"1= 5=#1 6#1 6. 6#1 6. 9=. 10 10", ""},
		"Python assigns": {codeintel.LanguagePython, "x = 1\ndef f():\n    x = 2\n    return [x for x in y], x\ndef g():\n    global x\n    x = 3\nwith open(a) as x:\n    print(x)\n",
			"1= 3=#1 4#2 4=#2 4#1 6 7= 8= 9", "x"},
		"TypeScript": {codeintel.LanguageTypeScript, "export function total(n: number): number { return n }\nimport { total as t } from './total'\nconst f = (total: number) => total + 1\nconst { total: other } = { total: total(1) }\nfunction g() { const total = 2; return { total } }\nclass A { total = 1; m() { return this.total } }\n// total\nconst s = `total ${total(2)}`\n",
			"1= 2 3=#1 3#1 4. 4. 4 5=#2 5#2 6=. 6. 8", ""},
		"Rust": {codeintel.LanguageRust, "fn total(n: i32) -> i32 { n }\nstruct A { total: i32 }\nimpl A { fn total(&self) -> i32 { self.total } }\nfn f() { let total = total(1); println!(\"total\"); g(total); }\nfn h() -> i32 { crate::total(2) }\n",
			"1= 2=. 3=. 3. 4=#1 4#1 4#1 5.", ""},
		"Java":                   {codeintel.LanguageJava, "class A {\n  int total;\n  int total() { return total; }\n  int f(int total) { return total + this.total(); }\n}\n", "2=. 3=. 3 4=#1 4#1 4.", ""},
		"C":                      {codeintel.LanguageC, "int total(int n);\nint total(int n) { return n; }\nint f(int total) { return total; }\nint g(void) { return total(1); }\n", "1= 2= 3=#1 3#1 4", ""},
		"Ruby":                   {codeintel.LanguageRuby, "def total(n)\n  n\nend\ndef f(total)\n  total + 1\nend\nputs total(1), \"total #{total(2)}\"\n", "1= 4=#1 5#1 7 7", ""},
		"Bash":                   {codeintel.LanguageBash, "total() { echo 1; }\necho \"total $(total)\"\ntotal\n", "1= 2 3", ""},
		"letters of all scripts": {codeintel.LanguagePython, "größe = 1\ngröße2 = größe\nprint(größe)\n", "1= 2 3", "größe"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, seen(t, c.language, c.source, cmp.Or(c.name, "total")))
		})
	}
}
