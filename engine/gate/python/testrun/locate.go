package testrun

import (
	"path"
	"regexp"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/internal/lazyregexp"
)

// settingsFiles are the files that define a project, the most important one first.
var settingsFiles = []string{"pyproject.toml", "pytest.ini", "setup.cfg", "setup.py", "tox.ini", "requirements.txt"}

// Locate gives a place to the findings that have none, or no line: in the end that is the file with the project's settings, or the
// first file of a project without any.
func (p Places) Locate(found []gate.Finding) []gate.Finding {
	if len(found) == 0 {
		return nil
	}
	about := p.Sources.First(settingsFiles...)
	if p.Sources.Read(about) == nil {
		for _, file := range append(p.tests(), p.Sources.Below(".", IsSource)...) {
			about = file
			break
		}
	}
	tool.Locate(found, about, p.look)
	return found
}

// tests are the files of the tests.
func (p Places) tests() []string {
	return p.Sources.Below(".", func(file string) bool { return IsSource(file) && IsTest(file) })
}

// IsSource reports whether a file is code of Python.
func IsSource(file string) bool { return path.Ext(file) == ".py" }

var (
	// ending is what ends a process of tests, or the run of them.
	ending   = lazyregexp.New(`\b(?:os\._exit|os\.abort|os\.kill|sys\.exit|pytest\.exit)\(`)
	lastLine = lazyregexp.New(`, line (\d+)\)$`)
)

// look finds what a finding without a line is about.
func (p Places) look(f gate.Finding) (tool.Place, bool) {
	if m := lastLine.FindStringSubmatch(f.Message); m != nil && f.Path != "" {
		return tool.Place{Path: f.Path, Line: Number(m[1])}, true
	}
	switch {
	case f.Test != "":
		return p.written(f)
	case f.Rule == RuleSession && f.Path != "":
		return p.Sources.Find([]string{f.Path}, ending.Regexp())
	case f.Rule == RuleSession:
		return p.Sources.Find(p.tests(), ending.Regexp())
	}
	return tool.Place{}, false
}

// written is where a test is written, in its own file or in that of its module, else in the first file of tests that has its name.
func (p Places) written(f gate.Finding) (tool.Place, bool) {
	name, _, _ := strings.Cut(f.Test, "[")
	name, _, _ = strings.Cut(name, " ")
	parts := strings.Split(name, ".")
	files := []string{f.Path}
	if f.Path == "" {
		files = nil
		for end := len(parts) - 1; end > 0; end-- {
			files = append(files, path.Join(parts[:end]...)+".py")
		}
		files = append(files, p.tests()...)
	}
	return p.Sources.Find(files, regexp.MustCompile(`(?m)^[ \t]*(?:async +)?def +`+regexp.QuoteMeta(parts[len(parts)-1])+` *\(`))
}
