package python

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/python/testrun"
	"forge/engine/gate/tool"
)

// securityGate runs bandit. What it calls HIGH fails, the rest are warnings.
type securityGate struct{ check }

// Run audits the tree.
func (g *securityGate) Run(ctx context.Context, tree gate.Tree) gate.Report {
	report := gate.Report{Gate: g.Name()}
	p := inspect(tree)
	argv := []string{p.program(bandit), "--quiet", "--recursive", "--format", "json"} // what the tree shows of other folders are links, which it does not follow
	switch {
	case p.section("pyproject.toml", "tool.bandit"):
		argv = append(argv, "--configfile", "pyproject.toml")
	case p.has("bandit.yaml"):
		argv = append(argv, "--configfile", "bandit.yaml")
	case p.has("bandit.yml"):
		argv = append(argv, "--configfile", "bandit.yml")
	}
	result, done := g.tools.run(ctx, p, &report, attempt{tool: bandit, limit: g.limit, argv: append(argv, ".")})
	if done {
		return report
	}
	found, executed, err := parseBandit(string(result.Stdout), testrun.PlacesIn(tree))
	if err != nil && result.ExitCode == 0 {
		return refuse(report, err)
	}
	report.Findings, report.Executed = found, executed
	report.Passed = clean(report.Executed, report.Findings)
	if err == nil && len(found) > 0 && result.ExitCode == 1 {
		result.ExitCode = 0 // it reports findings with this code
	}
	conclude(&report, result, tool.Words{
		Failed:  fmt.Sprintf("%s of high severity: %s", tool.Count(countBlocking(found), "finding"), firstProblem(found)),
		Passed:  fmt.Sprintf("%s audited, %s", tool.Count(executed, "file"), tool.Count(len(found), "warning")),
		Nothing: "no Python files to audit",
	})
	return report
}

func countBlocking(found []gate.Finding) (n int) {
	for _, f := range found {
		n += testrun.Boolean(f.Blocks())
	}
	return n
}

// audit is the output of bandit -f json.
type audit struct {
	Errors []struct {
		Filename string `json:"filename"`
		Reason   string `json:"reason"`
	} `json:"errors"`
	Metrics map[string]json.RawMessage `json:"metrics"`
	Results *[]struct {
		Filename string `json:"filename"`
		Severity string `json:"issue_severity"`
		Text     string `json:"issue_text"`
		Line     int    `json:"line_number"`
		Column   int    `json:"col_offset"`
		ID       string `json:"test_id"`
		Name     string `json:"test_name"`
	} `json:"results"`
}

// parseBandit reads bandit -f json. A file that it could not parse was not audited, which is a warning: the syntax gate fails for it.
func parseBandit(stdout string, p testrun.Places) (found []gate.Finding, executed int, err error) {
	var all audit
	if err := json.Unmarshal([]byte(stdout[max(0, strings.IndexByte(stdout, '{')):]), &all); err != nil || all.Results == nil {
		return nil, 0, fmt.Errorf("parse bandit's report: unexpected output: %s", tool.FirstLine(stdout))
	}
	for _, e := range all.Errors {
		f := p.At(e.Filename, 0, 0, "bandit", "not audited: "+e.Reason)
		f.Severity = gate.SeverityWarning
		found = append(found, f)
	}
	for _, r := range *all.Results {
		f := p.At(r.Filename, r.Line, r.Column+1, "bandit/"+r.ID, r.Text+" ("+r.Name+")")
		if r.Severity != "HIGH" {
			f.Severity = gate.SeverityWarning
		}
		found = append(found, f)
	}
	for name := range all.Metrics {
		executed += testrun.Boolean(name != "_totals")
	}
	return p.Locate(found), max(0, executed-len(all.Errors)), nil
}
