package imports

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"forge/codeintel"
)

var goLanguages = []codeintel.Language{codeintel.LanguageGo}

// goResolver resolves imports of Go as the go command does, with modules:
//
//   - An import leads to the package of a folder: all files of it that are no tests, for every system, without the
//     programs ("package main") that some packages keep beside themselves behind a build tag.
//   - A test file imports what it says. That is its own package only for an external test ("package x_test"), which
//     has to say so; the other tests are part of the package.
//   - Modules of the tree find each other by their paths whether go.work or a replace says so or not: the source that
//     the user has open is what they want to see. A replace by a folder counts for the module that says it, or for
//     all below go.work. Folders of a module that lies inside another belong to the inner one only.
//   - The module "std" is the standard library: its packages have no prefix.
//   - Without any go.mod above it, a file is in a GOPATH: import paths lie below the root or its folder src, or below
//     a prefix that is guessed (see guessGoPrefix).
//   - Nothing leads into a folder vendor.
type goResolver struct {
	tree     *tree
	packages map[string]unit     // the group of each folder
	modules  map[string]goModule // by folder; those with a path
	works    map[string]goModule // go.work by folder
	byPath   map[string]string   // folder of each module, by its path
	owners   map[string]string   // folder of the module a folder belongs to; not there if there is none
	guessed  bool                // whether the prefix comes from the imports of all files
	prefix   string              // of import paths in files without a module; empty if unknown
}

func newGoResolver(t *tree, languages []codeintel.Language) resolver {
	r := &goResolver{
		tree: t, packages: map[string]unit{}, modules: map[string]goModule{}, works: map[string]goModule{},
		byPath: map[string]string{}, owners: map[string]string{},
	}
	for _, folder := range t.foldersAbove(languages) {
		r.readConfig(folder)
		if owner, ok := r.owner(folder); ok {
			r.owners[folder] = owner
		}
		r.addPackage(folder)
	}
	r.guessed = slices.ContainsFunc(t.files, func(f File) bool {
		_, ok := r.owners[folderOf(f.Path)]
		return f.Language == codeintel.LanguageGo && !ok
	})
	if r.guessed {
		r.prefix = r.guessGoPrefix()
	}
	return r
}

func (r *goResolver) readConfig(folder string) {
	if work := r.tree.config(below(folder, "go.work")); work != nil {
		r.works[folder] = readGoModule(folder, work)
	}
	if inFolderNamed(folder+"/", "vendor") {
		return
	}
	module := readGoModule(folder, r.tree.config(below(folder, "go.mod")))
	if module.path == "" {
		return
	}
	r.modules[folder] = module
	if _, taken := r.byPath[module.path]; !taken {
		r.byPath[module.path] = folder
	}
}

// owner returns the folder of the module that a folder belongs to. Folders above it have been read.
func (r *goResolver) owner(folder string) (string, bool) {
	for up := range upwards(folder) {
		if _, ok := r.modules[up]; ok {
			return up, true
		}
	}
	return "", false
}

func (r *goResolver) addPackage(folder string) {
	if inFolderNamed(folder+"/", "vendor") {
		return
	}
	var files, programs []unit
	for _, u := range r.tree.folders[folder] {
		file := &r.tree.files[u]
		switch {
		case file.Language != codeintel.LanguageGo, strings.HasSuffix(file.Path, "_test.go"):
		case file.Package == "documentation": // as the go command has it
		case file.Package == "main":
			programs = append(programs, u)
		default:
			files = append(files, u)
		}
	}
	if len(files) == 0 {
		files = programs
	}
	if len(files) > 0 {
		r.packages[folder] = r.tree.group(files)
	}
}

func (r *goResolver) resolve(to []unit, from *File, need codeintel.Import) []unit {
	folder, ok := r.folder(folderOf(from.Path), need.Path)
	if !ok {
		return to
	}
	if group, ok := r.packages[folder]; ok {
		return append(to, group)
	}
	return to
}

// folder returns where the package of an import path would be.
func (r *goResolver) folder(from, imported string) (string, bool) {
	if imported == "" {
		return "", false
	}
	if strings.HasPrefix(imported, "./") || strings.HasPrefix(imported, "../") {
		return within(from, imported)
	}
	owner, inModule := r.owners[from]
	if !inModule {
		return r.folderInGOPATH(imported)
	}
	if folder, ok := r.replacement(from, owner, imported); ok {
		return folder, true
	}
	module, rest, ok := longestPrefix(r.byPath, imported)
	if !ok {
		module, ok = r.byPath["std"]
		rest = imported
	}
	folder, valid := within(module, rest)
	return folder, ok && valid && r.belongs(folder, module)
}

// replacement follows a replace of the file's go.work or go.mod.
func (r *goResolver) replacement(from, owner, imported string) (string, bool) {
	for up := range upwards(from) {
		if work, ok := r.works[up]; ok {
			if folder, rest, ok := longestPrefix(work.replaced, imported); ok {
				return within(folder, rest)
			}
			break // go.work of the nearest folder counts
		}
	}
	folder, rest, ok := longestPrefix(r.modules[owner].replaced, imported)
	if !ok {
		return "", false
	}
	return within(folder, rest)
}

// belongs reports whether a folder is part of a module, and not of a nested one.
func (r *goResolver) belongs(folder, module string) bool {
	owner, ok := r.owners[folder]
	return ok && owner == module
}

// longestPrefix finds the longest key that is an import path or a folder above it, and what follows the key.
func longestPrefix(folders map[string]string, imported string) (folder, rest string, ok bool) {
	if len(folders) == 0 {
		return "", "", false
	}
	for end := len(imported); end > 0; end = strings.LastIndexByte(imported[:end], '/') {
		if folder, ok := folders[imported[:end]]; ok {
			return folder, strings.TrimPrefix(imported[end:], "/"), true
		}
	}
	return "", "", false
}

// goModule is the part of go.mod or go.work on which imports depend.
type goModule struct {
	folder   string
	path     string            // empty for go.work
	replaced map[string]string // module path to the folder that replaces it
}

// readGoModule reads go.mod or go.work. Unknown lines are ignored.
func readGoModule(folder string, content []byte) goModule {
	m := goModule{folder: folder, replaced: map[string]string{}}
	block := ""
	for line := range strings.Lines(string(content)) {
		line, _, _ = strings.Cut(line, "//")
		words := goWords(line)
		switch {
		case len(words) == 0:
		case words[0] == ")":
			block = ""
		case len(words) == 2 && words[1] == "(":
			block = words[0]
		case block != "":
			m.statement(block, words)
		default:
			m.statement(words[0], words[1:])
		}
	}
	return m
}

func goWords(line string) []string {
	words := strings.Fields(line)
	for i, word := range words {
		if text, err := strconv.Unquote(word); err == nil {
			words[i] = text
		}
	}
	return words
}

func (m *goModule) statement(verb string, words []string) {
	switch verb {
	case "module":
		if len(words) == 1 {
			m.path = words[0]
		}
	case "replace":
		m.replace(words)
	}
}

// replace reads "old [version] => folder". Another module in its place lies outside of the tree.
func (m *goModule) replace(words []string) {
	if len(words) < 3 || words[len(words)-2] != "=>" {
		return
	}
	target := words[len(words)-1]
	if !strings.HasPrefix(target, "./") && !strings.HasPrefix(target, "../") && target != "." && target != ".." {
		return
	}
	if folder, ok := within(m.folder, path.Clean(target)); ok {
		m.replaced[words[0]] = folder
	}
}

// folderInGOPATH finds a package as it was done before there were modules.
func (r *goResolver) folderInGOPATH(imported string) (string, bool) {
	candidates := []string{imported, "src/" + imported}
	if rest, ok := strings.CutPrefix(imported+"/", r.prefix+"/"); ok && r.prefix != "" {
		candidates = append(candidates, strings.TrimSuffix(rest, "/"))
	}
	for _, folder := range candidates {
		if _, ok := r.packages[folder]; ok {
			return folder, true
		}
	}
	return "", false
}

// guessGoPrefix guesses under which path the root is imported, in a tree without go.mod: if many files import
// "example.com/a/b/x" and there are folders x, y and z, that is "example.com/a/b". It is the prefix that explains
// the most folders; of equal ones the first in order. Import paths without a dot in their first part are those of
// the standard library and say nothing.
func (r *goResolver) guessGoPrefix() string {
	explained := map[string]map[string]bool{}
	for i := range r.tree.files {
		file := &r.tree.files[i]
		if _, inModule := r.owners[folderOf(file.Path)]; inModule || file.Language != codeintel.LanguageGo {
			continue
		}
		for _, need := range file.Imports {
			r.vote(explained, need.Path)
		}
	}
	prefixes := slices.Sorted(maps.Keys(explained))
	if len(prefixes) == 0 {
		return ""
	}
	return slices.MaxFunc(prefixes, func(a, b string) int {
		return cmp.Compare(len(explained[a]), len(explained[b]))
	})
}

// vote notes which prefix would make an import path a folder of the tree: the one that leaves the longest path.
func (r *goResolver) vote(explained map[string]map[string]bool, imported string) {
	host, _, _ := strings.Cut(imported, "/")
	if !strings.Contains(host, ".") || strings.HasPrefix(host, ".") {
		return
	}
	for at := range len(imported) {
		if imported[at] != '/' {
			continue
		}
		prefix, folder := imported[:at], imported[at+1:]
		if _, ok := r.packages[folder]; !ok {
			continue
		}
		if explained[prefix] == nil {
			explained[prefix] = map[string]bool{}
		}
		explained[prefix][folder] = true
		return
	}
}
