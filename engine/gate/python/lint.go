package python

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/python/testrun"
	"forge/engine/gate/tool"
	"forge/internal/lazyregexp"
)

// lintGate runs the linter that the project is configured for; else ruff with its defaults, or flake8 without matters of style.
type lintGate struct{ check }

// onlyMistakes omits style rules, because the project has chosen none.
const onlyMistakes = "--select=E9,F"

// Run lints the tree. It fixes nothing.
func (g *lintGate) Run(ctx context.Context, tree gate.Tree) gate.Report {
	p := inspect(tree)
	switch p.linter() {
	case ruff:
		return g.ruff(ctx, tree, p)
	case flake8:
		return g.flake8(ctx, tree, p)
	}
	if report := g.ruff(ctx, tree, p, onlyMistakes); report.Verdict != gate.NotRun || report.Empty {
		return report
	}
	return g.flake8(ctx, tree, p, onlyMistakes)
}

func (g *lintGate) words(report gate.Report) tool.Words {
	return tool.Words{
		Failed:  fmt.Sprintf("%s in %d of %s", tool.Count(len(report.Findings), "finding"), report.Executed-report.Passed, tool.Count(report.Executed, "file")),
		Passed:  tool.Count(report.Executed, "file") + " linted",
		Nothing: "no Python files to lint",
	}
}

// flake8 also has it report how many files it checked. Colours need not be turned off: the format has none, and before 5.0 there is no
// option for it.
func (g *lintGate) flake8(ctx context.Context, tree gate.Tree, p project, more ...string) gate.Report {
	report := gate.Report{Gate: g.Name()}
	argv := append([]string{
		p.program(flake8), "--benchmark", "--format=%(path)s:%(row)d:%(col)d:%(code)s:%(text)s",
	}, more...)
	result, done := g.tools.run(ctx, p, &report, attempt{tool: flake8, limit: g.limit, argv: append(argv, ".")})
	if done {
		return report
	}
	report.Findings, report.Executed = parseFlake8(string(result.Stdout), testrun.PlacesIn(tree))
	report.Passed = clean(report.Executed, report.Findings)
	conclude(&report, result, g.words(report))
	return report
}

var (
	flake8Line  = lazyregexp.New(`^(.+?):(\d+):(\d+):([A-Z]+\d+):(.*)$`)
	flake8Files = lazyregexp.New(`^(\d+)\s+total files processed$`)
)

// parseFlake8 reads flake8's lines, and its benchmark.
func parseFlake8(stdout string, p testrun.Places) (found []gate.Finding, executed int) {
	for line := range strings.Lines(stdout) {
		line = strings.TrimRight(line, "\r\n")
		if m := flake8Files.FindStringSubmatch(line); m != nil {
			executed, _ = strconv.Atoi(m[1])
		} else if m := flake8Line.FindStringSubmatch(line); m != nil {
			row, _ := strconv.Atoi(m[2])
			column, _ := strconv.Atoi(m[3])
			rule := "flake8/" + m[4]
			if m[4] == "E999" || m[4] == "E902" {
				rule = testrun.RuleSyntax
			}
			f := p.At(m[1], row, column, rule, m[5])
			if !strings.HasPrefix(m[4], "F") { // those of pyflakes are counted in bytes
				f = p.Characters(f)
			}
			found = append(found, f)
		}
	}
	return p.Locate(found), executed
}

// ruff asks for the files first: its findings do not show how many there are.
func (g *lintGate) ruff(ctx context.Context, tree gate.Tree, p project, more ...string) gate.Report {
	report := gate.Report{Gate: g.Name()}
	check := append([]string{p.program(ruff), "check", "--no-cache", "--no-fix"}, more...)
	check = check[:len(check):len(check)]
	result, done := g.tools.run(ctx, p, &report, attempt{tool: ruff, limit: g.limit, argv: append(check, "--show-files", ".")})
	if done {
		return report
	}
	if result.ExitCode == 0 {
		report.Executed = listed(string(result.Stdout), tool.RootOf(tree))
		result, done = g.tools.run(ctx, p, &report, attempt{tool: ruff, limit: g.limit, argv: append(check, "--output-format", "json", ".")})
	}
	if done {
		return report
	}
	found, err := parseRuff(string(result.Stdout), testrun.PlacesIn(tree))
	if result.ExitCode == 0 && err != nil && report.Executed > 0 {
		return refuse(report, err)
	}
	report.Findings = append(found, settingsError(string(result.Stderr), testrun.PlacesIn(tree))...)
	report.Passed = clean(report.Executed, report.Findings)
	conclude(&report, result, g.words(report))
	return report
}

// listed counts the Python files of the tree in a list of paths.
func listed(stdout string, r tool.Root) (n int) {
	for line := range strings.Lines(stdout) {
		line = strings.TrimSpace(line)
		if _, ok := r.Rel(line); ok && line != "" && !strings.HasSuffix(line, ".toml") {
			n++
		}
	}
	return n
}

// violation is one finding of ruff check --output-format json.
type violation struct {
	Code     string `json:"code"`
	Filename string `json:"filename"`
	Message  string `json:"message"`
	Location struct {
		Row    int `json:"row"`
		Column int `json:"column"`
	} `json:"location"`
}

// parseRuff reads ruff check --output-format json.
func parseRuff(stdout string, p testrun.Places) ([]gate.Finding, error) {
	var all []violation
	if err := json.Unmarshal([]byte(stdout), &all); err != nil {
		return nil, fmt.Errorf("understand what ruff found: %w", err)
	}
	var found []gate.Finding
	for _, v := range all {
		rule := "ruff/" + v.Code
		if v.Code == "" || v.Code == "invalid-syntax" || v.Code == "E999" { // syntax errors have no code in 0.9, and that of flake8 in 0.4
			rule = testrun.RuleSyntax
		}
		found = append(found, p.Characters(p.At(v.Filename, v.Location.Row, v.Location.Column, rule, v.Message)))
	}
	return p.Locate(found), nil
}

const ruleSettings = "settings"

var (
	badSettings = lazyregexp.New(`(?:Failed to parse \x60?|from \x60)([^\x60\n]+\.toml)`)
	tomlAt      = lazyregexp.New(`TOML parse error at line (\d+), column (\d+)`)
)

// settingsError reads why ruff could not read the project's settings: "Failed to parse pyproject.toml", and where below.
func settingsError(stderr string, p testrun.Places) []gate.Finding {
	m := badSettings.FindStringSubmatch(stderr)
	if m == nil {
		return nil
	}
	line, column := 0, 0
	if at := tomlAt.FindStringSubmatch(stderr); at != nil {
		line, column = testrun.Number(at[1]), testrun.Number(at[2])
	}
	_, why, _ := strings.Cut(stderr, "Cause: ")
	return p.Locate([]gate.Finding{p.Characters(p.At(m[1], line, column, ruleSettings, "ruff cannot read it: "+why))})
}
