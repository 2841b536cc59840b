package gate

import (
	"path"
	"slices"
	"strings"

	"forge/internal/lazyregexp"
)

// Import is an import statement at the top level of a file in JavaScript, TypeScript or Python.
type Import struct {
	Start, End int    // its place in the text, in bytes
	From       string // as written: "../src/a.js", "pkg.mod", ".mod"
	Names      []Binding
	Requires   bool // it calls require
}

// Binding is a name that an import makes known in its file.
type Binding struct {
	Name string // what is imported; "default" is the default export, and "" the module itself
	As   string // the name in the file
}

var (
	scriptImport = lazyregexp.New(`(?m)^import\s+(?:(?P<types>type)\s+)?(?:(?P<default>[\w$]+)\s*,?\s*)?(?:\*\s*as\s+(?P<module>[\w$]+)|\{(?P<names>[^{}]*)\})?\s*\bfrom\s*["'](?P<from>[^"'\n]+)["'][ \t]*;?`)
	// scriptRequire also matches an import at the top level that is awaited.
	scriptRequire = lazyregexp.New(`(?m)^(?:const|let|var)\s+(?:(?P<module>[\w$]+)|\{(?P<names>[^{}]*)\})\s*=\s*(?P<call>require|await\s+import)\(\s*["'](?P<from>[^"'\n]+)["']\s*\)(?:\.(?P<one>[\w$]+))?[ \t]*;?`)
	pythonImport  = lazyregexp.New(`(?m)^(?:import[ \t]+(?P<modules>[\w., \t]+)|from[ \t]+(?P<from>\.*[\w.]*)[ \t]+import[ \t]+(?P<names>\([^)]*\)|[^\n#(\\]+))[ \t]*(?:#[^\n]*)?$`)
	remark        = lazyregexp.New(`#[^\n]*|//[^\n]*`)
	renaming      = lazyregexp.New(`\s+as\s+|\s*:\s*`)
	typeOnly      = lazyregexp.New(`^type\s+`)
)

var scriptEndings = []string{".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts"}

// Imports returns the import statements at the top level of a file, in order. Those that make no name known are left
// out, and those that do not say which.
func Imports(file, text string) (all []Import) {
	switch ending := path.Ext(file); {
	case ending == ".py":
		for _, m := range matches(pythonImport, text) {
			if strings.TrimSpace(m.at("names")) == "*" {
				continue
			}
			if m.at("modules") == "" {
				all = append(all, Import{Start: m.start, End: m.end, From: m.at("from"), Names: bindings(m.at("names"))})
				continue
			}
			for _, b := range bindings(m.at("modules")) {
				top, _, _ := strings.Cut(b.As, ".")
				all = append(all, Import{Start: m.start, End: m.end, From: b.Name, Names: []Binding{{As: top}}})
			}
		}
	case slices.Contains(scriptEndings, ending):
		for _, m := range append(matches(scriptImport, text), matches(scriptRequire, text)...) {
			if i := m.script(); len(i.Names) > 0 {
				all = append(all, i)
			}
		}
		slices.SortFunc(all, func(a, b Import) int { return a.Start - b.Start })
	}
	return all
}

// match is a match of an expression with named groups.
type match struct {
	start, end int
	groups     map[string]string
}

func (m match) at(group string) string { return m.groups[group] }

func matches(expression *lazyregexp.Regexp, text string) (all []match) {
	names := expression.Regexp().SubexpNames()
	for _, at := range expression.FindAllStringSubmatchIndex(text, -1) {
		m := match{start: at[0], end: at[1], groups: map[string]string{}}
		for i, name := range names {
			if at[2*i] >= 0 {
				m.groups[name] = text[at[2*i]:at[2*i+1]]
			}
		}
		all = append(all, m)
	}
	return all
}

// script returns a statement of JavaScript or TypeScript. Types are no names: they do not exist when a test runs.
func (m match) script() Import {
	i := Import{Start: m.start, End: m.end, From: m.at("from"), Requires: m.at("call") == "require"}
	if m.at("types") != "" {
		return i
	}
	if name := m.at("default"); name != "" {
		i.Names = append(i.Names, Binding{Name: "default", As: name})
	}
	if name := m.at("module"); name != "" {
		i.Names = append(i.Names, Binding{Name: m.at("one"), As: name})
	}
	i.Names = append(i.Names, bindings(m.at("names"))...)
	return i
}

// bindings reads "a, b as c", "{ a: c }" without its brackets, or "(a, b)".
func bindings(list string) (all []Binding) {
	for name := range strings.SplitSeq(strings.Trim(remark.ReplaceAllString(list, ""), "() \t\r\n"), ",") {
		parts := renaming.Split(strings.TrimSpace(name), 2)
		if parts[0] == "" || typeOnly.MatchString(parts[0]) {
			continue
		}
		all = append(all, Binding{Name: parts[0], As: strings.TrimSpace(parts[len(parts)-1])})
	}
	return all
}

// Module returns the path of an imported module, without its ending, as far as the statement and its file show it: "src/a" for
// "../src/a.js" in test/a.test.js, "pkg/mod" for "pkg.mod".
func Module(file, from string) string {
	if path.Ext(file) == ".py" {
		dots := len(from) - len(strings.TrimLeft(from, "."))
		name := strings.ReplaceAll(from[dots:], ".", "/")
		if dots == 0 {
			return name
		}
		return path.Join(path.Dir(file), strings.Repeat("../", dots-1), name)
	}
	if strings.HasPrefix(from, ".") {
		from = path.Join(path.Dir(file), from)
	}
	return withoutEnding(strings.TrimLeft(from, "/"))
}

func withoutEnding(name string) string {
	if slices.Contains(append(scriptEndings, ".py"), path.Ext(name)) {
		return strings.TrimSuffix(name, path.Ext(name))
	}
	return name
}

// IsModule reports whether a file may be a module, by their paths.
func IsModule(file, module string) bool {
	file = withoutEnding(file)
	for _, whole := range []string{"/index", "/__init__"} {
		if strings.HasSuffix("/"+strings.TrimSuffix(file, whole), "/"+module) {
			return true
		}
	}
	return false
}
