package golang

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// Touched compares two texts of a file of tests, empty where there is none: tests are those that stand in one of them only, or otherwise. It is
// not ok where anything else differs that tests which stand in both can see: what they call, what runs by itself, or what a name means.
func Touched(before, after string) (tests []string, ok bool) {
	old, ok := read(before)
	now, nowOK := read(after)
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
	head  string                 // what stands before the first declaration, apart from imports
	decls map[string]declaration // by their texts
	types map[string]bool        // that it declares
}

type declaration struct {
	test     string // its name, where it is one
	of       string // the type that it is a method of: it may be asked for without its name
	imports  bool   // it is an import
	harmless bool   // apart from that, what does not name it does not see that it is there
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

// read takes a file apart; not ok where it cannot be parsed.
func read(text string) (s source, ok bool) {
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

// beginning is where a declaration begins; one that is no function's with its comment, which may say what is embedded.
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
		return declaration{test: runnable(d.Name.Name), harmless: !slices.Contains(runs, d.Name.Name) && c.named(d.Name)}, true
	case *ast.GenDecl:
		return declaration{harmless: c.harmless(d)}, d.Tok != token.IMPORT
	}
	return declaration{}, true
}

// runs are functions that run although nothing calls them.
var runs = []string{"init", "TestMain", "_"}

// runnable is the name of a function that go test runs unasked; empty of any other.
func runnable(name string) string {
	if name != "TestMain" && (isTestName(name) || strings.HasPrefix(name, "Fuzz") || strings.HasPrefix(name, "Example")) {
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
