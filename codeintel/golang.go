package codeintel

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
)

// GoOutline reads a Go file with Go's own parser. Symbols are what it declares at package level, with fields and
// methods of interfaces below their types. Of broken source it returns what can be parsed.
func GoOutline(source string) Outline {
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, "", source, parser.SkipObjectResolution|parser.AllErrors|parser.ParseComments)
	outline := Outline{Language: LanguageGo, Broken: err != nil}
	if tree == nil {
		return outline
	}
	g := goFile{source: source, file: files.File(tree.FileStart)}
	outline.Package = tree.Name.Name
	for _, declaration := range tree.Decls {
		outline.Symbols = g.appendDeclaration(outline.Symbols, declaration)
	}
	for _, spec := range tree.Imports {
		outline.Imports = g.appendImport(outline.Imports, spec)
	}
	return outline
}

// appendImport ignores the local name ("." and "_" included): it does not show which names are used.
func (g goFile) appendImport(imports []Import, spec *ast.ImportSpec) []Import {
	path, err := strconv.Unquote(spec.Path.Value)
	if err != nil || path == "" {
		return imports
	}
	return append(imports, Import{Path: path, Span: g.span(spec)})
}

// goFile turns nodes of one parsed file into symbols.
type goFile struct {
	source string
	file   *token.File
}

func (g goFile) appendDeclaration(symbols []Symbol, declaration ast.Decl) []Symbol {
	switch d := declaration.(type) {
	case *ast.FuncDecl:
		return g.append(symbols, g.function(d), d.Name)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			symbols = g.appendSpec(symbols, d, spec)
		}
	}
	return symbols
}

func (g goFile) function(d *ast.FuncDecl) Symbol {
	s := Symbol{Kind: Function, Span: g.span(d), Doc: goDoc(d.Doc), Detail: g.detail(d.Type.Params, d.Type.Results)}
	if d.Recv != nil && len(d.Recv.List) > 0 {
		s.Kind, s.Receiver = Method, g.text(d.Recv.List[0].Type)
	}
	return s
}

func (g goFile) appendSpec(symbols []Symbol, d *ast.GenDecl, spec ast.Spec) []Symbol {
	whole, doc := g.span(spec), &ast.CommentGroup{}
	if !d.Lparen.IsValid() {
		whole, doc = g.span(d), d.Doc // the keyword belongs to its only symbol
	}
	switch s := spec.(type) {
	case *ast.TypeSpec:
		symbol := Symbol{Kind: typeKind(s.Type), Span: whole, Doc: goDoc(doc, s.Doc, s.Comment), Children: g.members(s.Type)}
		if symbol.Kind == Type {
			symbol.Detail = g.text(s.Type)
		}
		return g.append(symbols, symbol, s.Name)
	case *ast.ValueSpec:
		kind := Variable
		if d.Tok == token.CONST {
			kind = Constant
		}
		for _, name := range s.Names {
			symbol := Symbol{Kind: kind, Span: whole, Doc: goDoc(doc, s.Doc, s.Comment), Detail: g.text(s.Type)}
			symbols = g.append(symbols, symbol, name)
		}
	}
	return symbols
}

func typeKind(t ast.Expr) Kind {
	switch t.(type) {
	case *ast.StructType:
		return Struct
	case *ast.InterfaceType:
		return Interface
	default:
		return Type
	}
}

// members returns the fields of a struct, or the methods of an interface, also where a type is made of one, such as
// []struct{…}. Types that are embedded in an interface are only named there.
func (g goFile) members(t ast.Expr) []Symbol {
	var symbols []Symbol
	switch t := t.(type) {
	case *ast.StructType:
		for _, field := range t.Fields.List {
			symbols = g.appendField(symbols, field)
		}
	case *ast.InterfaceType:
		for _, field := range t.Methods.List {
			if len(field.Names) > 0 {
				symbols = g.appendField(symbols, field)
			}
		}
	case *ast.ArrayType:
		return g.members(t.Elt)
	case *ast.StarExpr:
		return g.members(t.X)
	case *ast.ChanType:
		return g.members(t.Value)
	case *ast.MapType:
		return append(g.members(t.Key), g.members(t.Value)...)
	}
	return symbols
}

func (g goFile) appendField(symbols []Symbol, field *ast.Field) []Symbol {
	s := Symbol{
		Kind: Field, Span: g.span(field), Doc: goDoc(field.Doc, field.Comment),
		Detail: g.text(field.Type), Children: g.members(field.Type),
	}
	if signature, ok := field.Type.(*ast.FuncType); ok && !signature.Func.IsValid() {
		s.Kind, s.Detail = Method, g.detail(signature.Params, signature.Results)
	}
	if len(field.Names) == 0 {
		if name := embeddedName(field.Type); name != nil {
			symbols = g.append(symbols, s, name)
		}
		return symbols
	}
	for _, name := range field.Names {
		symbols = g.append(symbols, s, name)
	}
	return symbols
}

// embeddedName returns the name by which an embedded type is a field; nil for a union of types.
func embeddedName(t ast.Expr) *ast.Ident {
	switch t := t.(type) {
	case *ast.Ident:
		return t
	case *ast.StarExpr:
		return embeddedName(t.X)
	case *ast.SelectorExpr:
		return t.Sel
	case *ast.IndexExpr:
		return embeddedName(t.X)
	case *ast.IndexListExpr:
		return embeddedName(t.X)
	default:
		return nil
	}
}

// append adds a symbol under its name, unless the parser made the name up because there is none.
func (g goFile) append(symbols []Symbol, s Symbol, name *ast.Ident) []Symbol {
	s.Name, s.NameSpan = name.Name, g.span(name)
	if s.Name == "" || g.source[s.NameSpan.Start:s.NameSpan.End] != s.Name {
		return symbols
	}
	// In broken source a node can end before its name does.
	s.Span.Start, s.Span.End = min(s.Span.Start, s.NameSpan.Start), max(s.Span.End, s.NameSpan.End)
	return append(symbols, s)
}

func (g goFile) span(n ast.Node) Span {
	return Span{g.offset(n.Pos()), g.offset(n.End())}
}

// offset is clamped to the source: the parser makes positions up where something is missing.
func (g goFile) offset(p token.Pos) int {
	return max(0, min(int(p)-g.file.Base(), len(g.source)))
}

// detail is the text of the nodes from the first to the last that is there, on one line.
func (g goFile) detail(first, last *ast.FieldList) string {
	if first == nil {
		return ""
	}
	if last == nil {
		last = first
	}
	return g.line(g.offset(first.Pos()), g.offset(last.End()))
}

// text is the source of an expression on one line; empty for nil.
func (g goFile) text(e ast.Expr) string {
	if e == nil {
		return ""
	}
	return g.line(g.offset(e.Pos()), g.offset(e.End()))
}

func (g goFile) line(start, end int) string {
	if start >= end {
		return ""
	}
	return Brief(g.source[start:end])
}

// goDoc is the first line of the first comment with text; directives do not count.
func goDoc(comments ...*ast.CommentGroup) string {
	for _, c := range comments {
		if text := c.Text(); text != "" {
			return DocLine(text)
		}
	}
	return ""
}
