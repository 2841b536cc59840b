package python

import (
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"forge/engine/gate"
	"forge/engine/gate/python/testrun"
	"forge/engine/gate/tool"
	"forge/internal/lazyregexp"
)

var (
	mypyTargets    = lazyregexp.New(`(?m)^\s*(files|packages|modules)\s*=`)
	nothingToCheck = lazyregexp.New(`There are no \.py\[i\] files in directory`)
)

func mypyArguments(p project) []string {
	argv := []string{
		p.program(mypy), "--show-column-numbers", "--show-error-codes", "--no-pretty", "--no-color-output", "--error-summary", "--hide-error-context",
		"--no-incremental", "--cache-dir=" + nowhere,
	}
	if p.namesTargets() {
		return argv
	}
	return append(argv, ".")
}

// namesTargets reports whether the settings of mypy say what it checks.
func (p project) namesTargets() bool {
	for _, file := range []string{"mypy.ini", ".mypy.ini", "setup.cfg"} {
		if mypyTargets.MatchString(p.table(file, "mypy")) {
			return true
		}
	}
	var file struct {
		Tool struct {
			Mypy struct{ Files, Packages, Modules any }
		}
	}
	if toml.Unmarshal([]byte(p.text["pyproject.toml"]), &file) != nil {
		return false
	}
	set := file.Tool.Mypy
	return set.Files != nil || set.Packages != nil || set.Modules != nil
}

var (
	mypyLine = lazyregexp.New(`^(.+?\.(?:pyi?|toml|cfg|ini))(?::(\d+))?(?::(\d+))?: (error|warning|note): (.*?)(?:  \[([\w-]+)\])?$`)
	mypyDone = lazyregexp.New(`^(?:Found \d+ errors? in \d+ files?|Success: no issues found in|Success: no issues found) ?\(?(?:checked )?(\d+)? ?`)
)

// parseMypy reads mypy's lines. Columns are taken as they are: what they count in depends on mypy's version. A note belongs to the finding above it at the same line; one that stands alone is no finding.
func parseMypy(output string, p testrun.Places) (found []gate.Finding, executed int) {
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		if m := mypyDone.FindStringSubmatch(line); m != nil {
			executed, _ = strconv.Atoi(m[1])
			continue
		}
		m := mypyLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		row, _ := strconv.Atoi(m[2])
		column, _ := strconv.Atoi(m[3])
		f := p.At(m[1], row, column, mypyRule(m[6]), m[5])
		if last := len(found) - 1; m[4] == "note" {
			if last >= 0 && found[last].Path == f.Path && found[last].Line == f.Line {
				found[last].Message = tool.Trim(found[last].Message + "\n" + f.Message)
			}
			continue
		}
		if m[4] == "warning" {
			f.Severity = gate.SeverityWarning
		}
		found = append(found, f)
	}
	return p.Locate(found), executed
}

func mypyRule(code string) string {
	switch code {
	case "syntax":
		return testrun.RuleSyntax
	case "":
		return mypy
	}
	return "mypy/" + code
}
