package imports

import (
	"encoding/json"
	"path"
	"strings"

	"forge/codeintel"
)

var scriptLanguages = []codeintel.Language{
	codeintel.LanguageTypeScript, codeintel.LanguageTSX, codeintel.LanguageJavaScript,
}

// scriptResolver resolves imports of TypeScript and JavaScript as the TypeScript compiler does for bundlers:
//
//   - "./a" and "../a" are paths: the file as written; for "a.js" its source a.ts, a.tsx or a.d.ts first, unless a
//     JavaScript file asks; then with an ending (see endings); then the folder, by its package.json or its index.
//   - Other names go through paths and baseUrl of the nearest tsconfig.json or jsconfig.json above the file, with what
//     it extends; after it come the configurations it references.
//   - Then come packages of the tree: the file's own by its name, members of workspaces (package.json, pnpm,
//     Lerna), and dependencies by "file:" and "link:". A package.json that no workspace lists belongs to none.
//   - Of a package, exports, source, types, module and main say what is imported; where that is built and not in the
//     tree, the source it is probably built from. "#name" goes through the imports of the nearest package.
//   - A question mark and what follows it, as bundlers have it, is no part of a path.
type scriptResolver struct {
	tree     *tree
	folders  []string
	packages map[string]*scriptPackage
	configs  map[string]*scriptConfig // of each folder: the nearest; nil if there is none
}

func newScriptResolver(t *tree, languages []codeintel.Language) resolver {
	r := &scriptResolver{
		tree: t, folders: t.foldersAbove(languages),
		packages: map[string]*scriptPackage{}, configs: map[string]*scriptConfig{},
	}
	r.readPackages()
	for _, folder := range r.folders {
		reader := &configReader{scriptResolver: r, left: maxConfigs}
		config := reader.read(below(folder, "tsconfig.json"), 0)
		if config == nil {
			config = reader.read(below(folder, "jsconfig.json"), 0)
		}
		if config == nil && folder != "" {
			config = r.configs[folderOf(folder)]
		}
		r.configs[folder] = config
	}
	return r
}

func (r *scriptResolver) resolve(to []unit, from *File, need codeintel.Import) []unit {
	q := query{scriptResolver: r, script: from.Language == codeintel.LanguageJavaScript}
	if u, ok := q.find(folderOf(from.Path), need.Path); ok {
		return append(to, u)
	}
	if name, _, asked := strings.Cut(need.Path, "?"); asked {
		if u, ok := q.find(folderOf(from.Path), name); ok {
			return append(to, u)
		}
	}
	return to
}

// query is a search for one import.
type query struct {
	*scriptResolver
	script bool // JavaScript asks
}

func (q query) find(folder, name string) (unit, bool) {
	switch {
	case name == "":
		return 0, false
	case name == "." || name == ".." || strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../"):
		return q.relative(folder, name)
	case strings.HasPrefix(name, "#"):
		if u, ok := q.hash(folder, name); ok {
			return u, true
		}
	}
	if u, ok := q.configured(q.configs[folder], name, 0); ok {
		return u, true
	}
	member, rest, ok := q.member(folder, name)
	if !ok {
		return 0, false
	}
	return q.entry(member, rest)
}

func (q query) relative(folder, name string) (unit, bool) {
	target, ok := within(folder, name)
	if !ok {
		return 0, false
	}
	last := path.Base(name)
	if strings.HasSuffix(name, "/") || last == "." || last == ".." {
		return q.folder(target, 0)
	}
	return q.fileOrFolder(target)
}

// configured follows paths and baseUrl.
func (q query) configured(config *scriptConfig, name string, depth int) (unit, bool) {
	if config == nil || depth > maxConfigDepth {
		return 0, false
	}
	targets, star := match(config.aliases, name)
	for _, target := range targets {
		if target, ok := within("", strings.Replace(target, "*", star, 1)); ok {
			if u, ok := q.fileOrFolder(target); ok {
				return u, true
			}
		}
	}
	if config.hasBase {
		if target, ok := within(config.base, name); ok {
			if u, ok := q.fileOrFolder(target); ok {
				return u, true
			}
		}
	}
	for _, part := range config.parts {
		if u, ok := q.configured(part, name, depth+1); ok {
			return u, true
		}
	}
	return 0, false
}

// hash follows the imports of the nearest package.
func (q query) hash(folder, name string) (unit, bool) {
	for up := range upwards(folder) {
		if p := q.packages[up]; p != nil {
			return q.exported(up, p.Imports, name)
		}
	}
	return 0, false
}

// The endings that an import may leave out, as TypeScript and as JavaScript try them.
var (
	typedEndings = []string{".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs", ".json"}
	plainEndings = []string{".js", ".jsx", ".mjs", ".cjs", ".json", ".ts", ".tsx", ".d.ts", ".mts", ".cts"}
)

// sourceEndings are the endings of what a file may be built from, by its ending.
var sourceEndings = map[string][]string{
	".js": {".ts", ".tsx", ".d.ts", ".jsx"}, ".jsx": {".tsx", ".ts", ".d.ts"},
	".mjs": {".mts", ".d.mts"}, ".cjs": {".cts", ".d.cts"},
}

func (q query) fileOrFolder(name string) (unit, bool) {
	if u, ok := q.file(name); ok {
		return u, true
	}
	return q.folder(name, 0)
}

// file finds a file by its path, the ending left out or that of what is built from it.
func (q query) file(name string) (unit, bool) {
	if name == "" {
		return 0, false
	}
	written, exists := q.tree.id[name]
	if exists && q.script {
		return written, true
	}
	dot := strings.LastIndexByte(name, '.')
	if dot > strings.LastIndexByte(name, '/') {
		for _, ending := range sourceEndings[name[dot:]] {
			if u, ok := q.tree.id[name[:dot]+ending]; ok {
				return u, true
			}
		}
	}
	if exists {
		return written, true
	}
	return q.withEnding(name)
}

func (q query) withEnding(name string) (unit, bool) {
	endings := typedEndings
	if q.script {
		endings = plainEndings
	}
	for _, ending := range endings {
		if u, ok := q.tree.id[name+ending]; ok {
			return u, true
		}
	}
	return 0, false
}

// folder finds the file that a folder means.
func (q query) folder(name string, depth int) (unit, bool) {
	if p := q.packages[name]; p != nil && depth == 0 {
		if u, ok := q.targets(name, q.entries(p)); ok {
			return u, true
		}
	}
	return q.withEnding(below(name, "index"))
}

// entries are the paths of what is imported by the name of a package alone, apart from exports, the best first.
func (q query) entries(p *scriptPackage) []string {
	if q.script {
		return []string{p.Source, p.Module, p.Main, p.Types, p.Typings}
	}
	return []string{p.Source, p.Types, p.Typings, p.Module, p.Main}
}

// exported finds the file of a name in the exports or imports of a package.
func (q query) exported(folder string, written json.RawMessage, name string) (unit, bool) {
	conditions := typedConditions
	if q.script {
		conditions = plainConditions
	}
	return q.targets(folder, exported(written, name, conditions))
}

// entry finds the file of a name in a package: that of the package itself if the name is empty.
func (q query) entry(folder, rest string) (unit, bool) {
	p := q.packages[folder]
	name := "."
	if rest != "" {
		name = "./" + rest
	}
	if p != nil && p.Exports != nil {
		u, ok := q.exported(folder, p.Exports, name)
		if ok || rest != "" {
			return u, ok
		}
	}
	if rest == "" {
		if u, ok := q.folder(folder, 0); ok {
			return u, true
		}
		return q.withEnding(below(folder, "src/index"))
	}
	for _, source := range []string{rest, "src/" + rest} {
		if target, ok := within(folder, source); ok && inside(folder, target) {
			if u, ok := q.fileOrFolder(target); ok {
				return u, true
			}
		}
	}
	return 0, false
}

// built are the folders that builds are written to, and what is in them is built from src.
var built = map[string]bool{"dist": true, "lib": true, "build": true, "out": true, "esm": true, "cjs": true, "types": true}

// targets finds the first path of a package that is there, or whose source is.
func (q query) targets(folder string, written []string) (unit, bool) {
	var sources []string
	for _, name := range written {
		target, ok := within(folder, name)
		if name == "" || !ok {
			continue
		}
		if u, ok := q.file(target); ok {
			return u, true
		}
		if u, ok := q.folder(target, 1); ok {
			return u, true
		}
		if inside(folder, target) {
			sources = append(sources, sourcesOf(strings.TrimPrefix(strings.TrimPrefix(target, folder), "/"))...)
		}
	}
	for _, source := range sources {
		if u, ok := q.file(below(folder, source)); ok {
			return u, true
		}
	}
	return 0, false
}

// sourcesOf guesses what a path in a package is built from.
func sourcesOf(target string) []string {
	first, rest, nested := strings.Cut(target, "/")
	if !nested || !built[first] {
		return nil
	}
	rest = strings.TrimSuffix(rest, ".d.ts")
	second, inner, nested := strings.Cut(rest, "/")
	if nested && built[second] {
		return []string{"src/" + rest, "src/" + inner}
	}
	return []string{"src/" + rest}
}
