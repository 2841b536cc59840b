package archtest

import (
	"go/ast"
	"go/token"
)

// checkStartup finds regular expressions that are compiled whenever a process starts, whether it uses them or not.
func checkStartup(m *module, _ *blocks) []Violation {
	var found []Violation
	for _, p := range m.packages {
		for _, f := range p.production() {
			for _, at := range f.compiledAtStart() {
				found = append(found, Violation{f.path, f.fset.Position(at).Line, "startup", "this is compiled whenever a process starts: use internal/lazyregexp"})
			}
		}
	}
	return found
}

// compiledAtStart are the places where variables of the package are made of compiled regular expressions.
func (f *goFile) compiledAtStart() (places []token.Pos) {
	for _, d := range f.syntax.Decls {
		variables, ok := d.(*ast.GenDecl)
		if !ok || variables.Tok != token.VAR {
			continue
		}
		ast.Inspect(variables, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if name, ok := call.Fun.(*ast.SelectorExpr); ok && name.Sel.Name == "MustCompile" {
					places = append(places, call.Pos())
				}
			}
			_, later := n.(*ast.FuncLit)
			return !later
		})
	}
	return places
}
