package repomap

import (
	"path"
	"strings"

	"forge/codeintel/search"
	"forge/internal/lazyregexp"
)

// testMarks are what the name of a file of tests has beside the name of what it tests.
var testMarks = lazyregexp.New(`^test[_-]|[_-]tests?$|\.(test|spec|tests)$|^tests?$`)

// subject is the name of what a file is about: "parser" of parser_test.go, tests/test_parser.py and parser.spec.ts.
func subject(name string) string {
	base := strings.ToLower(path.Base(name))
	for ext := path.Ext(base); ext != "" && !testMarks.MatchString(base); ext = path.Ext(base) {
		base = strings.TrimSuffix(base, ext)
		if testMarks.MatchString(base) {
			break
		}
	}
	return strings.ReplaceAll(testMarks.ReplaceAllString(base, ""), "-", "_")
}

// counterparts returns the tests of a file of code, or the code of a file of tests, by their names: those in the nearest folder first.
func (m *Mapper) counterparts(number int32) (all []int32) {
	of := &m.documents[number]
	test, about := search.IsTest(of.Path), subject(of.Path)
	if about == "" || about == "__init__" || about == "index" {
		return nil
	}
	best := -1
	for i := range m.documents {
		d := &m.documents[i]
		if int32(i) == number || path.Ext(d.Path) == "" || d.Language == "" || isProse(d.Path) || search.IsTest(d.Path) == test || subject(d.Path) != about {
			continue
		}
		switch shared := sharedFolders(of.Path, d.Path); {
		case shared > best:
			best, all = shared, append([]int32{int32(i)}, all...)
		default:
			all = append(all, int32(i))
		}
	}
	return all[:min(len(all), 2)]
}

// sharedFolders is how many folders two paths have in common, from the top.
func sharedFolders(a, b string) int {
	n := 0
	for i := 0; i < len(a) && i < len(b) && a[i] == b[i]; i++ {
		if a[i] == '/' {
			n++
		}
	}
	return n
}

func isProse(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown", ".rst", ".txt", ".adoc", ".yaml", ".yml", ".toml", ".json":
		return true
	}
	return false
}
