package rust

import (
	"path"
	"regexp"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/internal/lazyregexp"
)

// locate gives a place to the findings that have none, or no line: in the end that is the manifest of the project.
func (p project) locate(found []gate.Finding) []gate.Finding {
	tool.Locate(found, manifestName, p.look)
	return found
}

// look finds a line in the file that is known of a finding.
func (p project) look(f gate.Finding) (tool.Place, bool) {
	switch {
	case path.Base(f.Path) == manifestName:
		return p.named(f)
	case f.Rule == ruleTest && f.Test == "":
		return p.ending(f.Path)
	}
	return tool.Place{}, false
}

// word is what cargo quotes first of all: the name of what its message is about.
var word = lazyregexp.New("`([\\w./-]+)[^`\n]*`")

// named is the line of a manifest that names what a message of cargo's is about.
func (p project) named(f gate.Finding) (tool.Place, bool) {
	for _, m := range word.FindAllStringSubmatch(f.Message, -1) {
		line := regexp.MustCompile(`(?m)^(?:.*[^\w\n-])?` + regexp.QuoteMeta(m[1]) + `(?:[^\w-]|$)`)
		if at, found := p.sources.Find([]string{f.Path}, line); found {
			return at, true
		}
	}
	return tool.Place{}, false
}

// ends are what ends a program before its tests, and where these begin.
var ends = []*lazyregexp.Regexp{
	lazyregexp.New(`\bprocess::(?:exit|abort)\(|\b_exit\(`), lazyregexp.New(`#\[(?:\w+::)?test\b`),
}

// ending is where a file ends its process, or else where its first test is.
func (p project) ending(file string) (tool.Place, bool) {
	for _, pattern := range ends {
		if at, found := p.sources.Find([]string{file}, pattern.Regexp()); found {
			return at, true
		}
	}
	return tool.Place{}, false
}

// manifestIn is the manifest of the package in a folder.
func manifestIn(dir string) string { return path.Join(dir, manifestName) }
