package codeintel

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// outline writes symbols as lines "kind name: detail", with the text of their spans where it is short.
func outline(source string, symbols []Symbol, indent string) string {
	var b strings.Builder
	for _, s := range symbols {
		name := s.Name
		if s.Receiver != "" {
			name = s.Receiver + "." + name
		}
		fmt.Fprintf(&b, "%s%s %s", indent, s.Kind, name)
		if s.Detail != "" {
			fmt.Fprintf(&b, ": %s", s.Detail)
		}
		fmt.Fprintf(&b, "  [%s]\n%s", firstLine(source[s.Span.Start:s.Span.End]), outline(source, s.Children, indent+"\t"))
	}
	return b.String()
}

func firstLine(text string) string {
	line, _, more := strings.Cut(text, "\n")
	if more {
		line += "…"
	}
	return line
}

func TestGoOutline_FindsDeclarations(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, source, want string }{
		{"functions and methods", `package p
// F is documented.
func F(a, b int) (string,
	error) { return "", nil }
func (m *Map[K, V]) Put(k K)
func (Server) Run() {}
func G[T any](T) {}
`, `function F: (a, b int) (string, error)  [func F(a, b int) (string,…]
method *Map[K, V].Put: (k K)  [func (m *Map[K, V]) Put(k K)]
method Server.Run: ()  [func (Server) Run() {}]
function G: (T)  [func G[T any](T) {}]
`},
		{"types", `package p
type S struct {
	A, B int
	io.Reader
	*T[int]
	In struct{ X func() }
}
type I interface {
	Do(x int) error
	fmt.Stringer
	~int | ~string
}
type (
	A = map[string]int
	F func()
	L map[string][]*struct{ Y int }
)
`, `struct S  [type S struct {…]
	field A: int  [A, B int]
	field B: int  [A, B int]
	field Reader: io.Reader  [io.Reader]
	field T: *T[int]  [*T[int]]
	field In: struct{ X func() }  [In struct{ X func() }]
		field X: func()  [X func()]
interface I  [type I interface {…]
	method Do: (x int) error  [Do(x int) error]
type A: map[string]int  [A = map[string]int]
type F: func()  [F func()]
type L: map[string][]*struct{ Y int }  [L map[string][]*struct{ Y int }]
	field Y: int  [Y int]
`},
		{"values", `package p
const Pi = 3
const (
	One, Two = iota, 2
	Three
)
var x, y int = 1, 2
var _ = x
`, `constant Pi  [const Pi = 3]
constant One  [One, Two = iota, 2]
constant Two  [One, Two = iota, 2]
constant Three  [Three]
variable x: int  [var x, y int = 1, 2]
variable y: int  [var x, y int = 1, 2]
variable _  [var _ = x]
`},
		{"what can be parsed", `package p
func a() {}
type T struct { X int
func b() {}
`, `function a: ()  [func a() {}]
struct T  [type T struct { X int…]
	field X: int  [X int]
`},
		{"line directives move nothing", "package p\n//line other.go:900\nfunc f() {}\n", "function f: ()  [func f() {}]\n"},
		{"characters of every width", "package p\nvar 𝒳é = \"漢\"\n", "variable 𝒳é  [var 𝒳é = \"漢\"]\n"},
		{"imports are no symbols", "package p\nimport \"fmt\"\n", ""},
		{"no Go at all", "def f(): pass\n", ""},
		{"nothing", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, outline(test.source, GoOutline(test.source).Symbols, ""))
		})
	}
}

func TestGoOutline_CutsLongDetails(t *testing.T) {
	t.Parallel()
	symbols := GoOutline("package p\nfunc f(" + strings.Repeat("é, ", 200) + "int) {}\n").Symbols
	require.Len(t, symbols, 1)
	require.LessOrEqual(t, len(symbols[0].Detail), maxDetail+len("…"))
	require.True(t, strings.HasSuffix(symbols[0].Detail, "…"))
}

// checkSpans fails unless names lie inside their symbols, symbols inside the source, and children
// inside their parents.
func checkSpans(t *testing.T, source string, within Span, symbols []Symbol) {
	t.Helper()
	for _, s := range symbols {
		require.NotEmpty(t, s.Name)
		require.Equal(t, s.Name, source[s.NameSpan.Start:s.NameSpan.End])
		require.LessOrEqual(t, within.Start, s.Span.Start)
		require.LessOrEqual(t, s.Span.Start, s.NameSpan.Start)
		require.LessOrEqual(t, s.NameSpan.End, s.Span.End)
		require.LessOrEqual(t, s.Span.End, within.End)
		checkSpans(t, source, s.Span, s.Children)
	}
}

func FuzzGoOutline(f *testing.F) {
	own, err := os.ReadFile("golang.go")
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{
		string(own), "package p\nfunc", "package p\nfunc (", "package p\nfunc (x) f", "package p\ntype T struct{ ; }",
		"package p\ntype T interface{ f", "package p\nconst (\nx =", "package p\nvar x, = 1", "\uFEFFpackage p\nfunc f() {}",
		"package p\ntype A[", "package p\ntype T struct { a, b\n*", "package \xff\nfunc f\xfe() {}", "package p\r\nfunc f() {\r",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		outline := GoOutline(source)
		checkSpans(t, source, Span{0, len(source)}, outline.Symbols)
	})
}
