package repomap

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode"

	"forge/codeintel"
	"forge/codeintel/search"
	"forge/internal/lazyregexp"
)

// neighbours are the files around targets, the most important first; none is in two lists, or a target.
type neighbours struct {
	direct     []int32 // what the targets import or use
	transitive []int32 // what those import, then who imports the targets
}

func (m *Mapper) neighbours(targets []int32) neighbours {
	seen := make([]bool, len(m.documents))
	for _, target := range targets {
		seen[target] = true
	}
	var k neighbours
	for _, target := range targets {
		k.direct = append(k.direct, m.needs(target, seen)...)
	}
	g := m.graph()
	around := across(g.links, k.direct, seen)
	near := m.near(targets)
	byRank(around, near)
	users := across(g.users, targets, seen)
	byRank(users, near)
	k.transitive = append(around, users...)
	return k
}

func byRank(files []int32, rank []float64) {
	slices.SortFunc(files, func(a, b int32) int { return cmp.Or(cmp.Compare(rank[b], rank[a]), cmp.Compare(a, b)) })
}

// across returns the files that links of files lead to, and marks them.
func across(links [][]int32, files []int32, seen []bool) []int32 {
	var all []int32
	for _, file := range files {
		for _, to := range links[file] {
			if !seen[to] {
				seen[to] = true
				all = append(all, to)
			}
		}
	}
	return all
}

// needs returns the files that a file imports and those beside it of the same package, marks them, and puts those
// first of which it uses most. A file of a package of many files counts only if a name of it is used.
func (m *Mapper) needs(target int32, seen []bool) []int32 {
	used := m.identifiers(target)
	candidates := append(across(m.graph().links, []int32{target}, seen), m.packageOf(target, seen)...)
	definers := map[string]int{}
	for _, number := range candidates {
		for i := range m.catalog(number).entries {
			definers[m.catalog(number).entries[i].name]++
		}
	}
	uses := make([]float64, len(m.documents))
	needed := candidates[:0]
	for _, number := range candidates {
		for i := range m.catalog(number).entries {
			if name := m.catalog(number).entries[i].name; used[name] {
				uses[number] += 1 / float64(definers[name])
			}
		}
		if uses[number] > 0 || !packaged(m.documents[number].Language) {
			needed = append(needed, number)
		} else {
			seen[number] = false
		}
	}
	byRank(needed, uses)
	return needed
}

// packaged reports whether the files of a folder are one package in a language, and see each other without imports.
func packaged(language codeintel.Language) bool {
	return language == codeintel.LanguageGo || language == codeintel.LanguageJava
}

// packageOf returns the other files of a file's package, and marks them.
func (m *Mapper) packageOf(number int32, seen []bool) []int32 {
	if !packaged(m.documents[number].Language) {
		return nil
	}
	of := &m.documents[number]
	folder := path.Dir(of.Path)
	var all []int32
	for i := range m.documents {
		d := &m.documents[i]
		if !seen[i] && d.Language == of.Language && path.Dir(d.Path) == folder {
			seen[i] = true
			all = append(all, int32(i))
		}
	}
	return all
}

// identifiers returns the identifiers in the text of a file; none if it cannot be read.
func (m *Mapper) identifiers(number int32) map[string]bool {
	all := map[string]bool{}
	text := m.read(number) // what cannot be read uses nothing
	notInside := func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for word := range bytes.FieldsFuncSeq(text, notInside) {
		all[string(word)] = true
	}
	return all
}

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
