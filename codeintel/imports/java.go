package imports

import (
	"path"
	"strings"

	"forge/codeintel"
)

var javaLanguages = []codeintel.Language{codeintel.LanguageJava}

// javaResolver resolves imports of Java by the packages and names of classes:
//
//   - A file is the class it is named after, in the package it says it belongs to; one that says nothing is placed by
//     its folder below src/main/java and their like (see javaRoots).
//   - "a.b.C" is that class; of "a.b.C.D" and "static a.b.C.d" it is C, whose member the rest is.
//   - "a.b.*" is all classes of a package, with those of tests only for tests; of "a.b.C.*" it is C.
//   - Where several files are a class, as in several modules, it is the one whose path has the most folders in common
//     with the importer's, the first of equal ones.
type javaResolver struct {
	tree     *tree
	classes  map[string][]unit // by full name
	packages map[string]javaPackage
}

// javaPackage is the classes of a package, without and with those of tests.
type javaPackage struct{ main, all unit }

func newJavaResolver(t *tree, _ []codeintel.Language) resolver {
	r := &javaResolver{tree: t, classes: map[string][]unit{}, packages: map[string]javaPackage{}}
	var names []string // of packages, in order of their first file
	members := map[string][]unit{}
	for i := range t.files {
		file := &t.files[i]
		if file.Language != codeintel.LanguageJava {
			continue
		}
		class := strings.TrimSuffix(path.Base(file.Path), ".java")
		if strings.HasSuffix(class, "-info") {
			continue // of a package or module, and no class
		}
		name := javaPackageOf(file)
		if members[name] == nil {
			names = append(names, name)
		}
		members[name] = append(members[name], unit(i))
		full := strings.TrimPrefix(name+"."+class, ".")
		r.classes[full] = append(r.classes[full], unit(i))
	}
	for _, name := range names {
		r.packages[name] = r.group(members[name])
	}
	return r
}

// group makes the groups of a package.
func (r *javaResolver) group(files []unit) javaPackage {
	var main []unit
	for _, u := range files {
		if !isJavaTest(r.tree.files[u].Path) {
			main = append(main, u)
		}
	}
	p := javaPackage{all: r.tree.group(files)}
	p.main = p.all
	if len(main) < len(files) {
		p.main = r.tree.group(main)
	}
	return p
}

// javaRoots are the folders below which folders are packages, by convention.
var javaRoots = []string{"/src/main/java/", "/src/test/java/", "/src/java/", "/src/test/", "/src/", "/java/"}

// javaPackageOf returns the package of a file.
func javaPackageOf(file *File) string {
	if file.Package != "" {
		return file.Package
	}
	folder := "/" + folderOf(file.Path) + "/"
	for _, root := range javaRoots {
		if at := strings.LastIndex(folder, root); at >= 0 {
			folder = folder[at+len(root)-1:]
			break
		}
	}
	return strings.ReplaceAll(strings.Trim(folder, "/"), "/", ".")
}

func isJavaTest(name string) bool {
	return inFolderNamed(name, "test") || inFolderNamed(name, "androidTest") || inFolderNamed(name, "testFixtures")
}

func (r *javaResolver) resolve(to []unit, from *File, need codeintel.Import) []unit {
	written := strings.TrimPrefix(need.Path, "static ")
	if len(need.Names) == 0 {
		return r.name(to, from, written)
	}
	for _, name := range need.Names {
		to = r.name(to, from, written+"."+name)
	}
	return to
}

// name resolves one name: a class, a member of one, or, ending in ".*", a package or a class.
func (r *javaResolver) name(to []unit, from *File, name string) []unit {
	name, all := strings.CutSuffix(name, ".*")
	if p, ok := r.packages[name]; ok && all {
		if isJavaTest(from.Path) {
			return append(to, p.all)
		}
		return append(to, p.main)
	}
	for strings.Contains(name, ".") {
		if classes := r.classes[name]; len(classes) > 0 {
			return append(to, r.nearest(from.Path, classes))
		}
		name = name[:strings.LastIndexByte(name, '.')]
	}
	return to
}

// nearest returns the file whose path has the most folders in common with another; tests only as a last resort
// for what is no test.
func (r *javaResolver) nearest(name string, files []unit) unit {
	best, most := files[0], -1
	for _, u := range files {
		other := r.tree.files[u].Path
		shared := 2 * sharedFolders(name, other)
		if isJavaTest(name) || !isJavaTest(other) {
			shared++
		}
		if shared > most {
			best, most = u, shared
		}
	}
	return best
}

// sharedFolders counts the folders that two paths begin with alike.
func sharedFolders(a, b string) int {
	count := 0
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			break
		}
		if a[i] == '/' {
			count++
		}
	}
	return count
}
