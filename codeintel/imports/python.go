package imports

import (
	"path"
	"slices"
	"strings"

	"forge/codeintel"
)

var pythonLanguages = []codeintel.Language{codeintel.LanguagePython}

// pythonResolver resolves imports of Python as its path finder does, on a search path that is worked out from the
// tree:
//
//   - "import a.b" leads to the module a.b alone, not to the packages on the way. "from a import b, c" leads to the
//     modules a.b and a.c, and to a itself if one of the names is no module, so that it is something a defines.
//   - In a folder, x/__init__.py goes before x.py, then x.pyi; a folder without __init__.py is a namespace package,
//     which has modules but is no file.
//   - The search path of a file: the folder that holds its outermost package (that of a script or test is its
//     own folder), what the configurations above it name (see configured), the folders above it, what all other
//     configurations name, and the packages beside them. As in Python, the first package or module of a name hides
//     those behind it.
//   - Dots start at the package of the file, and may not lead out of the root.
type pythonResolver struct {
	tree     *tree
	modules  map[string]unit       // by their paths without ending, of packages by that of their folder
	folders  map[string]bool       // folders with Python files at any depth
	names    map[string]bool       // the last parts of modules and folders: any other name is not in the tree
	projects []string              // folders with a configuration, the root always
	sources  map[string][]string   // of each project: where its packages are
	paths    map[string]searchPath // by folder
}

// searchPath is where absolute imports are looked up, in order.
type searchPath struct {
	roots []string
	whole int // how many of them count as a whole; of the others only packages do
}

func newPythonResolver(t *tree, languages []codeintel.Language) resolver {
	r := &pythonResolver{
		tree: t, modules: map[string]unit{}, folders: map[string]bool{}, names: map[string]bool{},
		sources: map[string][]string{}, paths: map[string]searchPath{},
	}
	folders := t.foldersAbove(languages)
	for _, folder := range folders {
		r.folders[folder] = true
		r.names[path.Base(folder)] = true
	}
	r.addModules()
	for _, folder := range folders {
		sources, isProject := r.configured(folder)
		if isProject || folder == "" {
			r.projects = append(r.projects, folder)
			r.sources[folder] = sources
		}
	}
	for _, folder := range folders {
		r.paths[folder] = r.searchPath(folder)
	}
	return r
}

// moduleEndings are those of the files that can be a module, the best last.
var moduleEndings = []string{".pyi", ".py", "/__init__.pyi", "/__init__.py"}

func (r *pythonResolver) addModules() {
	for rank, ending := range moduleEndings {
		for i := range r.tree.files {
			name, ok := strings.CutSuffix("/"+r.tree.files[i].Path, ending)
			if !ok || rank < 2 && path.Base(name) == "__init__" {
				continue
			}
			r.modules[strings.TrimPrefix(name, "/")] = unit(i)
			r.names[path.Base(name)] = true
		}
	}
}

// configured returns where the packages of a project are, and whether a folder is one at all.
func (r *pythonResolver) configured(folder string) (sources []string, isProject bool) {
	var written []string
	for _, format := range []struct {
		name string
		read func([]byte) []string
	}{{"pyproject.toml", pyprojectSources}, {"setup.cfg", setupSources}, {"setup.py", nil}} {
		content := r.tree.config(below(folder, format.name))
		isProject = isProject || content != nil
		if content != nil && format.read != nil {
			written = append(written, format.read(content)...)
		}
	}
	for _, name := range append(written, "src") {
		if source, ok := within(folder, name); ok && r.folders[source] {
			sources = append(sources, source)
		}
	}
	return append(sources, folder), isProject
}

// searchPath returns where absolute imports of the files in a folder are looked up, each root once.
func (r *pythonResolver) searchPath(folder string) searchPath {
	outermost := folder
	for r.isPackage(outermost) && outermost != "" {
		outermost = folderOf(outermost)
	}
	roots := []string{outermost}
	for up := range upwards(outermost) {
		roots = append(roots, r.sources[up]...)
	}
	roots = unique(slices.AppendSeq(roots, upwards(outermost)))
	for _, project := range r.projects {
		sources := r.sources[project]
		roots = append(roots, sources[:len(sources)-1]...) // the last is the project itself
	}
	roots = unique(roots)
	return searchPath{unique(append(slices.Clip(roots), r.projects...)), len(roots)}
}

// unique removes repeated entries of a list.
func unique(list []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(element string) bool {
		double := seen[element]
		seen[element] = true
		return double
	})
}

func (r *pythonResolver) isPackage(folder string) bool {
	_, ok := r.tree.first(folder, "__init__.py", "__init__.pyi")
	return ok
}

func (r *pythonResolver) resolve(to []unit, from *File, need codeintel.Import) []unit {
	module := strings.TrimLeft(need.Path, ".")
	dots := len(need.Path) - len(module)
	parts := strings.Split(module, ".")
	if module == "" {
		parts = nil
	}
	if slices.Contains(parts, "") || strings.Contains(module, "/") {
		return to
	}
	base := folderOf(from.Path)
	if dots == 0 {
		return r.absolute(to, r.paths[base], parts, need.Names)
	}
	for range dots - 1 {
		if base == "" {
			return to
		}
		base = folderOf(base)
	}
	return r.take(to, below(base, path.Join(parts...)), need.Names)
}

// absolute looks a module up on a search path, and stops where its first part is a module or a regular package.
func (r *pythonResolver) absolute(to []unit, search searchPath, parts, names []string) []unit {
	if len(parts) == 0 || !r.names[parts[0]] {
		return to
	}
	for i, root := range search.roots {
		first := below(root, parts[0])
		_, regular := r.modules[first]
		if !regular && !r.folders[first] || regular && i >= search.whole && !r.isPackage(first) {
			continue
		}
		found := r.take(to, below(root, path.Join(parts...)), names)
		if regular || len(found) > len(to) {
			return found
		}
	}
	return to
}

// take appends what a module, named by its path without ending, is imported for.
func (r *pythonResolver) take(to []unit, name string, names []string) []unit {
	own, known := r.modules[name]
	whole := len(names) == 0
	for _, wanted := range names {
		wanted, _, _ = strings.Cut(wanted, " ") // "a as b"
		if u, ok := r.modules[below(name, wanted)]; ok && wanted != "" && r.folders[name] {
			to = append(to, u)
			continue
		}
		whole = true
	}
	if whole && known {
		to = append(to, own)
	}
	return to
}

// pyprojectSources returns the folders that pyproject.toml names as those above packages, as written: for setuptools,
// Poetry, PDM, and pytest, which puts them on its search path.
func pyprojectSources(content []byte) []string {
	tools := readTOML(content).in("tool")
	sources := tools.in("setuptools", "packages", "find").words("where")
	sources = append(sources, tools.in("setuptools", "package-dir").words("")...)
	sources = append(sources, tools.in("pdm", "build").words("package-dir")...)
	sources = append(sources, tools.in("pytest", "ini_options").words("pythonpath")...)
	for _, packages := range tools.in("poetry").tables("packages") {
		sources = append(sources, packages.words("from")...)
	}
	return sources
}

// setupSources returns the folders that setup.cfg names as those above packages, as written.
func setupSources(content []byte) []string {
	var sources []string
	section, key := "", ""
	for line := range strings.Lines(string(content)) {
		text := strings.TrimSpace(line)
		value := text
		switch {
		case text == "" || text[0] == '#' || text[0] == ';':
			continue
		case strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]"):
			section, key = text[1:len(text)-1], ""
			continue
		case line[0] != ' ' && line[0] != '\t': // otherwise it continues the key above
			key, value, _ = strings.Cut(text, "=")
			key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		}
		sources = append(sources, setupSource(section, key, value)...)
	}
	return sources
}

func setupSource(section, key, value string) []string {
	switch {
	case section == "options.packages.find" && key == "where" && value != "":
		return []string{value}
	case section == "options" && key == "package_dir":
		if name, folder, ok := strings.Cut(value, "="); ok && strings.TrimSpace(name) == "" {
			return []string{strings.TrimSpace(folder)}
		}
	}
	return nil
}
