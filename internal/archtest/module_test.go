package archtest

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// module is everything the rules look at.
type module struct {
	path     string // "forge"
	packages []*pkg // ordered by dir
	sources  []source
	paths    []string // of all files and folders
}

// pkg is one folder with Go files.
type pkg struct {
	dir   string // relative to the root: "engine/graph"
	files []*goFile
}

// goFile is a parsed Go file.
type goFile struct {
	source
	fset   *token.FileSet
	syntax *ast.File
}

// source is a text file that people or generators write: Go, TypeScript, JavaScript, Lua or shell.
type source struct {
	path      string
	text      []byte
	test      bool
	generated bool
}

var sourceExtensions = []string{".go", ".ts", ".js", ".mjs", ".lua", ".sh"}

// generatedHeader is the line that marks generated files in every language here, after its comment sign.
var generatedHeader = regexp.MustCompile(`(?m)^\W{1,3} ?Code generated .* DO NOT EDIT\.?`)

func load(fsys fs.FS) (*module, error) {
	name, err := modulePath(fsys)
	if err != nil {
		return nil, err
	}
	m := &module{path: name}
	if m.paths, err = pathsOf(fsys); err != nil {
		return nil, err
	}
	err = fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return skipDir(fsys, p, d)
		case slices.Contains(sourceExtensions, path.Ext(p)):
			return m.add(fsys, p)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the module: %w", err)
	}
	return m, nil
}

var moduleLine = regexp.MustCompile(`(?m)^module\s+(\S+)`)

func modulePath(fsys fs.FS) (string, error) {
	text, err := fs.ReadFile(fsys, "go.mod")
	if err != nil {
		return "", fmt.Errorf("read the module's name: %w", err)
	}
	match := moduleLine.FindSubmatch(text)
	if match == nil {
		return "", errors.New("go.mod has no module line")
	}
	return string(match[1]), nil
}

// skipDir skips what is not written here: installed, built and hidden folders, fixtures, other modules.
func skipDir(fsys fs.FS, p string, d fs.DirEntry) error {
	if p == "." {
		return nil
	}
	switch name := d.Name(); {
	case strings.HasPrefix(name, "."), name == "testdata", name == "node_modules", name == "out", name == "bin":
		return fs.SkipDir
	}
	if _, err := fs.Stat(fsys, path.Join(p, "go.mod")); err == nil {
		return fs.SkipDir
	}
	return nil
}

func (m *module) add(fsys fs.FS, p string) error {
	text, err := fs.ReadFile(fsys, p)
	if err != nil {
		return err
	}
	head := text[:min(len(text), 2048)]
	s := source{path: p, text: text, test: isTest(p), generated: generatedHeader.Match(head)}
	m.sources = append(m.sources, s)
	if path.Ext(p) != ".go" {
		return nil
	}
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, p, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	at := m.folder(path.Dir(p))
	at.files = append(at.files, &goFile{source: s, fset: fset, syntax: syntax})
	return nil
}

// folder returns the package of a folder, new if it is the folder's first file. Files come in the order of
// a walk, so that a folder's subfolders may lie between its files.
func (m *module) folder(dir string) *pkg {
	i, found := slices.BinarySearchFunc(m.packages, dir, func(p *pkg, dir string) int { return strings.Compare(p.dir, dir) })
	if !found {
		m.packages = slices.Insert(m.packages, i, &pkg{dir: dir})
	}
	return m.packages[i]
}

// isTest reports whether a file is test code, by the name its language gives tests, or by lying in test/.
func isTest(p string) bool {
	base := path.Base(p)
	return strings.HasSuffix(base, "_test.go") || strings.Contains(base, ".test.") ||
		strings.HasPrefix(p, "test/") || strings.Contains(p, "/test/")
}

func (s source) lines() int {
	n := bytes.Count(s.text, []byte("\n"))
	if len(s.text) > 0 && s.text[len(s.text)-1] != '\n' {
		n++
	}
	return n
}

// production returns the files that are part of the program.
func (p *pkg) production() []*goFile {
	return slices.DeleteFunc(slices.Clone(p.files), func(f *goFile) bool { return f.test })
}

func (p *pkg) tests() []*goFile {
	return slices.DeleteFunc(slices.Clone(p.files), func(f *goFile) bool { return !f.test })
}

// imported is one import of a file.
type imported struct {
	path string
	line int
}

func (f *goFile) imports() []imported {
	all := make([]imported, 0, len(f.syntax.Imports))
	for _, spec := range f.syntax.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err == nil { // the parser has refused anything else
			all = append(all, imported{name, f.line(spec.Pos())})
		}
	}
	return all
}

func (f *goFile) line(p token.Pos) int { return f.fset.Position(p).Line }

// inside returns an import's folder in this module, and whether it is of this module.
func (m *module) inside(importPath string) (string, bool) {
	if importPath == m.path {
		return ".", true
	}
	return strings.CutPrefix(importPath, m.path+"/")
}
