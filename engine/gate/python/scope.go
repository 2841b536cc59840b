package python

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/python/testrun"
	"forge/internal/lazyregexp"
)

// imports is what the files of a project take from each other, as far as their import statements show it.
type imports struct {
	files []string
	of    map[string][]string // the files that one imports, by its path
}

var (
	importLine = lazyregexp.New(`(?m)^[ \t]*import[ \t]+([\w., \t]+)`)
	fromLine   = lazyregexp.New(`(?m)^[ \t]*from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n#]+)`)
	asName     = lazyregexp.New(`[ \t]+as[ \t]+\w+`)
)

// readImports reads the import statements of all files. A module is found by the end of its path, so that it does not matter from which
// folder Python looks: that may take in more than is imported, and leaves out nothing that a statement names.
func readImports(dir string) (imports, error) {
	files, err := sources(dir)
	if err != nil {
		return imports{}, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return imports{}, err
	}
	defer root.Close() //nolint:errcheck // nothing was written
	named := map[string][]string{}
	for _, file := range files {
		for name := moduleOf(file); name != ""; {
			named[name] = append(named[name], file)
			_, name, _ = strings.Cut(name, ".")
		}
	}
	all := imports{files: files, of: map[string][]string{}}
	for _, file := range files {
		text, _ := readStart(root, filepath.FromSlash(file))
		for _, name := range importedBy(file, text) {
			all.of[file] = append(all.of[file], named[name]...)
		}
	}
	return all, nil
}

// moduleOf is the name of the module in a file, from the root of the project.
func moduleOf(file string) string {
	name := strings.TrimSuffix(strings.TrimSuffix(file, ".py"), "/__init__")
	return strings.ReplaceAll(name, "/", ".")
}

// importedBy names the modules that a file imports, and what may be modules.
func importedBy(file, text string) (names []string) {
	for _, m := range importLine.FindAllStringSubmatch(text, -1) {
		for name := range strings.SplitSeq(asName.ReplaceAllString(m[1], ""), ",") {
			names = append(names, withParents(strings.TrimSpace(name))...)
		}
	}
	for _, m := range fromLine.FindAllStringSubmatch(text, -1) {
		module := strings.TrimLeft(m[1], ".")
		if up := len(m[1]) - len(module); up > 0 {
			dir := path.Dir(file)
			for ; up > 1; up-- {
				dir = path.Dir(dir)
			}
			module = strings.Trim(strings.ReplaceAll(strings.TrimPrefix(dir, "."), "/", ".")+"."+module, ".")
		}
		names = append(names, withParents(module)...)
		for name := range strings.SplitSeq(asName.ReplaceAllString(strings.Trim(m[2], "()"), ""), ",") {
			names = append(names, strings.TrimPrefix(module+"."+strings.TrimSpace(name), "."))
		}
	}
	return names
}

// withParents is a module and the packages that it is in: importing it runs them.
func withParents(module string) (names []string) {
	for name := module; name != ""; {
		names = append(names, name)
		at := strings.LastIndexByte(name, '.')
		name = name[:max(0, at)]
	}
	return names
}

// users adds to files those that import them; through others as well where that is asked for.
func (i imports) users(changed map[string]bool, through bool) map[string]bool {
	reached := maps.Clone(changed)
	for again := true; again; {
		again = false
		from := reached
		if !through {
			from = changed
		}
		for _, file := range i.files {
			if !reached[file] && slices.ContainsFunc(i.of[file], func(used string) bool { return from[used] }) {
				reached[file], again = true, through
			}
		}
	}
	return reached
}

// testsOf returns the test files that a change concerns; all is true if that is unknown. A near scope has the changed ones and those whose names
// match a changed module or, if there are none, those that import what has changed. In a wide scope files has all that it reaches, and later those
// beyond the near ones, the nearest first.
func (p project) testsOf(scope gate.Scope) (files, later []string, all bool) {
	if scope.All() || !p.knowsPatterns() || slices.ContainsFunc(scope.Changed, isSettings) || p.usesAny(scope.Changed) {
		return nil, nil, true
	}
	i, err := readImports(p.dir)
	if err != nil {
		return nil, nil, true
	}
	near, reached := p.nearTests(i, scope)
	if scope.Reach != gate.ReachWide {
		return slices.Sorted(maps.Keys(near)), nil, false
	}
	tests := maps.Clone(near)
	for grown := true; grown; {
		further := i.users(reached, false)
		p.pick(i, further, tests)
		p.pickByFixtures(i, further, tests)
		for _, file := range slices.Sorted(maps.Keys(tests)) {
			if !near[file] {
				near[file], later = true, append(later, file)
			}
		}
		reached, grown = further, len(further) > len(reached)
	}
	return slices.Sorted(maps.Keys(tests)), later, false
}

// nearTests are the files of tests that are near to a change, and all files that it reaches on the way to them.
func (p project) nearTests(i imports, scope gate.Scope) (tests, reached map[string]bool) {
	changed, tests := map[string]bool{}, map[string]bool{}
	for _, file := range scope.Changed {
		if !p.readByNearer(file, scope) {
			p.mark(file, i, changed, tests)
		}
	}
	reached = changed
	p.pick(i, reached, tests)
	for _, through := range []bool{false, true} {
		if len(tests) == 0 {
			reached = i.users(changed, through)
			p.pick(i, reached, tests)
		}
	}
	if len(tests) == 0 {
		p.pickByFixtures(i, reached, tests)
	}
	return tests, reached
}

// readByNearer reports whether a file is test data next to a test that has changed as well, which is nearer than all that may read the data.
func (p project) readByNearer(file string, scope gate.Scope) bool {
	return scope.Reach == gate.ReachNear && testrun.IsTest(file) && path.Ext(file) != ".py" && slices.ContainsFunc(scope.Changed, p.isCollected)
}

// mark notes what a changed file means: a module that has changed, and tests that are of it by their names; or data of a package or of tests.
func (p project) mark(file string, i imports, changed, tests map[string]bool) {
	base, dir := path.Base(file), path.Dir(file)
	if path.Ext(file) == ".py" {
		changed[file] = true
		p.markNamed(base, i, tests)
	} else {
		p.markBeside(file, i, changed, tests)
	}
	if base != "conftest.py" {
		return
	}
	for _, other := range i.files {
		if isBelow(dir, other) && p.isCollected(other) {
			tests[other] = true
		}
	}
}

// markNamed notes the tests that are of a module by their names.
func (p project) markNamed(base string, i imports, tests map[string]bool) {
	name := strings.TrimPrefix(strings.TrimSuffix(base, ".py"), "_")
	for _, test := range i.files {
		of := path.Base(test)
		if p.isCollected(test) && (of == "test_"+name+".py" || of == name+"_test.py" || of == name+"_tests.py" || of == "test__"+name+".py") {
			tests[test] = true
		}
	}
}

// markBeside marks what is next to a file that is no module: what reads it is unknown.
func (p project) markBeside(file string, i imports, changed, tests map[string]bool) {
	for _, other := range i.files {
		switch beside := path.Dir(other) == path.Dir(file); {
		case testrun.IsTest(file) && beside && p.isCollected(other):
			tests[other] = true
		case beside && !isDocument(file):
			changed[other] = true
		}
	}
}

// pick adds the files of tests among those that are reached.
func (p project) pick(i imports, reached, tests map[string]bool) {
	for _, file := range i.files {
		if reached[file] && p.isCollected(file) {
			tests[file] = true
		}
	}
}

// pickByFixtures adds the tests below a reached conftest.py: they use the change as fixtures, without an import.
func (p project) pickByFixtures(i imports, reached, tests map[string]bool) {
	for conftest := range reached {
		if path.Base(conftest) != "conftest.py" {
			continue
		}
		for _, file := range i.files {
			if isBelow(path.Dir(conftest), file) && p.isCollected(file) {
				tests[file] = true
			}
		}
	}
}

// isBelow reports whether a file is in a folder, or below it.
func isBelow(dir, file string) bool { return dir == "." || strings.HasPrefix(file, dir+"/") }

// isCollected reports whether pytest takes a file for one of tests when it looks for them itself.
func (p project) isCollected(file string) bool { return p.collects().takes(file) }

// collection is which files pytest collects as tests when it looks for them itself.
type collection struct {
	patterns []pattern
	folders  []string // in which it looks; none are all
	examples bool     // it runs the examples in the documentation of modules: each may have some
}

// collection reads which files pytest collects as tests.
func (p project) collection() collection {
	chosen := words(p.setting("python_files"))
	if len(chosen) == 0 {
		chosen = []string{"test_*.py", "*_test.py"}
	}
	c := collection{folders: words(p.setting("testpaths")), examples: strings.Contains(p.setting("addopts"), "--doctest-modules")}
	for _, text := range chosen {
		c.patterns = append(c.patterns, patternOf(text))
	}
	return c
}

func (c collection) takes(file string) bool {
	return (c.examples || slices.ContainsFunc(c.patterns, func(p pattern) bool { return p.fits(file) })) && isIn(c.folders, file)
}

// knowsPatterns reports whether the patterns of test files are supported. A set of characters is not: its brackets look like those of a list.
func (p project) knowsPatterns() bool {
	return strings.Count(strings.TrimPrefix(strings.TrimSpace(p.setting("python_files")), "["), "[") == 0
}

// pattern is one of python_files: of the name of a file or, with a slash, of the end of its path; a star matches slashes as well.
// https://docs.pytest.org/en/stable/reference/reference.html#confval-python_files
type pattern struct {
	of     *regexp.Regexp
	ofPath bool
}

func patternOf(text string) pattern {
	expression := strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(text))
	return pattern{of: regexp.MustCompile(`^(?s:(?:.*/)?` + expression + `)$`), ofPath: strings.Contains(text, "/")}
}

// fits reports whether a file fits, by its path from the root.
func (p pattern) fits(file string) bool {
	if !p.ofPath {
		file = path.Base(file)
	}
	return p.of.MatchString(file)
}

// words are the items of a setting, a list or a text.
func words(setting string) []string {
	return strings.FieldsFunc(setting, func(r rune) bool { return strings.ContainsRune("[]\"', \t\r\n", r) })
}

// isIn reports whether a file is in one of the folders in which pytest looks; without any, and with patterns, all folders count.
func isIn(folders []string, file string) bool {
	return len(folders) == 0 || slices.ContainsFunc(folders, func(dir string) bool {
		return dir == "." || file == dir || strings.HasPrefix(file, strings.TrimSuffix(dir, "/")+"/") || strings.ContainsAny(dir, "*?[")
	})
}

// pytestFiles are the files with settings of pytest, in its order.
var pytestFiles = []string{"pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"}

// setting is the value of one setting of pytest, as written.
func (p project) setting(name string) string {
	pattern := regexp.MustCompile(`(?m)^\s*` + name + `\s*=\s*(\[[^\]]*\]|[^\n]*(?:\n[ \t]+[^\n]+)*)`)
	for _, file := range pytestFiles {
		if m := pattern.FindStringSubmatch(p.text[file]); m != nil {
			return m[1]
		}
	}
	return ""
}

// isSettings reports whether a file configures how code is run or tested.
func isSettings(file string) bool {
	base := path.Base(file)
	return slices.Contains(settings, base) || isRequirements(base) || slices.Contains([]string{"setup.py", "Pipfile.lock", "poetry.lock", "uv.lock"}, base)
}

// isDocument reports whether a file is a document.
func isDocument(file string) bool {
	return slices.Contains([]string{".md", ".rst", ".txt", ".adoc", ".png", ".svg"}, path.Ext(file)) && !isRequirements(path.Base(file))
}

// concerned reports whether files may change the results of tests: code, settings, files among tests or next to code, except documents that
// no setting makes tests of.
func (p project) concerned(changed []string) bool {
	doctests := slices.ContainsFunc(slices.Collect(maps.Values(p.text)), func(text string) bool {
		return strings.Contains(text, "doctest-glob") || strings.Contains(text, "doctest_glob") || strings.Contains(text, "sybil")
	})
	return slices.ContainsFunc(changed, func(file string) bool {
		switch {
		case !filepath.IsLocal(file):
			return len(p.around()) > 0 && (path.Ext(file) == ".py" || isSettings(file)) || p.usesAny([]string{file})
		case isCode(file), isSettings(file), testrun.IsTest(file):
			return true
		case isDocument(file):
			return doctests
		}
		beside, err := fs.Glob(os.DirFS(filepath.Join(p.dir, filepath.FromSlash(path.Dir(file)))), "*.py")
		return err != nil || len(beside) > 0
	})
}

// leadingOut matches paths in settings that lead out of the project's folder: { path = "../b" }, -e ../b[dev], pythonpath = ["../b/src"].
var leadingOut = lazyregexp.New(`(?:\.\./)+[\w.+\-/]*`)

// usesAny reports whether one of some files is code or settings in a folder outside of the project that its settings name, or that those of such a
// folder name: of a neighbouring package. Which tests use it is not known.
func (p project) usesAny(files []string) bool {
	outside := slices.DeleteFunc(slices.Clone(files), func(file string) bool {
		return filepath.IsLocal(file) || path.Ext(file) != ".py" && !isSettings(file)
	})
	known := []project{p}
	for at := 0; at < len(known) && len(outside) > 0; at++ {
		for _, dir := range append(known[at].named(), known[at].members(gate.Top(p.tree))...) {
			if !isWithin(gate.Top(p.tree), dir) || slices.ContainsFunc(known, func(k project) bool { return k.dir == dir }) {
				continue
			}
			if slices.ContainsFunc(outside, func(file string) bool { return isWithin(dir, filepath.Join(p.dir, filepath.FromSlash(file))) }) {
				return true
			}
			known = append(known, inspectFiles(dir))
		}
	}
	return false
}

// named returns the folders outside of the project's own that its settings name.
func (p project) named() (dirs []string) {
	for _, text := range p.text {
		for _, name := range leadingOut.FindAllString(text, -1) {
			dir := filepath.Join(p.dir, filepath.FromSlash(name))
			if info, err := os.Stat(dir); err == nil && info.IsDir() {
				dirs = append(dirs, dir)
			}
		}
	}
	return dirs
}

// members returns the folders of the packages that the project takes from a workspace of uv around it.
func (p project) members(top string) (dirs []string) {
	sources, _ := valueIn(p.tables["pyproject.toml"], "tool.uv.sources").(map[string]any)
	for dir := filepath.Dir(p.dir); len(sources) > 0 && dir != filepath.Dir(dir) && isWithin(top, dir); dir = filepath.Dir(dir) {
		patterns, _ := valueIn(inspectFiles(dir).tables["pyproject.toml"], "tool.uv.workspace.members").([]any)
		for _, pattern := range patterns {
			text, _ := pattern.(string)
			found, _ := fs.Glob(os.DirFS(dir), path.Clean(text)) // one that is no pattern matches nothing
			for _, name := range found {
				member := inspectFiles(filepath.Join(dir, filepath.FromSlash(name)))
				name, _ := valueIn(member.tables["pyproject.toml"], "project.name").(string)
				if source, _ := sources[name].(map[string]any); source["workspace"] == true {
					dirs = append(dirs, member.dir)
				}
			}
		}
	}
	return dirs
}

// isWithin reports whether a path is a folder, or lies in it; both are absolute.
func isWithin(dir, name string) bool {
	rel, err := filepath.Rel(dir, name)
	return err == nil && filepath.IsLocal(rel)
}

// isCode reports whether Python, or what checks types, reads a file.
func isCode(file string) bool { return path.Ext(file) == ".py" || path.Ext(file) == ".pyi" }

// Concerned is about files of Python.
func (*syntaxGate) Concerned(_ gate.Tree, changed []string) bool {
	return slices.ContainsFunc(changed, func(file string) bool { return filepath.IsLocal(file) && path.Ext(file) == ".py" })
}

// Concerned is about what tests read, as far as that can be known.
func (*testGate) Concerned(tree gate.Tree, changed []string) bool {
	return inspect(tree).concerned(changed)
}
