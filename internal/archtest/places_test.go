package archtest

import (
	"go/ast"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// architecture is the document that names the packages and where to find things.
const architecture = "ARCHITECTURE.md"

var (
	quoted     = regexp.MustCompile("`[^`]+`")
	placeFile  = regexp.MustCompile(`^(?:[\w.-]+/)*[\w.-]+\.(?:go|yaml|json|txt|ts|lua|sh|md)$`)
	placePath  = regexp.MustCompile(`^\w[\w.-]*(?:/[\w.-]+)+$`)
	placeName  = regexp.MustCompile(`^(?:\w+\.)*\w*[A-Z]\w*$`)
	nameInFile = regexp.MustCompile("`((?:\\w+\\.)*\\w*[A-Za-z]\\w*)` \\(`([\\w./-]+\\.go)`")
)

// checkPlaces wants the files and names that ARCHITECTURE.md sends its readers to, and each package of the program in it. A name
// that is followed by a file in parentheses is declared in that file.
func checkPlaces(m *module, b *blocks) []Violation {
	text, has := b.documents[architecture]
	if !has {
		return nil
	}
	at := placesOf(m)
	var found []Violation
	missing := func(line int, message string) {
		found = append(found, Violation{architecture, line, "named-place", message})
	}
	for n, line := range strings.Split(text, "\n") {
		for _, token := range quoted.FindAllString(line, -1) {
			if token = strings.Trim(token, "`"); !at.exists(token) {
				missing(n+1, "there is no "+token+": name what the reader will find")
			}
		}
		for _, pair := range nameInFile.FindAllStringSubmatch(line, -1) {
			if name, file := pair[1], pair[2]; !at.declares(file, name) {
				missing(n+1, name+" is not declared in "+file+": name the file where it is")
			}
		}
	}
	for _, p := range m.packages {
		if len(p.production()) > 0 && !strings.Contains(text, "`"+p.dir+"`") && !strings.Contains(text, "`"+path.Base(p.dir)+"`") {
			missing(0, "the package "+p.dir+" is not in it: say what it does, in one line")
		}
	}
	return found
}

// places are the files of a module, and the names that its Go files declare: functions, methods, types, fields, constants and
// variables, each alone, with its type, with its package, and with both.
type places struct {
	tails map[string][]string        // the paths that are this path, or end with it
	files map[string]map[string]bool // the names of a file, by its path
	names map[string]bool            // of all files
}

func placesOf(m *module) places {
	at := places{tails: map[string][]string{}, files: map[string]map[string]bool{}, names: map[string]bool{}}
	for _, p := range m.paths {
		for tail, more := p, true; more; _, tail, more = strings.Cut(tail, "/") {
			at.tails[tail] = append(at.tails[tail], p)
		}
	}
	for _, p := range m.packages {
		for _, f := range p.files {
			names := declared(f.syntax)
			at.files[f.path] = names
			for name := range names {
				at.names[name] = true
			}
		}
	}
	return at
}

// exists reports whether a quoted text that looks like a path or a name of Go is one; other texts are.
func (at places) exists(token string) bool {
	switch {
	case placeFile.MatchString(token), placePath.MatchString(token):
		return at.tails[token] != nil
	case placeName.MatchString(token):
		return at.names[token]
	}
	return true
}

// declares reports whether a file with that path, or that end of its path, declares a name.
func (at places) declares(file, name string) bool {
	return slices.ContainsFunc(at.tails[file], func(p string) bool { return at.files[p][name] })
}

// declared returns the names that a file declares.
func declared(f *ast.File) map[string]bool {
	names := map[string]bool{}
	add := func(name string) { names[name], names[f.Name.Name+"."+name] = true, true }
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			add(d.Name.Name)
			if d.Recv != nil {
				add(typeName(d.Recv.List[0].Type) + "." + d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				declaredBy(spec, add)
			}
		}
	}
	return names
}

func declaredBy(spec ast.Spec, add func(name string)) {
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		for _, name := range spec.Names {
			add(name.Name)
		}
	case *ast.TypeSpec:
		add(spec.Name.Name)
		ast.Inspect(spec.Type, func(n ast.Node) bool {
			if field, is := n.(*ast.Field); is {
				for _, name := range field.Names {
					add(name.Name)
					add(spec.Name.Name + "." + name.Name)
				}
			}
			return true
		})
	}
}

// typeName is the name of a receiver's type, without pointer and type parameters.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.ParenExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.IndexListExpr:
		return typeName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// pathsOf lists the files and folders of a module, without hidden and installed ones.
func pathsOf(fsys fs.FS) (paths []string, err error) {
	err = fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case p != "." && d.IsDir() && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return fs.SkipDir
		}
		paths = append(paths, p)
		return nil
	})
	return paths, err
}
