package codeintel

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
)

// GoOccurrences is what Finder finds in a Go file.
func GoOccurrences(source, name string) (found []Occurrence, known bool) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, "", source, parser.ParseComments)
	if err != nil || name == "" || name == "_" {
		return nil, err == nil
	}
	g := goNames{file: set.File(tree.FileStart), tree: tree, name: name, skip: map[*ast.Ident]bool{tree.Name: true}, members: map[*ast.Ident]Span{}, packages: map[*ast.Ident]bool{}, locals: map[*ast.Object]int{}} //nolint:staticcheck // one file is enough for local names
	ast.Inspect(tree, g.classify)
	ast.Inspect(tree, g.visit)
	slices.SortFunc(g.found, func(a, b Occurrence) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
	return g.found, true
}

// goNames collects where a name is in a file.
type goNames struct {
	file      *token.File
	tree      *ast.File
	name      string
	skip      map[*ast.Ident]bool // labels, and the name of the package
	members   map[*ast.Ident]Span // with the types that they are members of; an empty span is unknown
	packages  map[*ast.Ident]bool // those that may name a package: before a dot, or in an import
	locals    map[*ast.Object]int //nolint:staticcheck // see GoOccurrences
	functions []ast.Node          // around the node that is visited
	open      []ast.Node          // all nodes around it
	found     []Occurrence
}

// classify notes which identifiers name members, and which name nothing that can be renamed.
func (g *goNames) classify(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.TypeSpec:
		g.fields(n.Type, g.span(n))
	case *ast.StructType, *ast.InterfaceType:
		g.fields(n, g.span(n))
	case *ast.FuncDecl:
		if n.Recv != nil {
			g.members[n.Name] = g.span(n.Recv)
		}
	case *ast.SelectorExpr:
		g.members[n.Sel] = Span{}
		if id, ok := n.X.(*ast.Ident); ok {
			g.packages[id] = true
		}
	case *ast.ImportSpec:
		g.packages[n.Name] = true
	case *ast.CompositeLit:
		g.keys(n)
	case *ast.LabeledStmt:
		g.skip[n.Label] = true
	case *ast.BranchStmt:
		g.skip[n.Label] = true
	}
	return true
}

// fields notes the fields of a struct and the methods of an interface, once.
func (g *goNames) fields(n ast.Node, holder Span) {
	var list *ast.FieldList
	switch n := n.(type) {
	case *ast.StructType:
		list = n.Fields
	case *ast.InterfaceType:
		list = n.Methods
	}
	if list == nil {
		return
	}
	for _, field := range list.List {
		for _, id := range field.Names {
			if _, known := g.members[id]; !known {
				g.members[id] = holder
			}
		}
	}
}

// keys notes the keys of a literal of a struct. A type that does not look like a map or an array counts as a struct.
func (g *goNames) keys(n *ast.CompositeLit) {
	switch n.Type.(type) {
	case *ast.MapType, *ast.ArrayType:
		return
	}
	for _, element := range n.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			if id, ok := pair.Key.(*ast.Ident); ok {
				g.members[id] = Span{}
			}
		}
	}
}

// visit adds the identifiers that have the name.
func (g *goNames) visit(n ast.Node) bool {
	if n == nil {
		last := g.open[len(g.open)-1]
		g.open = g.open[:len(g.open)-1]
		if len(g.functions) > 0 && g.functions[len(g.functions)-1] == last {
			g.functions = g.functions[:len(g.functions)-1]
		}
		return true
	}
	g.open = append(g.open, n)
	switch n := n.(type) {
	case *ast.FuncDecl, *ast.FuncLit:
		g.functions = append(g.functions, n)
	case *ast.Ident:
		if n.Name == g.name && !g.skip[n] {
			g.add(n)
		}
	}
	return true
}

func (g *goNames) add(id *ast.Ident) {
	o := Occurrence{Span: g.span(id)}
	holder, member := g.members[id]
	switch {
	case member:
		o.Member, o.Holder, o.Defines = true, holder, holder != Span{}
	case id.Obj != nil && g.tree.Scope.Lookup(g.name) == id.Obj:
		o.Defines = id.Obj.Pos() == id.Pos()
	case id.Obj != nil:
		o.Defines, o.Local, o.Scope = id.Obj.Pos() == id.Pos(), g.local(id.Obj), g.around()
	case g.packages[id] && g.imported():
		o.Local, o.Scope = g.local(nil), g.span(g.tree)
	}
	g.found = append(g.found, o)
}

// local numbers the local declarations in the order in which they are met.
func (g *goNames) local(of *ast.Object) int { //nolint:staticcheck // see GoOccurrences
	if _, known := g.locals[of]; !known {
		g.locals[of] = len(g.locals) + 1
	}
	return g.locals[of]
}

// imported reports whether the file has a package of that name.
func (g *goNames) imported() bool {
	return slices.ContainsFunc(g.tree.Imports, func(spec *ast.ImportSpec) bool {
		if spec.Name != nil {
			return spec.Name.Name == g.name
		}
		address, _ := strconv.Unquote(spec.Path.Value) // the parser has seen to it
		return mayBeCalled(address, g.name)
	})
}

// mayBeCalled reports whether a package may have a name, by its import path: of gopkg.in/yaml.v3 and github.com/mattn/go-sqlite3 a part of
// the last element is the name, and of github.com/redis/go-redis/v9 one of the element before.
func mayBeCalled(address, name string) bool {
	last := path.Base(address)
	elements := []string{last}
	if len(last) > 1 && last[0] == 'v' && strings.Trim(last[1:], "0123456789") == "" {
		elements = append(elements, path.Base(path.Dir(address)))
	}
	return slices.ContainsFunc(elements, func(element string) bool {
		return element == name || slices.Contains(strings.FieldsFunc(element, func(r rune) bool { return r == '-' || r == '.' }), name)
	})
}

// around is the outermost function around the node that is visited: no local name reaches further.
func (g *goNames) around() Span {
	if len(g.functions) > 0 {
		return g.span(g.functions[0])
	}
	return g.span(g.tree)
}

func (g *goNames) span(n ast.Node) Span {
	return Span{Start: g.file.Offset(n.Pos()), End: g.file.Offset(n.End())}
}
