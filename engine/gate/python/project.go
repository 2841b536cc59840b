package python

import (
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"

	"forge/engine/gate"
)

// project is what a folder says of itself: how it is checked, and where its own environment is.
type project struct {
	tree gate.Tree
	dir  string
	bin  string            // absolute folder of the programs of its environment; empty: it has none
	venv string            // that environment as the user names it from the project's folder
	text map[string]string // its settings, by the names of files at its top

	tables   map[string]map[string]any // of those that are TOML, and are sound
	collects func() collection         // what pytest takes for files of tests
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
		p.bin, p.venv = elsewhere(tree, os.Getenv)
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

// has reports whether one of the files is there.
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
	if all, sound := p.tables[file]; sound { // else the titles of a file that its tool cannot read, so that it says so
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

// requires reports whether the project installs a package of that name: for those who work on it, that is.
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

// checker is the type checker that the project is configured for; empty is none. Where there are two, mypy is the one that people
// run on everything: settings of pyright are often their editor's.
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

// table is what an INI file says in the section of a tool, without its title.
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
