package golang

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// expect notes which tests of packages that passed were never started. Code that is tested can choose among its tests, by the flags of
// package testing or by the variable GOFLAGS in a file of the user's, and the witness would run nevertheless.
func (s *suite) expect(packages []listed) {
	for _, p := range packages {
		run := s.byPath[p.path]
		if run == nil || run.state != "pass" || run.witnessed != witnessHeard {
			continue
		}
		for _, file := range p.files {
			for _, name := range declared(filepath.Join(p.dir, file)) {
				if s.byName[[2]string{p.path, name}] == nil {
					run.left = append(run.left, name)
				}
			}
		}
	}
}

// declared are the tests of a file, by their names. A file that cannot be parsed has none: it was not compiled either.
func declared(file string) (names []string) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	for _, d := range parsed.Decls {
		if f, is := d.(*ast.FuncDecl); is && f.Recv == nil && isTestName(f.Name.Name) && f.Name.Name != "TestMain" {
			names = append(names, f.Name.Name)
		}
	}
	return names
}

// isTestName reports whether go test takes a function of that name for a test.
func isTestName(name string) bool {
	rest, is := strings.CutPrefix(name, "Test")
	first, _ := utf8.DecodeRuneInString(rest)
	return is && !unicode.IsLower(first)
}
