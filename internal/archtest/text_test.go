package archtest

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

// Wall is the number of lines a file that people write may have. Tests and generated files are exempt.
const Wall = 600

func checkLength(m *module, _ *blocks) []Violation {
	var found []Violation
	for _, s := range m.sources {
		if n := s.lines(); n > Wall && !s.test && !s.generated {
			found = append(found, Violation{s.path, 0, "length", fmt.Sprintf("%d lines, the wall is %d: it holds more than one idea, split it", n, Wall)})
		}
	}
	return found
}

var (
	todo      = regexp.MustCompile(`\b(TODO|FIXME)\b(\(#\d+\))?`)
	withIssue = regexp.MustCompile(`\(#\d+\)$`)
)

// checkIssues wants an issue at every to-do. In Go it reads comments only, so that strings may hold the
// word; in the other languages it reads every line.
func checkIssues(m *module, _ *blocks) []Violation {
	var found []Violation
	for _, p := range m.packages {
		for _, f := range p.files {
			for _, group := range f.syntax.Comments {
				for _, c := range group.List {
					found = append(found, issues(f.path, f.line(c.Pos()), c.Text)...)
				}
			}
		}
	}
	for _, s := range m.sources {
		if path.Ext(s.path) != ".go" && !s.generated {
			found = append(found, issues(s.path, 1, string(s.text))...)
		}
	}
	return found
}

func issues(file string, first int, text string) []Violation {
	var found []Violation
	for n, line := range strings.Split(text, "\n") {
		for _, mark := range todo.FindAllString(line, -1) {
			if !withIssue.MatchString(mark) {
				found = append(found, Violation{file, first + n, "issue", mark + " without an issue: write " + mark + "(#12), or do it"})
			}
		}
	}
	return found
}
