// Package testtext compares and cuts texts of Go's test files by their declarations. It is pure.
package testtext

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Touched returns the tests that only one of two texts of a test file has, or that differ; a missing file is "". ok is false if anything else
// differs that the equal tests may depend on: what they call, what runs by itself, or the meaning of a name.
func Touched(before, after string) (tests []string, ok bool) {
	old, ok := readTests(before)
	now, nowOK := readTests(after)
	ok = ok && nowOK && old.begins(now)
	gone, come := differing(old, now), differing(now, old)
	imports := func(d declaration) bool { return d.imports }
	ok = ok && (!slices.ContainsFunc(gone, imports) || !slices.ContainsFunc(come, imports)) // one may have taken the name of another
	for _, d := range gone {
		ok = ok && (d.test != "" || d.imports && d.harmless)
	}
	for _, d := range come {
		ok = ok && d.harmless && (d.of == "" || now.types[d.of] && !old.types[d.of])
	}
	return testsOf(slices.Concat(gone, come)), ok
}

// testsOf names the tests among declarations, each once.
func testsOf(all []declaration) (names []string) {
	for _, d := range all {
		if d.test != "" {
			names = append(names, d.test)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// differing are the declarations of one text that the other does not have.
func differing(one, other source) (all []declaration) {
	for text, d := range one.decls {
		if _, both := other.decls[text]; !both {
			all = append(all, d)
		}
	}
	return all
}

// source is a file of tests taken apart.
type source struct {
	head  string                 // what precedes the first declaration, apart from imports
	decls map[string]declaration // by their texts
	types map[string]bool        // that it declares
}

type declaration struct {
	test     string // its name, where it is one
	of       string // the type that it is a method of: it may be called without its name
	imports  bool   // it is an import
	harmless bool   // apart from that, it has no effect on code that does not name it
}

// begins reports whether both texts begin alike, apart from imports; one that is not there does.
func (s source) begins(other source) bool {
	return s.head == "" || other.head == "" || s.head == other.head
}

// add takes in one declaration; a second one of the same text is another one.
func (s source) add(text string, d declaration) {
	for _, again := s.decls[text]; again; _, again = s.decls[text] {
		text += "\n"
	}
	s.decls[text] = d
}

// readTests splits a file into its declarations; ok is false if it cannot be parsed.
func readTests(text string) (s source, ok bool) {
	s = source{decls: map[string]declaration{}, types: map[string]bool{}}
	if text == "" {
		return s, true
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return s, false
	}
	c := cut{set: set, file: file, types: s.types}
	s.head = text[:c.offset(file.Name.End())]
	for _, decl := range file.Decls {
		if d, is := c.declaration(decl); is {
			s.add(text[c.offset(beginning(decl)):c.offset(decl.End())], d)
		}
	}
	for _, spec := range file.Imports {
		bare := spec.Name != nil && (spec.Name.Name == "_" || spec.Name.Name == ".")
		s.add(text[c.offset(spec.Pos()):c.offset(spec.End())], declaration{imports: true, harmless: !bare})
	}
	return s, true
}

// beginning is where a declaration begins; that of anything but a function includes its comment, which may embed files.
func beginning(decl ast.Decl) token.Pos {
	if d, is := decl.(*ast.GenDecl); is && d.Doc != nil {
		return d.Doc.Pos()
	}
	return decl.Pos()
}

// declaration is what is to be known of one that is no import. It notes which types are declared.
func (c *cut) declaration(decl ast.Decl) (of declaration, is bool) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv != nil {
			return declaration{of: receiver(d.Recv), harmless: true}, true
		}
		return declaration{test: runnable(d.Name.Name), harmless: !slices.Contains(runsAlone, d.Name.Name) && c.named(d.Name)}, true
	case *ast.GenDecl:
		return declaration{harmless: c.harmless(d)}, d.Tok != token.IMPORT
	}
	return declaration{}, true
}

// runsAlone are functions that run although nothing calls them.
var runsAlone = []string{"init", "TestMain", "_"}

// runnable is the name of a function that go test runs unasked; empty of any other.
func runnable(name string) string {
	if name != "TestMain" && (IsTestName(name) || strings.HasPrefix(name, "Fuzz") || strings.HasPrefix(name, "Example")) {
		return name
	}
	return ""
}

// harmless reports whether a declaration that is no function's does nothing that is not asked for by a name. It notes types.
func (c *cut) harmless(d *ast.GenDecl) bool {
	ok := true
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			c.types[s.Name.Name] = true
			ok = ok && c.named(s.Name)
		case *ast.ValueSpec:
			ok = ok && c.named(s.Names...) && (d.Tok != token.VAR || !slices.ContainsFunc(s.Values, acts))
		}
	}
	return ok
}

// named reports whether names mean nothing else once their declarations are gone: neither something predeclared nor something from a dot import.
func (c *cut) named(names ...*ast.Ident) bool {
	dotted := slices.ContainsFunc(c.file.Imports, func(s *ast.ImportSpec) bool { return s.Name != nil && s.Name.Name == "." })
	return !dotted && !slices.ContainsFunc(names, func(name *ast.Ident) bool { return name.Name == "_" || types.Universe.Lookup(name.Name) != nil })
}

// receiver is the name of the type that a method is of.
func receiver(of *ast.FieldList) (name string) {
	if len(of.List) != 1 {
		return ""
	}
	ast.Inspect(of.List[0].Type, func(n ast.Node) bool {
		if id, is := n.(*ast.Ident); is && name == "" {
			name = id.Name
		}
		return name == ""
	})
	return name
}

// acts reports whether an expression does something while it gets its value.
func acts(e ast.Expr) (does bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			does = true
		case *ast.UnaryExpr:
			does = does || x.Op == token.ARROW
		}
		return !does
	})
	return does
}

func (c *cut) offset(at token.Pos) int { return c.set.PositionFor(at, false).Offset }

// IsTestName reports whether go test takes a function of that name for a test.
func IsTestName(name string) bool {
	rest, is := strings.CutPrefix(name, "Test")
	first, _ := utf8.DecodeRuneInString(rest)
	return is && !unicode.IsLower(first)
}
