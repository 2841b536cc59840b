package general

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"forge/codeintel"
	"forge/codeintel/imports"
)

// Texts are the files to check.
type Texts struct {
	Paths []string // of all files, slash-separated
	// Read returns the text of a file. Unreadable files are not reported.
	Read   func(path string) ([]byte, error)
	Binder codeintel.Binder
}

// Breach is an import of a missing name or file.
type Breach struct {
	Path         string // of the importing file
	Line, Column int    // from 1, in bytes
	Message      string
}

// ContractResult is the result of CheckContracts.
type ContractResult struct {
	Breaches []Breach // by path, in source order
	Files    int      // number of readable files
	Takings  int      // number of imported names and files that could be judged
}

// CheckContracts checks the imports between the files of a folder. The error is ctx's; the result has the breaches found until
// then.
func CheckContracts(ctx context.Context, f Texts) (r ContractResult, err error) {
	c := newChecker(f)
	for _, name := range f.Paths {
		if !c.judged(name) {
			continue
		}
		bound, err := c.bindings(ctx, name)
		if err != nil {
			return r, err
		}
		if !bound.Known {
			continue
		}
		r.Files++
		found, told, err := c.takings(ctx, name, bound.Imports)
		if err != nil {
			return r, err
		}
		r.Breaches, r.Takings = append(r.Breaches, found...), r.Takings+told
	}
	return r, nil
}

// checker caches the files of a folder.
type checker struct {
	Texts
	graph *imports.Graph
	known map[string]codeintel.Bindings
	made  generated
	below map[string]bool     // folders with files in them
	stems map[string][]string // files by path without endings
	added map[string]bool     // files to which others add names; nil before that is computed
	// topmost is the result of tops; nil before its first call.
	topmost map[string][]string
}

var languages = []codeintel.Language{
	codeintel.LanguagePython, codeintel.LanguageJavaScript, codeintel.LanguageTypeScript, codeintel.LanguageTSX,
}

// BindsNames reports whether the contracts of a file can be checked.
func BindsNames(name string) bool { return slices.Contains(languages, codeintel.LanguageOf(name)) }

func newChecker(f Texts) *checker {
	c := &checker{Texts: f, known: map[string]codeintel.Bindings{}, below: map[string]bool{}, stems: map[string][]string{}}
	files := make([]imports.File, 0, len(f.Paths))
	for _, name := range f.Paths {
		file := imports.File{Path: name}
		if BindsNames(name) {
			file.Language = codeintel.LanguageOf(name)
		}
		files = append(files, file)
		c.stems[stem(name)] = append(c.stems[stem(name)], name)
		for dir := folderOf(name); !c.below[dir]; dir = folderOf(dir) {
			c.below[dir] = true
		}
	}
	c.graph = imports.Resolve(files, f.Read)
	c.made = generatedIn(f)
	return c
}

// judged reports whether the imports of a file are checked.
func (c *checker) judged(name string) bool { return BindsNames(name) && !IsAside(name) }

// IsAside reports whether a file need not be valid on its own: a sample of faulty code, a generated file, or declarations for
// another file.
func IsAside(name string) bool {
	if declares(name) || strings.Contains(path.Base(name), ".min.") {
		return true
	}
	tests := false
	for _, part := range strings.Split(folderOf(name), "/") {
		if samples[part] || tests && inTests[part] {
			return true
		}
		tests = tests || part == "test" || part == "tests"
	}
	return false
}

// samples are folders whose files need not fit together; inTests are such folders below test folders.
var (
	samples = set("fixtures fixture __fixtures__ testdata test_data test-data templates template __snapshots__ snapshots node_modules vendor third_party site-packages")
	inTests = set("data cases samples resources assets input inputs corpus")
)

// declares reports whether a file only declares the contents of another one.
func declares(name string) bool {
	base := path.Base(name)
	return strings.HasSuffix(base, ".pyi") || strings.HasSuffix(base, ".d.ts") || strings.HasSuffix(base, ".d.mts") ||
		strings.HasSuffix(base, ".d.cts") || strings.Contains(base, ".d.") && strings.HasSuffix(base, ".ts")
}

// bindings returns those of a file; an unreadable file has no known ones.
func (c *checker) bindings(ctx context.Context, name string) (codeintel.Bindings, error) {
	if bound, known := c.known[name]; known {
		return bound, nil
	}
	bound := codeintel.Bindings{}
	if text, err := c.Read(name); err == nil && BindsNames(name) {
		if bound, err = c.Binder.Bindings(ctx, codeintel.LanguageOf(name), string(text)); err != nil {
			return bound, err
		}
	}
	bound.Open = bound.Open || declares(name)
	c.known[name] = bound
	return bound, nil
}

// takings checks the imports of one file. told counts those that could be judged.
func (c *checker) takings(ctx context.Context, from string, takes []codeintel.ImportedName) (found []Breach, told int, err error) {
	for _, t := range takes {
		said, sure, err := c.taking(ctx, from, t)
		if err != nil {
			return found, told, err
		}
		if sure {
			told++
		}
		if said != "" {
			b := Breach{Path: from, Message: said}
			b.Line, b.Column = c.place(from, t.Span.Start)
			found = append(found, b)
		}
	}
	return found, told, nil
}

// taking returns the breach of one import; empty if it is valid. sure is false if that is unknown.
func (c *checker) taking(ctx context.Context, from string, t codeintel.ImportedName) (said string, sure bool, err error) {
	if t.Name == "" {
		return c.file(ctx, from, t.Path)
	}
	target, whole := c.target(from, t)
	if !whole {
		return "", target != "", nil
	}
	a, err := c.gives(ctx, target, t.Name, map[string]bool{})
	if err != nil || a != no {
		return "", a == yes, err
	}
	names, err := c.names(ctx, target, map[string]bool{})
	if err != nil {
		return "", false, err
	}
	return fmt.Sprintf("%s imports `%s` from %s, which does not %s it%s", path.Base(from), t.Name, t.Path, verb(from), instead(t.Name, names, verb(from))), true, nil
}

func (c *checker) place(name string, at int) (line, column int) {
	text, err := c.Read(name)
	if err != nil {
		return 1, 1
	}
	before := string(text[:min(at, len(text))])
	return 1 + strings.Count(before, "\n"), len(before) - strings.LastIndexByte(before, '\n')
}

func verb(from string) string {
	if isPython(from) {
		return "define"
	}
	return "export"
}

func isPython(name string) bool { return codeintel.LanguageOf(name) == codeintel.LanguagePython }

func set(words string) map[string]bool {
	all := map[string]bool{}
	for _, word := range strings.Fields(words) {
		all[word] = true
	}
	return all
}

// folderOf returns the folder of a path; that of the root is the root.
func folderOf(name string) string {
	if slash := strings.LastIndexByte(name, '/'); slash >= 0 {
		return name[:slash]
	}
	return ""
}

// stem returns a path up to the first dot of its last part.
func stem(name string) string {
	slash := strings.LastIndexByte(name, '/') + 1
	if dot := strings.IndexByte(name[slash:], '.'); dot > 0 {
		return name[:slash+dot]
	}
	return name
}
