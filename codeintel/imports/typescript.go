package imports

import (
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
