package rust

import (
	"path"
	"regexp"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/internal/lazyregexp"
)

// locate gives a place to the findings without one, or without a line: if nothing better is known, the manifest of the project.
func (p project) locate(found []gate.Finding) []gate.Finding {
	tool.Locate(found, manifestName, p.look)
	return found
}

// look finds a line in the known file of a finding.
func (p project) look(f gate.Finding) (tool.Place, bool) {
	switch {
	case path.Base(f.Path) == manifestName:
		return p.named(f)
	case f.Rule == ruleTest && f.Test == "":
		return p.ending(f.Path)
	}
	return tool.Place{}, false
}

// word matches cargo's first quotation: the subject of its message.
var word = lazyregexp.New("`([\\w./-]+)[^`\n]*`")

// named returns the line of a manifest with the subject of a message of cargo.
func (p project) named(f gate.Finding) (tool.Place, bool) {
	for _, m := range word.FindAllStringSubmatch(f.Message, -1) {
		line := regexp.MustCompile(`(?m)^(?:.*[^\w\n-])?` + regexp.QuoteMeta(m[1]) + `(?:[^\w-]|$)`)
		if at, found := p.sources.Find([]string{f.Path}, line); found {
			return at, true
		}
	}
	return tool.Place{}, false
}

// ends match code that ends a program, and the beginning of tests.
var ends = []*lazyregexp.Regexp{
	lazyregexp.New(`\bprocess::(?:exit|abort)\(|\b_exit\(`), lazyregexp.New(`#\[(?:\w+::)?test\b`),
}

// ending returns the place at which a file ends its process, or its first test.
func (p project) ending(file string) (tool.Place, bool) {
	for _, pattern := range ends {
		if at, found := p.sources.Find([]string{file}, pattern.Regexp()); found {
			return at, true
		}
	}
	return tool.Place{}, false
}

// manifestIn returns the manifest of the package in a folder.
func manifestIn(dir string) string { return path.Join(dir, manifestName) }
