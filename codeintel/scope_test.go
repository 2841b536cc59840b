package codeintel_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/codeintel"
)

const scoped = `package p

import "fmt"

// Server serves.
type Server struct {
	Address string
	retries int

	options struct {
		deep bool
	}
}

func (s *Server) Run(
	first string,
	second int,
) error {
	if first == "" {
		return nil
	}
	for range second {
		fmt.Println(first)
	}
	return nil
}

var handler = func() {
	fmt.Println()
}

func short() { fmt.Println() }
`

func TestEnclosing_HasTheLinesAround(t *testing.T) {
	t.Parallel()
	outline := codeintel.GoOutline(scoped)
	lines := strings.Split(scoped, "\n")
	text := func(first, last int) codeintel.Excerpt {
		return codeintel.Excerpt{First: first, Text: strings.Join(lines[first-1:last], "\n")}
	}
	tests := []struct {
		name   string
		line   int
		scope  string
		around codeintel.Excerpt
		found  bool
	}{
		{"in a function", 23, "Run", text(20, 26), true},
		{"on its last line", 26, "Run", text(23, 29), true},
		{"near its header, which is not shown twice", 20, "Run", text(17, 23), true},
		{"on its header", 16, "Run", text(13, 19), true},
		{"in a type", 11, "Server", text(8, 14), true},
		{"on an empty line in a type", 9, "Server", text(6, 12), true},
		{"in the comment above a type", 5, "", text(2, 8), false},
		{"between declarations", 14, "", text(11, 17), false},
		{"in a function that is one line", 32, "short", text(29, 32), true},
		{"in a value", 29, "", text(26, 32), false},
		{"on the first line", 1, "", text(1, 4), false},
		{"before the source", 0, "", codeintel.Excerpt{}, false},
		{"behind the source", 99, "", codeintel.Excerpt{}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			scope, found := codeintel.Enclosing(outline.Symbols, scoped, test.line)
			require.Equal(t, test.found, found)
			require.Equal(t, test.scope, nameOf(scope))
			require.Empty(t, cmp.Diff(test.around, scope.Around))
		})
	}
}

func TestEnclosing_IsTheInnermost(t *testing.T) {
	t.Parallel()
	source := "class A:\r\n  x = 1\r\n\r\n\r\n\r\n  def f(self):\r\n    def g():\r\n      pass\r\n    return 1\r\n"
	span := func(from, to string) codeintel.Span {
		return codeintel.Span{Start: strings.Index(source, from), End: strings.Index(source, to) + len(to)}
	}
	g := codeintel.Symbol{Name: "g", Kind: codeintel.Function, Span: span("def g", "pass"), NameSpan: span("g():", "g")}
	f := codeintel.Symbol{
		Name: "f", Kind: codeintel.Method, Span: span("def f", "return 1"), NameSpan: span("f(self", "f"), Children: []codeintel.Symbol{g},
	}
	x := codeintel.Symbol{Name: "x", Kind: codeintel.Field, Span: span("x = 1", "x = 1"), NameSpan: span("x", "x")}
	a := codeintel.Symbol{Name: "A", Kind: codeintel.Class, Span: span("class", "return 1"), NameSpan: span("A", "A"), Children: []codeintel.Symbol{x, f}}
	for line, want := range map[int]string{1: "A", 2: "A", 4: "A", 6: "A.f", 7: "A.f.g", 8: "A.f.g", 9: "A.f"} {
		scope, found := codeintel.Enclosing([]codeintel.Symbol{a}, source, line)
		require.True(t, found)
		require.Equal(t, want, nameOf(scope), line)
	}
	scope, _ := codeintel.Enclosing([]codeintel.Symbol{a}, source, 9)
	require.Empty(t, cmp.Diff(codeintel.Excerpt{First: 6, Text: "  def f(self):\r\n    def g():\r\n      pass\r\n    return 1"}, scope.Around))
}

// nameOf is the innermost symbol with the names around it, such as "Client.fetch".
func nameOf(s codeintel.Scope) string {
	var names []string
	for _, symbol := range s.Symbols {
		names = append(names, symbol.Name)
	}
	return strings.Join(names, ".")
}
