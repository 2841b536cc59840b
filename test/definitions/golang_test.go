package definitions

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"forge/codeintel"
)

// goAnswers asks Go's type checker: what it records as defined, file by file. It needs no imports for that.
func goAnswers(t *testing.T, names []string) []answer {
	t.Helper()
	var all []answer
	for _, name := range names {
		files := token.NewFileSet()
		tree, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			all = append(all, answer{File: name, Broken: true})
			continue
		}
		o := goOracle{files: files, defined: map[*ast.Ident]types.Object{}}
		config := types.Config{IgnoreFuncBodies: true, Error: func(error) {}, FakeImportC: true} // errors are about other files
		_, _ = config.Check("p", files, []*ast.File{tree}, &types.Info{Defs: o.defined})
		for _, declaration := range tree.Decls {
			o.inspect(declaration)
		}
		all = append(all, answer{File: name, Definitions: o.found})
	}
	return all
}

type goOracle struct {
	files   *token.FileSet
	defined map[*ast.Ident]types.Object
	found   []definition
}

// inspect adds what a declaration defines at package level.
func (o *goOracle) inspect(declaration ast.Decl) {
	var around []ast.Node // from the declaration to the parent of the node
	ast.Inspect(declaration, func(n ast.Node) bool {
		if n == nil {
			around = around[:len(around)-1]
			return true
		}
		if id, ok := n.(*ast.Ident); ok && o.defined[id] != nil {
			o.add(id, o.defined[id], around)
		}
		around = append(around, n)
		return true
	})
}

// add leaves out parameters, type parameters and the fields of types that have no name.
func (o *goOracle) add(id *ast.Ident, object types.Object, around []ast.Node) {
	kind := goKind(object, around)
	if kind == "" || slices.ContainsFunc(around, isSignature) {
		return
	}
	for _, path := range paths(around) {
		o.found = append(o.found, definition{kind, path + id.Name, o.line(id.Pos()), o.line(whole(around).End() - 1)})
	}
}

func (o *goOracle) line(p token.Pos) int { return o.files.PositionFor(p, false).Line }

func isSignature(n ast.Node) bool {
	_, ok := n.(*ast.FuncType)
	return ok
}

func goKind(object types.Object, around []ast.Node) codeintel.Kind {
	spec, inType := enclosing[*ast.TypeSpec](around)
	if inType && spec.TypeParams != nil && slices.Contains(around, ast.Node(spec.TypeParams)) {
		return ""
	}
	switch object := object.(type) {
	case *types.Const:
		return codeintel.Constant
	case *types.Func:
		f, declared := enclosing[*ast.FuncDecl](around)
		switch {
		case declared && f.Recv == nil:
			return codeintel.Function
		case declared || inType:
			return codeintel.Method
		}
	case *types.Var:
		_, inValue := enclosing[*ast.ValueSpec](around)
		switch {
		case object.IsField() && inType:
			return codeintel.Field
		case !object.IsField() && inValue:
			return codeintel.Variable
		}
	case *types.TypeName:
		if !inType {
			return "" // a type parameter of a function
		}
		switch spec.Type.(type) {
		case *ast.StructType:
			return codeintel.Struct
		case *ast.InterfaceType:
			return codeintel.Interface
		default:
			return codeintel.Type
		}
	}
	return ""
}

func enclosing[N ast.Node](around []ast.Node) (N, bool) {
	for _, n := range slices.Backward(around) {
		if n, ok := n.(N); ok {
			return n, true
		}
	}
	var none N
	return none, false
}

// whole is the declaration of a name: the keyword belongs to it unless there are parentheses.
func whole(around []ast.Node) ast.Node {
	for i, n := range slices.Backward(around) {
		switch n := n.(type) {
		case *ast.Field, *ast.FuncDecl:
			return n
		case ast.Spec:
			if d := around[i-1].(*ast.GenDecl); !d.Lparen.IsValid() {
				return d
			}
			return n
		}
	}
	return nil
}

// paths are the names around a name, with a dot behind each: several, where fields of one type are declared together.
func paths(around []ast.Node) []string {
	all := []string{""}
	for i, n := range around {
		var names []*ast.Ident
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Recv != nil && len(n.Recv.List) > 0 {
				return []string{baseOf(types.ExprString(n.Recv.List[0].Type)) + "."}
			}
		case *ast.TypeSpec:
			if i < len(around)-1 {
				names = []*ast.Ident{n.Name}
			}
		case *ast.Field:
			if i < len(around)-1 {
				names = n.Names
			}
		}
		all = joined(all, names)
	}
	return all
}

func joined(paths []string, names []*ast.Ident) []string {
	if len(names) == 0 {
		return paths
	}
	var all []string
	for _, path := range paths {
		for _, name := range names {
			all = append(all, path+name.Name+".")
		}
	}
	return all
}

// baseOf is the name of a receiver's type without stars, parentheses and type parameters.
func baseOf(receiver string) string {
	name, _, _ := strings.Cut(strings.Trim(receiver, "*() "), "[")
	return strings.Trim(name, "*() ")
}
