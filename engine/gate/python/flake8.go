package python

import (
	"context"
	"strconv"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/python/testrun"
	"forge/internal/lazyregexp"
)

// flake8 asks it to say how many files it looked at, too. Colours need not be turned off: the format has none, and before 5.0 there is no
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
