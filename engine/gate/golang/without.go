package golang

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
)

// Without gives the text of a file of tests without the declarations in which lines stand that do not compile, each other line where it
// was. It is not ok where what is left could behave in another way than it does in the whole file: with what runs by itself (init, TestMain,
// a variable whose value is a call), with a method of a type that stays, or where another thing may have the name of what is gone.
func Without(text string, faults []int) (rest string, ok bool) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return "", false
	}
	c := cut{set: set, file: file, left: []byte(text), types: map[string]bool{}}
	for _, fault := range faults {
		if !c.at(fault) {
			return "", false
		}
	}
	c.methods()
	slices.Sort(c.imports)
	for _, at := range slices.Backward(slices.Compact(c.imports)) {
		c.left = slices.Insert(c.left, at, []byte("_ ")...)
	}
	return string(c.left), string(c.left) != text
}

// cut takes declarations out of a file.
type cut struct {
	set     *token.FileSet
	file    *ast.File
	left    []byte
	types   map[string]bool // those that are gone
	imports []int           // offsets of paths of imports that lose their names
}

// at takes the declaration out that a line stands in; not ok where that may change what the others do.
func (c *cut) at(line int) (ok bool) {
	for _, decl := range c.file.Decls {
		if !c.has(decl, line) {
			continue
		}
		switch d := decl.(type) {
		case *ast.FuncDecl:
			ok = d.Recv == nil && !slices.Contains(runs, d.Name.Name) && c.named(d.Name)
			c.blank(d, d.Doc)
		case *ast.GenDecl:
			ok = c.general(d, line)
		}
		return ok
	}
	return false
}

// general takes a declaration out that is not of a function: of an import only its name, so that what the package does at its start is done.
func (c *cut) general(d *ast.GenDecl, line int) bool {
	if d.Tok != token.IMPORT {
		c.blank(d, d.Doc)
		return c.harmless(d)
	}
	at := slices.IndexFunc(d.Specs, func(spec ast.Spec) bool { return c.has(spec, line) })
	if at < 0 {
		return false
	}
	spec, is := d.Specs[at].(*ast.ImportSpec)
	return is && c.unnamed(spec)
}

// unnamed makes an import one for what the package does at its start only.
func (c *cut) unnamed(s *ast.ImportSpec) bool {
	if s.Name != nil && (s.Name.Name == "_" || s.Name.Name == ".") {
		return false
	}
	if s.Name != nil {
		c.blank(s.Name, nil)
	}
	c.imports = append(c.imports, c.offset(s.Path.Pos()))
	return true
}

// named reports whether nothing else can have a name once its declaration is gone: nothing predeclared, and nothing of a package whose names
// stand in the file without it.
func (c *cut) named(names ...*ast.Ident) bool {
	dotted := slices.ContainsFunc(c.file.Imports, func(s *ast.ImportSpec) bool { return s.Name != nil && s.Name.Name == "." })
	return !dotted && !slices.ContainsFunc(names, func(name *ast.Ident) bool { return name.Name == "_" || types.Universe.Lookup(name.Name) != nil })
}

// methods takes out the methods of types that are gone.
func (c *cut) methods() {
	for _, decl := range c.file.Decls {
		if d, is := decl.(*ast.FuncDecl); is && d.Recv != nil && c.types[receiver(d.Recv)] {
			c.blank(d, d.Doc)
		}
	}
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

func (c *cut) has(n ast.Node, line int) bool {
	return c.set.PositionFor(n.Pos(), false).Line <= line && line <= c.set.PositionFor(n.End(), false).Line
}

// blank leaves nothing of a part but the ends of its lines.
func (c *cut) blank(n ast.Node, doc *ast.CommentGroup) {
	from := n.Pos()
	if doc != nil {
		from = doc.Pos()
	}
	for i := c.offset(from); i < min(c.offset(n.End()), len(c.left)); i++ {
		if c.left[i] != '\n' {
			c.left[i] = ' '
		}
	}
}

func (c *cut) offset(at token.Pos) int { return c.set.PositionFor(at, false).Offset }
