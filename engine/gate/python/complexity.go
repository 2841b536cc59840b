package python

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/python/testrun"
	"forge/engine/gate/tool"
)

// complexityGate runs radon: no function may have a cyclomatic complexity of more than maxComplexity.
type complexityGate struct{ check }

// maxComplexity is the highest cyclomatic complexity of a function that passes: radon's ranks A and B.
const maxComplexity = 10

// Run measures the tree.
func (g *complexityGate) Run(ctx context.Context, tree gate.Tree) gate.Report {
	report := gate.Report{Gate: g.Name()}
	p := inspect(tree)
	result, done := g.tools.run(ctx, p, &report, attempt{tool: radon, limit: g.limit, argv: []string{
		p.program(radon), "cc", "--json", "--show-closures", ".",
	}})
	if done {
		return report
	}
	m, err := parseRadon(string(result.Stdout), testrun.PlacesIn(tree))
	if err != nil && result.ExitCode == 0 {
		return refuse(report, err)
	}
	report.Findings, report.Executed, report.Passed = m.found, m.executed, max(0, m.executed-countBlocking(m.found))
	passed := fmt.Sprintf("%s measured, none more complex than %d", tool.Count(m.executed, "function"), maxComplexity)
	if files, _ := sources(tree.Dir()); err == nil && m.executed == 0 && len(m.found) == 0 {
		// radon does not name files that have no function: they were measured all the same.
		report.Executed, report.Passed = len(files), len(files)
		passed = tool.Count(len(files), "file") + " measured, without a function"
	}
	conclude(&report, result, tool.Words{
		Failed:  fmt.Sprintf("%d of %s more complex than %d; %s is worst with %d", countBlocking(m.found), tool.Count(m.executed, "function"), maxComplexity, m.worst, m.most),
		Passed:  passed,
		Nothing: "no Python files to measure",
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

// parseRadon reads radon cc --json --show-closures, which lists nested functions next to the outer ones. Classes are left out: they are the
// average of their methods, which are listed too. Messages omit the number, so that an existing finding stays the same when only its number
// changes.
func parseRadon(stdout string, p testrun.Places) (m measures, err error) {
	var files map[string]json.RawMessage
	if err := json.Unmarshal([]byte(stdout[max(0, strings.IndexByte(stdout, '{')):]), &files); err != nil {
		return m, fmt.Errorf("parse radon's report: unexpected output: %s", tool.FirstLine(stdout))
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
	p.Locate(m.found)
	return m, nil
}

func unmeasured(file string, said json.RawMessage, p testrun.Places) gate.Finding {
	var failure struct {
		Error string `json:"error"`
	}
	_ = json.Unmarshal(said, &failure) // in any case the file was not measured
	f := p.At(file, 0, 0, "radon", "not measured: "+failure.Error)
	f.Severity = gate.SeverityWarning
	return f
}

func (m *measures) add(file string, b block, p testrun.Places) {
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
		m.found = append(m.found, p.At(file, b.Line, b.Column+1, "radon/complexity", fmt.Sprintf("%s is more complex than %d: split it", name, maxComplexity)))
	}
}
