package imports

import (
	"encoding/json"
	"strings"
)

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

// folder finds what a folder stands for.
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

// exported finds what the exports or imports of a package give a name.
func (q query) exported(folder string, written json.RawMessage, name string) (unit, bool) {
	conditions := typedConditions
	if q.script {
		conditions = plainConditions
	}
	return q.targets(folder, exported(written, name, conditions))
}

// entry finds what a name in a package stands for: the package itself if the name is empty.
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

// built are the folders that builds are written to, and what stands there is built from src.
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
