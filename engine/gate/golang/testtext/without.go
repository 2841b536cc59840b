package testtext

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
)

// Without returns the text of a test file without the declarations that contain faults, the lines that do not compile; all other lines keep
// their numbers. ok is false if the rest may behave differently without them: if they run by themselves (init, TestMain, a variable whose value is
// a call), are a method of a type that stays, or if their name may then mean something else.
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

// at removes the declaration that contains a line; ok is false if that may change the behaviour of the others.
func (c *cut) at(line int) (ok bool) {
	for _, decl := range c.file.Decls {
		if !c.has(decl, line) {
			continue
		}
		switch d := decl.(type) {
		case *ast.FuncDecl:
			ok = d.Recv == nil && !slices.Contains(runsAlone, d.Name.Name) && c.named(d.Name)
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

// methods removes the methods of removed types.
func (c *cut) methods() {
	for _, decl := range c.file.Decls {
		if d, is := decl.(*ast.FuncDecl); is && d.Recv != nil && c.types[receiver(d.Recv)] {
			c.blank(d, d.Doc)
		}
	}
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
