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
// and inside functions, and so are the names of the package, of imports and of labels. The tree is spent afterwards.
func (g goFile) references(tree *ast.File) []Reference {
	references := make([]Reference, 0, len(g.source)/30) // about as many as there are
	blank(tree.Name)
	ast.Inspect(tree, func(n ast.Node) bool {
		blankDeclared(n)
		if id, ok := n.(*ast.Ident); ok && id.Name != "_" {
			if s := g.span(id); g.source[s.Start:s.End] == id.Name {
				references = append(references, Reference{id.Name, s})
			}
		}
		return true
	})
	return references
}

// blankDeclared blanks the names that a node declares, which are visited later. To remember them instead would take a
// map as large as the tree.
func blankDeclared(n ast.Node) {
	switch n := n.(type) {
	case *ast.FuncDecl:
		blank(n.Name)
	case *ast.TypeSpec:
		blank(n.Name)
	case *ast.ImportSpec:
		blank(n.Name)
	case *ast.LabeledStmt:
		blank(n.Label)
	case *ast.BranchStmt:
		blank(n.Label)
	case *ast.ValueSpec:
		blank(n.Names...)
	case *ast.Field:
		blank(n.Names...)
	case *ast.AssignStmt:
		blankNew(n.Tok, n.Lhs...)
	case *ast.RangeStmt:
		blankNew(n.Tok, n.Key, n.Value)
	}
}

func blankNew(t token.Token, targets ...ast.Expr) {
	if t != token.DEFINE {
		return
	}
	for _, target := range targets {
		if name, ok := target.(*ast.Ident); ok {
			blank(name)
		}
	}
}

func blank(names ...*ast.Ident) {
	for _, name := range names {
		if name != nil {
			name.Name = "_"
		}
	}
}
