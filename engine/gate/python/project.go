package python

import (
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"

	"forge/engine/gate"
	"forge/engine/gate/python/testrun"
	"forge/engine/gate/tool"
)

// project is a folder's configuration: how it is checked, and where its environment is.
type project struct {
	tree gate.Tree
	dir  string
	bin  string            // absolute folder of the programs of its environment; empty: it has none
	venv string            // that environment as the user names it from the project's folder
	text map[string]string // its settings, by the names of files at its top

	tables   map[string]map[string]any // of those that are TOML, and are sound
	collects func() collection         // which files are test files for pytest
}

// settings are the files in which Python's tools are configured.
var settings = []string{
	"pyproject.toml", "setup.cfg", "tox.ini", "ruff.toml", ".ruff.toml", ".flake8", "mypy.ini", ".mypy.ini", "pyrightconfig.json",
	"pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", ".bandit", "bandit.yaml", "bandit.yml", "radon.cfg", ".pre-commit-config.yaml",
}

// maxSettings is how much of a file of settings is read, in bytes.
const maxSettings = 1 << 20

// inspect reads a project's settings, and finds its environment. What cannot be read is not there.
func inspect(tree gate.Tree) project {
	p := inspectFiles(tree.Dir())
	p.tree = tree
	if p.bin, p.venv = environment(tree); p.bin == "" {
		p.bin, p.venv = managedEnvironment(tree, os.Getenv)
	}
	return p
}

// inspectFiles reads the settings in a folder.
func inspectFiles(dir string) project {
	p := project{dir: dir, text: map[string]string{}}
	root, err := os.OpenRoot(p.dir)
	if err != nil {
		return p
	}
	defer root.Close() //nolint:errcheck // nothing was written
	names := settings
	if entries, err := fs.ReadDir(root.FS(), "."); err == nil {
		for _, entry := range entries {
			if isRequirements(entry.Name()) {
				names = append(names[:len(names):len(names)], entry.Name())
			}
		}
	}
	for _, name := range names {
		if text, ok := readStart(root, name); ok {
			p.text[name] = text
		}
	}
	p.tables = tablesOf(p.text)
	p.collects = sync.OnceValue(p.collection)
	return p
}

// tablesOf decodes the files that are TOML, and leaves out those that are not sound.
func tablesOf(files map[string]string) map[string]map[string]any {
	tables := map[string]map[string]any{}
	for name, text := range files {
		var all map[string]any
		if path.Ext(name) == ".toml" && toml.Unmarshal([]byte(text), &all) == nil {
			tables[name] = all
		}
	}
	return tables
}

// readStart reads the beginning of a file.
func readStart(root *os.Root, name string) (string, bool) {
	f, err := root.Open(name)
	if err != nil {
		return "", false
	}
	defer f.Close() //nolint:errcheck // nothing was written
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	text, err := io.ReadAll(io.LimitReader(f, maxSettings))
	return string(text), err == nil
}

// has reports whether one of the files exists.
func (p project) has(names ...string) bool {
	for _, name := range names {
		if _, ok := p.text[name]; ok {
			return true
		}
	}
	return false
}

// section reports whether a file has a table of that name, or one below it: "[tool.ruff]" and "[tool.ruff.lint]" for "tool.ruff".
func (p project) section(file, name string) bool {
	if all, sound := p.tables[file]; sound { // else the titles of a file that its tool cannot read, so that the tool reports it
		_, is := valueIn(all, name).(map[string]any)
		return is
	}
	for line := range strings.Lines(p.text[file]) {
		title, is := strings.CutPrefix(strings.TrimSpace(line), "[")
		if !is {
			continue
		}
		title = strings.NewReplacer(`"`, "", "'", "", " ", "").Replace(strings.TrimPrefix(title, "["))
		if rest, is := strings.CutPrefix(title, name); is && (strings.HasPrefix(rest, "]") || strings.HasPrefix(rest, ".")) {
			return true
		}
	}
	return false
}

// valueIn is the value to which names lead from table to table: "tool.ruff"; nil where there is none.
func valueIn(file map[string]any, name string) (value any) {
	value = file
	for key := range strings.SplitSeq(name, ".") {
		table, _ := value.(map[string]any)
		value = table[key]
	}
	return value
}

// hooked reports whether pre-commit runs a hook of that id.
func (p project) hooked(id string) bool {
	return regexp.MustCompile(`(?m)^\s*-?\s*id:\s*['"]?` + regexp.QuoteMeta(id) + `['"]?\s*(#.*)?$`).MatchString(p.text[".pre-commit-config.yaml"])
}

// requires reports whether the project installs a package of that name: for its developers, that is.
func (p project) requires(name string) bool {
	line := regexp.MustCompile(`(?mi)(^\s*|[\[,]\s*)["']?` + name + `(\[[^\]]*\])?\s*(["'=<>~!;,\]].*)?$`)
	for file, text := range p.text {
		if (isRequirements(file) || path.Ext(file) == ".toml" || file == "setup.cfg" || file == "tox.ini") && line.MatchString(text) {
			return true
		}
	}
	return false
}

// formatter is the formatter that the project is configured for; empty is none. Settings of ruff's linter alone choose no style.
func (p project) formatter() string {
	switch {
	case p.section("pyproject.toml", "tool.ruff.format"), p.section("ruff.toml", "format"), p.section(".ruff.toml", "format"), p.hooked("ruff-format"):
		return ruff
	case p.section("pyproject.toml", "tool.black"), p.hooked("black"), p.requires(black):
		return black
	}
	return ""
}

// linter is the linter that the project is configured for; empty is none.
func (p project) linter() string {
	switch {
	case p.section("pyproject.toml", "tool.ruff"), p.has("ruff.toml", ".ruff.toml"), p.hooked("ruff"), p.hooked("ruff-check"), p.requires(ruff):
		return ruff
	case p.has(".flake8"), p.section("setup.cfg", "flake8"), p.section("tox.ini", "flake8"), p.hooked("flake8"), p.requires(flake8):
		return flake8
	}
	return ""
}

// checker is the type checker that the project is configured for; empty is none. If both are configured, mypy counts: settings of
// pyright are often for an editor.
func (p project) checker() string {
	switch {
	case p.has("mypy.ini", ".mypy.ini"), p.section("setup.cfg", "mypy"), p.section("pyproject.toml", "tool.mypy"), p.hooked("mypy"):
		return mypy
	case p.has("pyrightconfig.json"), p.section("pyproject.toml", "tool.pyright"), p.hooked("pyright"):
		return pyright
	}
	return ""
}

// audited reports whether the project is configured for bandit.
func (p project) audited() bool {
	return p.has(".bandit", "bandit.yaml", "bandit.yml") || p.section("pyproject.toml", "tool.bandit") || p.hooked(bandit) || p.requires(bandit)
}

// measured reports whether the project is configured for radon.
func (p project) measured() bool {
	return p.has("radon.cfg") || p.section("setup.cfg", "radon") || p.section("pyproject.toml", "tool.radon") || p.requires(radon)
}

// wantsPytest reports whether the project's settings are those of pytest.
func (p project) wantsPytest() bool {
	return p.configuresPytest() || p.requires("pytest")
}

// configuresPytest reports whether the folder has settings of pytest, which make it pytest's root.
func (p project) configuresPytest() bool {
	return p.has("pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml") || p.section("pyproject.toml", "tool.pytest") || p.section("tox.ini", "pytest") ||
		p.section("setup.cfg", "tool:pytest")
}

// table is the section of a tool in an INI file, without its title.
func (p project) table(file, name string) string {
	var text strings.Builder
	in := false
	for line := range strings.Lines(p.text[file]) {
		if title := strings.TrimSpace(line); strings.HasPrefix(title, "[") {
			in = title == "["+name+"]"
		} else if in {
			text.WriteString(line)
		}
	}
	return text.String()
}

// roots are the folders in which projects begin. A file that packagers or test runners read begins one, and so does a list of requirements
// with Python files below it that is in no other project, and the tree itself where Python files lie at its top.
//
// A project in another one has its files checked with that one; it is a project of its own for its tests. One that is an example, or
// part of a documentation, is none until it has tests. A folder that has no Python file at all is a project only where nothing else could
// be one: a new one.
func roots(paths []string, _ func(string) ([]byte, error)) []string {
	strong, weak := map[string]bool{}, map[string]bool{}
	for _, p := range paths {
		dir, base := tool.FolderOf(p), path.Base(p)
		switch {
		case isForeign(dir):
		case slices.Contains(beginnings, base):
			strong[dir] = true
		case isRequirements(base), dir == "" && path.Ext(base) == ".py":
			weak[dir] = true
		}
	}
	held := holdings(paths, strong, weak)
	found := []string{}
	for dir := range weak {
		if !strong[dir] && !inside(dir, strong) && !inside(dir, weak) && held.isProject(dir) {
			found = append(found, dir)
		}
	}
	for dir := range strong {
		switch within := inside(dir, strong); {
		case isFixture(dir), !held.isProject(dir), within && isAside(dir) && !held.tests[dir]:
		default:
			found = append(found, dir)
		}
	}
	slices.Sort(found)
	return found
}

// holding is which folders have Python files below them, which of these have tests, each file counted for the innermost folder, and whether
// another language has its projects in the tree.
type holding struct {
	code, tests map[string]bool
	others      bool
}

func holdings(paths []string, projects ...map[string]bool) holding {
	h := holding{code: map[string]bool{}, tests: map[string]bool{}}
	for _, p := range paths {
		dir := tool.FolderOf(p)
		if slices.Contains([]string{"go.mod", "package.json", "Cargo.toml", "deno.json", "pom.xml", "build.gradle", "CMakeLists.txt", "Gemfile", "composer.json"}, path.Base(p)) {
			h.others = true
		}
		if path.Ext(p) != ".py" || isForeign(dir) {
			continue
		}
		innermost := true
		for at := dir; ; at = tool.FolderOf(at) {
			if slices.ContainsFunc(projects, func(of map[string]bool) bool { return of[at] }) {
				h.code[at] = h.code[at] || path.Base(p) != "setup.py"
				if inner := strings.TrimPrefix(strings.TrimPrefix(p, at), "/"); innermost && testrun.IsTest(inner) {
					h.tests[at] = true
				}
				innermost = false
			}
			if at == "" {
				break
			}
		}
	}
	return h
}

// isProject reports whether there is anything to check in a folder, or it may become a project.
func (h holding) isProject(dir string) bool { return h.code[dir] || !h.others && dir == "" }

// isRequirements recognises what pip reads: requirements.txt, requirements-dev.txt.
func isRequirements(base string) bool {
	return strings.HasPrefix(base, "requirements") && path.Ext(base) == ".txt"
}

// inside reports whether a folder is below one of the others.
func inside(dir string, others map[string]bool) bool {
	for dir != "" {
		if dir = tool.FolderOf(dir); others[dir] {
			return true
		}
	}
	return false
}

// isForeign reports whether a folder contains installed packages or data of tools.
func isForeign(dir string) bool {
	return slices.ContainsFunc(strings.Split(dir, "/"), func(part string) bool {
		return strings.HasPrefix(part, ".") || slices.Contains([]string{"venv", "node_modules", "site-packages", "__pycache__"}, part)
	})
}

// isFixture reports whether a folder is in tests or documentation: a project there is test data.
func isFixture(dir string) bool {
	return slices.ContainsFunc(strings.Split(dir, "/"), func(part string) bool {
		return slices.Contains([]string{"tests", "test", "testdata", "testing", "fixtures"}, part)
	})
}

// isAside reports whether a folder is among examples or documentation: its code is for demonstration, and rarely what the user works on.
func isAside(dir string) bool {
	return slices.ContainsFunc(strings.Split(dir, "/"), func(part string) bool {
		return slices.Contains([]string{"examples", "example", "samples", "sample", "demos", "demo", "docs", "doc", "benchmarks", "templates"}, part)
	})
}

// sources returns the Python files of a folder of the project itself, sorted. Symbolic links are not followed.
func sources(dir string) ([]string, error) {
	var files []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && isForeign(entry.Name()):
			return fs.SkipDir
		case entry.Type().IsRegular() && path.Ext(name) == ".py":
			files = append(files, name)
		}
		return nil
	})
	slices.Sort(files)
	return files, err
}
