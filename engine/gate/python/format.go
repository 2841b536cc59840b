package python

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/python/testrun"
	"forge/engine/gate/tool"
	"forge/internal/lazyregexp"
)

// formatGate compares every file with what the project's formatter makes of it.
type formatGate struct{ check }

// Run asks for the difference; nothing is written.
func (g *formatGate) Run(ctx context.Context, tree gate.Tree) gate.Report {
	report := gate.Report{Gate: g.Name()}
	p := inspect(tree)
	outside, remove, err := scratch()
	if err != nil {
		return refuse(report, err)
	}
	defer remove()
	ctx = tool.Sharing(ctx, outside)
	name := p.formatter()
	a := attempt{tool: name, limit: g.limit, env: []string{"BLACK_CACHE_DIR=" + outside}}
	switch name {
	case ruff:
		a.argv = []string{p.program(ruff), "format", "--no-cache", "--diff", "."}
	case black:
		a.argv = []string{p.program(black), "--check", "--diff", "--no-color", "."}
	default:
		report.Empty, report.Summary = true, "the project is configured for no formatter"
		return report
	}
	result, done := g.tools.run(ctx, p, &report, a)
	if done {
		return report
	}
	report.Findings, report.Executed = parseFormat(string(result.Stdout), string(result.Stderr), name, testrun.PlacesIn(tree))
	if leaveOutDocuments(&report) && len(report.Findings) == 0 && result.ExitCode == 1 {
		result.ExitCode = 0 // it is about nothing else
	}
	report.Passed = clean(report.Executed, report.Findings)
	conclude(&report, result, tool.Words{
		Failed:  fmt.Sprintf("%d of %s not as %s formats them", report.Executed-report.Passed, tool.Count(report.Executed, "file"), name),
		Passed:  tool.Count(report.Executed, "file") + " formatted",
		Nothing: "no Python files to format",
	})
	return report
}

// leaveOutDocuments removes findings in Markdown, whose examples ruff formats since version 0.15, and reports whether there were any: the gate is
// about files of Python, and those are what Forge formats.
func leaveOutDocuments(report *gate.Report) bool {
	all := len(report.Findings)
	report.Findings = slices.DeleteFunc(report.Findings, func(f gate.Finding) bool { return f.Rule == ruleFormat && path.Ext(f.Path) == ".md" })
	left := all - len(report.Findings)
	report.Executed -= left
	return left > 0
}

const ruleFormat = "format"

var (
	diffFile = lazyregexp.New(`^--- (.+?)(?:\t.*)?$`)
	diffHunk = lazyregexp.New(`^@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@`)
	// cannotParse is how both name a file that is no Python: "error: Failed to parse a.py:1:5: Expected", "error: cannot format a.py: Cannot
	// parse for target version Python 3.13: 1:4: def (", "error: cannot parse: a.py:1:4".
	cannotParse = lazyregexp.New(`^error: (?:Failed to parse|cannot parse:?) (.+?):(\d+):(\d+)(?:: (.*))?$`)
	cannotMake  = lazyregexp.New(`^error: (?:cannot format|Failed to (?:format|read)) (.+?): (.*)$`)
	lineColumn  = lazyregexp.New(`(?:^|: )(\d+):(\d+)(?:: |$)`)
	counted     = lazyregexp.New(`(\d+) files? (?:would be reformatted|already formatted|would be left unchanged|would fail to reformat|left unchanged)`)
)

// parseFormat reads a difference: a finding for each file in it, at its first changed line, and one for each file that could not be
// parsed. executed is how many files the formatter looked at.
func parseFormat(stdout, stderr, name string, p testrun.Places) (found []gate.Finding, executed int) {
	found = formatErrors(p, stderr, testrun.Boolean(name == black)) // black counts columns from 0
	failed := len(found)
	file, line := "", 0 // line is 0 where no hunk was seen yet, and once the file's place is known
	previous := ""
	for text := range strings.Lines(stdout) {
		text = strings.TrimPrefix(strings.TrimRight(text, "\r\n"), "\ufeff")
		if m := diffHunk.FindStringSubmatch(text); m != nil && file != "" {
			line, _ = strconv.Atoi(m[1])
			line = max(line, 1) // 0 is an empty file
		} else if m := diffFile.FindStringSubmatch(previous); m != nil && strings.HasPrefix(text, "+++ ") {
			file, line = m[1], 0
		} else if line > 0 && (strings.HasPrefix(text, "-") || strings.HasPrefix(text, "+")) {
			found = append(found, p.At(file, line, 0, ruleFormat, "not as "+name+" formats it"))
			file, line = "", 0
		} else if line > 0 {
			line++
		}
		previous = text
	}
	for _, m := range counted.FindAllStringSubmatch(stderr, -1) {
		n, _ := strconv.Atoi(m[1])
		executed += n
		if strings.HasSuffix(m[0], "fail to reformat") {
			failed = 0
		}
	}
	return p.Locate(found), executed + failed // ruff does not count what it could not parse
}

// formatErrors reads which files could not be parsed. more is added to columns.
func formatErrors(p testrun.Places, stderr string, more int) []gate.Finding {
	var found []gate.Finding
	for text := range strings.Lines(stderr) {
		text = strings.TrimRight(text, "\r\n")
		if m := cannotParse.FindStringSubmatch(text); m != nil {
			line, _ := strconv.Atoi(m[2])
			column, _ := strconv.Atoi(m[3])
			message := cmp.Or(m[4], "it cannot be parsed")
			found = append(found, p.Characters(p.At(m[1], line, column+more, testrun.RuleSyntax, message)))
		} else if m := cannotMake.FindStringSubmatch(text); m != nil {
			line, column := 0, 0
			if at := lineColumn.FindStringSubmatch(m[2]); at != nil {
				line, _ = strconv.Atoi(at[1])
				column = testrun.Number(at[2]) + more
			}
			found = append(found, p.Characters(p.At(m[1], line, column, testrun.RuleSyntax, m[2])))
		}
	}
	return found
}

// format formats files in place, as the project's own settings want it. Files that settings leave out, or that are no Python, stay
// as they are; so do all where there is no formatter.
func format(ctx context.Context, t tools, tree gate.Tree, paths []string) error {
	p := inspect(tree)
	var files []string
	for _, name := range paths {
		info, err := os.Lstat(filepath.Join(tree.Dir(), filepath.FromSlash(name)))
		if err == nil && info.Mode().IsRegular() && filepath.IsLocal(name) && slices.Contains([]string{".py", ".pyi"}, path.Ext(name)) {
			files = append(files, "./"+name)
		}
	}
	outside, remove, err := scratch()
	if err != nil {
		return fmt.Errorf("format Python files: %w", err)
	}
	defer remove()
	ctx = tool.Sharing(ctx, outside)
	a := attempt{tool: p.formatter(), limit: formatLimit, env: []string{"BLACK_CACHE_DIR=" + outside}}
	switch {
	case len(files) == 0, a.tool == "":
		return nil
	case a.tool == ruff:
		a.argv = append([]string{p.program(ruff), "format", "--no-cache", "--force-exclude", "--quiet"}, files...)
	default:
		a.argv = slices.Concat([]string{p.program(black), "--quiet"}, p.leftOut(), files)
	}
	report := gate.Report{Gate: nameFormat}
	if _, done := t.run(ctx, p, &report, a); done && report.Verdict == gate.Error {
		return fmt.Errorf("format Python files: %s", report.Summary)
	}
	return nil
}

// leftOut returns the option by which black leaves out what the project's settings leave out, also where it is named: it ignores them then.
func (p project) leftOut() []string {
	var parts []string
	for _, key := range []string{"exclude", "extend-exclude", "force-exclude"} {
		switch part, _ := valueIn(p.tables["pyproject.toml"], "tool.black."+key).(string); {
		case strings.Contains(part, "\n"): // black reads such a pattern without its blanks
			parts = append(parts, "(?x:"+part+"\n)")
		case part != "":
			parts = append(parts, "(?-x:"+part+")")
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{"--force-exclude", strings.Join(parts, "|")}
}
