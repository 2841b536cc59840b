package python

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"forge/engine/gate"
	"forge/engine/gate/tool"
)

// nowhere is where a cache is written that nobody wants.
const nowhere = os.DevNull

// securityGate runs bandit. What it calls HIGH fails, the rest are warnings.
type securityGate struct {
	tools tools
	limit time.Duration
}

// Name gives the gate's name.
func (*securityGate) Name() string { return nameSecurity }

// Stage is that of audits.
func (*securityGate) Stage() gate.Stage { return gate.StageAudit }

// OnlyReads is true: bandit parses and runs nothing.
func (*securityGate) OnlyReads() bool { return true }

// Run audits the tree.
func (g *securityGate) Run(ctx context.Context, tree gate.Tree) gate.Report {
	report := gate.Report{Gate: g.Name()}
	p := inspect(tree)
	argv := []string{p.program(bandit), "--quiet", "--recursive", "--format", "json", "--exclude", "./.venv,./venv,./node_modules"}
	switch {
	case p.section("pyproject.toml", "tool.bandit"):
		argv = append(argv, "--configfile", "pyproject.toml")
	case p.has("bandit.yaml"):
		argv = append(argv, "--configfile", "bandit.yaml")
	case p.has("bandit.yml"):
		argv = append(argv, "--configfile", "bandit.yml")
	}
	result, done := g.tools.run(ctx, tree, &report, attempt{tool: bandit, limit: g.limit, argv: append(argv, ".")})
	if done {
		return report
	}
	found, executed, err := parseBandit(string(result.Stdout), placesIn(tree))
	if err != nil && result.ExitCode == 0 {
		return refuse(report, err)
	}
	report.Findings, report.Executed = found, executed
	report.Passed = clean(report.Executed, report.Findings)
	if err == nil && len(found) > 0 && result.ExitCode == 1 {
		result.ExitCode = 0 // that is how it says that there are findings
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
		n += boolean(blocks(f))
	}
	return n
}

// audit is what bandit -f json says.
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
func parseBandit(stdout string, p places) (found []gate.Finding, executed int, err error) {
	var all audit
	if err := json.Unmarshal([]byte(stdout[max(0, strings.IndexByte(stdout, '{')):]), &all); err != nil || all.Results == nil {
		return nil, 0, fmt.Errorf("understand what bandit found: %s is not what it says", tool.FirstLine(stdout))
	}
	for _, e := range all.Errors {
		f := p.at(e.Filename, 0, 0, "bandit", "not audited: "+e.Reason)
		f.Severity = gate.SeverityWarning
		found = append(found, f)
	}
	for _, r := range *all.Results {
		f := p.at(r.Filename, r.Line, r.Column+1, "bandit/"+r.ID, r.Text+" ("+r.Name+")")
		if r.Severity != "HIGH" {
			f.Severity = gate.SeverityWarning
		}
		found = append(found, f)
	}
	for name := range all.Metrics {
		executed += boolean(name != "_totals")
	}
	return found, max(0, executed-len(all.Errors)), nil
}

// complexityGate runs radon: no function may have a cyclomatic complexity of more than maxComplexity.
type complexityGate struct {
	tools tools
	limit time.Duration
}

// maxComplexity is the highest cyclomatic complexity of a function that passes: radon's ranks A and B.
const maxComplexity = 10

// Name gives the gate's name.
func (*complexityGate) Name() string { return nameComplexity }

// Stage is that of audits.
func (*complexityGate) Stage() gate.Stage { return gate.StageAudit }

// OnlyReads is true: radon parses and runs nothing.
func (*complexityGate) OnlyReads() bool { return true }

// Run measures the tree.
func (g *complexityGate) Run(ctx context.Context, tree gate.Tree) gate.Report {
	report := gate.Report{Gate: g.Name()}
	p := inspect(tree)
	result, done := g.tools.run(ctx, tree, &report, attempt{tool: radon, limit: g.limit, argv: []string{
		p.program(radon), "cc", "--json", "--show-closures", "--ignore", ".venv,venv,node_modules", ".",
	}})
	if done {
		return report
	}
	m, err := parseRadon(string(result.Stdout), placesIn(tree))
	if err != nil && result.ExitCode == 0 {
		return refuse(report, err)
	}
	report.Findings, report.Executed, report.Passed = m.found, m.executed, max(0, m.executed-countBlocking(m.found))
	conclude(&report, result, tool.Words{
		Failed:  fmt.Sprintf("%d of %s more complex than %d; %s is worst with %d", countBlocking(m.found), tool.Count(m.executed, "function"), maxComplexity, m.worst, m.most),
		Passed:  fmt.Sprintf("%s measured, none more complex than %d", tool.Count(m.executed, "function"), maxComplexity),
		Nothing: "no Python functions to measure",
	})
	return report
}

// block is a function, method or class as radon cc --json has it.
type block struct {
	Type       string `json:"type"`
	Name       string `json:"name"`
	Class      string `json:"classname"`
	Complexity int    `json:"complexity"`
	Line       int    `json:"lineno"`
	Column     int    `json:"col_offset"`
}

// measures are what radon found.
type measures struct {
	found    []gate.Finding
	executed int // functions and methods
	worst    string
	most     int
}

// parseRadon reads radon cc --json --show-closures, which lists functions in functions beside them. Classes are left out: they are the average of their methods, which are listed too. How complex
// a function is stands in no message: a finding that was there before is the same one when its number has changed.
func parseRadon(stdout string, p places) (m measures, err error) {
	var files map[string]json.RawMessage
	if err := json.Unmarshal([]byte(stdout[max(0, strings.IndexByte(stdout, '{')):]), &files); err != nil {
		return m, fmt.Errorf("understand what radon found: %w", err)
	}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		var blocks []block
		if err := json.Unmarshal(files[file], &blocks); err != nil {
			m.found = append(m.found, unmeasured(file, files[file], p))
			continue
		}
		for _, b := range blocks {
			m.add(file, b, p)
		}
	}
	return m, nil
}

func unmeasured(file string, said json.RawMessage, p places) gate.Finding {
	var failure struct {
		Error string `json:"error"`
	}
	_ = json.Unmarshal(said, &failure) // whatever it is, the file was not measured
	f := p.at(file, 0, 0, "radon", "not measured: "+failure.Error)
	f.Severity = gate.SeverityWarning
	return f
}

func (m *measures) add(file string, b block, p places) {
	name := b.Name
	if b.Class != "" {
		name = b.Class + "." + name
	}
	if b.Type == "class" {
		return
	}
	m.executed++
	if b.Complexity > m.most {
		m.worst, m.most = name, b.Complexity
	}
	if b.Complexity > maxComplexity {
		m.found = append(m.found, p.at(file, b.Line, b.Column+1, "radon/complexity", fmt.Sprintf("%s is more complex than %d: split it", name, maxComplexity)))
	}
}
