package archtest

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"
)

// checkPackageDocs wants one comment per package that begins as godoc expects.
func checkPackageDocs(m *module, _ *blocks) []Violation {
	var found []Violation
	for _, p := range m.packages {
		if !slices.ContainsFunc(p.files, hasPackageDoc) {
			found = append(found, Violation{p.dir, 0, "package-doc", `the package has no comment: begin one with "Package name" or "Command name" and say what it is`})
		}
	}
	return found
}

var packageDoc = regexp.MustCompile(`^(Package|Command) \w`)

func hasPackageDoc(f *goFile) bool { return packageDoc.MatchString(f.syntax.Doc.Text()) }

// checkDocs wants a comment at every exported name of production code.
func checkDocs(m *module, _ *blocks) []Violation {
	var found []Violation
	for _, p := range m.packages {
		for _, f := range p.production() {
			if !f.generated {
				found = append(found, undocumented(f)...)
			}
		}
	}
	return found
}

func undocumented(f *goFile) []Violation {
	var found []Violation
	missing := func(name *ast.Ident) {
		found = append(found, Violation{f.path, f.line(name.Pos()), "doc", name.Name + " is exported and has no comment: say what it means, with units and errors"})
	}
	covered := -1 // the line on which a documented one-line function ends
	for _, d := range f.syntax.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			documented := d.Doc != nil || f.line(d.Pos()) == covered+1
			if !documented && exportedFunc(d) {
				missing(d.Name)
			}
			covered = -1
			if documented && f.line(d.Pos()) == f.line(d.End()) {
				covered = f.line(d.End())
			}
		case *ast.GenDecl:
			for _, name := range undocumentedSpecs(d) {
				missing(name)
			}
		}
	}
	return found
}

// wellKnown are methods that say the same on every type: those of errors, and fmt.Stringer's.
var wellKnown = []string{"Error", "Unwrap", "Is", "As", "String"}

// exportedFunc reports whether other packages can see a function and need its documentation: it is
// exported, its receiver too, and the standard library does not say already what it does.
func exportedFunc(d *ast.FuncDecl) bool {
	if !d.Name.IsExported() {
		return false
	}
	if d.Recv == nil {
		return true
	}
	if slices.Contains(wellKnown, d.Name.Name) {
		return false
	}
	return ast.IsExported(typeName(d.Recv.List[0].Type))
}

// undocumentedSpecs returns the exported names of a declaration without comment. A comment on a group speaks
// for its constants and variables, not for its types.
func undocumentedSpecs(d *ast.GenDecl) []*ast.Ident {
	var names []*ast.Ident
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			alone := d.Doc != nil && !d.Lparen.IsValid()
			if s.Name.IsExported() && s.Doc == nil && !alone {
				names = append(names, s.Name)
			}
		case *ast.ValueSpec:
			if d.Doc == nil && s.Doc == nil && s.Comment == nil {
				names = append(names, slices.DeleteFunc(slices.Clone(s.Names), func(n *ast.Ident) bool { return !n.IsExported() })...)
			}
		}
	}
	return names
}

var testName = regexp.MustCompile(`\b(Test|Fuzz|Benchmark)[A-Z]\w*`)

// checkNamedTests wants the tests that documents appeal to.
func checkNamedTests(m *module, b *blocks) []Violation {
	exists := map[string]bool{}
	for _, p := range m.packages {
		for _, f := range p.files {
			for _, d := range f.syntax.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && f.test && fn.Recv == nil {
					exists[fn.Name.Name] = true
				}
			}
		}
	}
	var found []Violation
	for document, text := range b.documents {
		for n, line := range strings.Split(text, "\n") {
			for _, name := range testName.FindAllString(line, -1) {
				if !exists[name] {
					found = append(found, Violation{document, n + 1, "named-test", "there is no test " + name + ": name the one that keeps this"})
				}
			}
		}
	}
	return found
}
