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
//     own folder), what the configuration of its project names (see pythonSources), the folders above it, and the
//     roots of all other projects. As in Python, the first package or module of a name hides those behind it.
//   - Dots start at the package of the file, and may not lead out of the root.
type pythonResolver struct {
	tree     *tree
	folders  map[string]bool     // folders with Python files at any depth
	projects []string            // folders with a configuration, the root always
	sources  map[string][]string // of each project: where its packages lie
	paths    map[string][]string // search path by folder
}

func newPythonResolver(t *tree, languages []codeintel.Language) resolver {
	r := &pythonResolver{tree: t, folders: map[string]bool{}, sources: map[string][]string{}, paths: map[string][]string{}}
	folders := t.foldersAbove(languages)
	for _, folder := range folders {
		r.folders[folder] = true
	}
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

// configured returns where the packages of a project lie, and whether a folder is one at all.
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

// searchPath returns where absolute imports of the files in a folder are looked up, in order, once each.
func (r *pythonResolver) searchPath(folder string) []string {
	outermost := folder
	for r.isPackage(outermost) && outermost != "" {
		outermost = folderOf(outermost)
	}
	search := []string{outermost}
	for up := range upwards(outermost) {
		search = append(search, r.sources[up]...)
	}
	search = slices.AppendSeq(search, upwards(outermost))
	for _, project := range r.projects {
		search = append(search, r.sources[project]...)
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(search, func(root string) bool {
		double := seen[root]
		seen[root] = true
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
func (r *pythonResolver) absolute(to []unit, search, parts, names []string) []unit {
	if len(parts) == 0 {
		return to
	}
	for _, root := range search {
		first := below(root, parts[0])
		_, regular := r.module(first)
		if !regular && !r.folders[first] {
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
	own, known := r.module(name)
	whole := len(names) == 0
	for _, wanted := range names {
		wanted, _, _ = strings.Cut(wanted, " ") // "a as b"
		if u, ok := r.module(below(name, wanted)); ok && wanted != "" && r.folders[name] {
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

// module returns the file of a module, named by its path without ending.
func (r *pythonResolver) module(name string) (unit, bool) {
	if name == "" {
		return r.tree.first("", "__init__.py", "__init__.pyi")
	}
	if r.folders[name] {
		if u, ok := r.tree.first(name, "__init__.py", "__init__.pyi"); ok {
			return u, true
		}
	}
	for _, ending := range [...]string{".py", ".pyi"} {
		if u, ok := r.tree.id[name+ending]; ok {
			return u, true
		}
	}
	return 0, false
}
