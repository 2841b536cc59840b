package codeintel

import (
	"go/ast"
	"go/token"
	"strconv"
)

// appendImport keeps "." and "_" and other names out: they say nothing about what is taken out of the package.
func (g goFile) appendImport(imports []Import, spec *ast.ImportSpec) []Import {
	path, err := strconv.Unquote(spec.Path.Value)
	if err != nil || path == "" {
		return imports
	}
	return append(imports, Import{Path: path, Span: g.span(spec)})
}

// references returns the identifiers of a file that are used. Names that are declared are left out, at package level
// and inside functions, and so are the names of the package, of imports and of labels.
func (g goFile) references(tree *ast.File) []Reference {
	var references []Reference
	declared := map[*ast.Ident]bool{tree.Name: true}
	ast.Inspect(tree, func(n ast.Node) bool {
		declare(declared, n)
		if id, ok := n.(*ast.Ident); ok && !declared[id] && id.Name != "_" {
			if s := g.span(id); g.source[s.Start:s.End] == id.Name {
				references = append(references, Reference{id.Name, s})
			}
		}
		return true
	})
	return references
}

// declare marks the names that a node declares; their own nodes come later.
func declare(declared map[*ast.Ident]bool, n ast.Node) {
	switch n := n.(type) {
	case *ast.FuncDecl:
		declared[n.Name] = true
	case *ast.TypeSpec:
		declared[n.Name] = true
	case *ast.ImportSpec:
		declared[n.Name] = true
	case *ast.LabeledStmt:
		declared[n.Label] = true
	case *ast.BranchStmt:
		declared[n.Label] = true
	case *ast.ValueSpec:
		for _, name := range n.Names {
			declared[name] = true
		}
	case *ast.Field:
		for _, name := range n.Names {
			declared[name] = true
		}
	case *ast.AssignStmt:
		declareNew(declared, n.Tok, n.Lhs...)
	case *ast.RangeStmt:
		declareNew(declared, n.Tok, n.Key, n.Value)
	}
}

func declareNew(declared map[*ast.Ident]bool, t token.Token, targets ...ast.Expr) {
	if t != token.DEFINE {
		return
	}
	for _, target := range targets {
		if name, ok := target.(*ast.Ident); ok {
			declared[name] = true
		}
	}
}
