package python

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/python/testrun"
	"forge/engine/gate/tool"
	"forge/internal/lazyregexp"
)

// ruff asks for the files first: what it found in them says nothing of how many there are.
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

// violation is what ruff check --output-format json says of one place.
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
