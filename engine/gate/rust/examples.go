package rust

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/internal/lazyregexp"
)

// list returns the names of the examples of documentation, if a scope lets the gate list them: rustdoc finds them without compiling any, and
// compiles most of them one by one to execute them. It is not ok if there are none, or if they cannot be listed.
func (g *testGate) list(ctx context.Context, tree gate.Tree, scope gate.Scope, p project) (names []string, ok bool) {
	if !scope.List || !slices.ContainsFunc(slices.Collect(maps.Values(p.packages)), func(m pkg) bool { return m.examples != "" }) {
		return nil, false
	}
	all, ok := g.listed(ctx, tree, p)
	if !ok {
		return nil, false
	}
	ignored, ok := g.listed(ctx, tree, p, "--ignored")
	if !ok {
		return nil, false
	}
	for _, r := range all {
		r.tidy() // with the ignored ones, as in the output of a run
		for _, t := range r.tests {
			if !slices.ContainsFunc(ignored, func(i *testProgram) bool { return i.id == r.id && i.has(t) }) {
				names = append(names, r.id+" "+t.name)
			}
		}
	}
	return names, true
}

// has reports whether a harness has a test at the same place.
func (h *harness) has(t *testRun) bool {
	return slices.ContainsFunc(h.tests, func(o *testRun) bool { return o.file == t.file && o.line == t.line })
}

// inList matches a test in the list that a harness prints.
var inList = lazyregexp.New(`^(\S.*): test$`)

// listed returns the examples that rustdoc lists, by their crates.
func (g *testGate) listed(ctx context.Context, tree gate.Tree, p project, args ...string) (runs []*testProgram, ok bool) {
	var report gate.Report
	argv := slices.Concat([]string{"cargo", "test"}, p.chosen.args, []string{"--doc", "--offline", "--", "--list"}, args)
	result, done := g.at(p, true).Run(ctx, tree, &report, listLimit, argv...)
	if done || result.ExitCode != 0 || result.Truncated {
		return nil, false
	}
	s := suite{project: p}
	for line := range strings.Lines(string(result.Stdout)) {
		line = strings.TrimRight(line, "\r\n")
		if r := s.program(line, nil); r != nil {
			r.harness = &harness{}
			runs = append(runs, r)
			continue
		}
		m := inList.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if len(runs) == 0 {
			return nil, false
		}
		last := runs[len(runs)-1]
		last.tests = append(last.tests, newTest(m[1]))
	}
	return runs, true
}

// countListed adds listed tests to a report, and states in its summary that they were not executed.
func countListed(report *gate.Report, words *tool.Words, listed []string) {
	if len(listed) == 0 {
		return
	}
	report.Executed += len(listed)
	report.Listed = slices.Sorted(slices.Values(listed))
	report.PassedTests = slices.Sorted(slices.Values(slices.Concat(report.PassedTests, listed)))
	words.Passed += fmt.Sprintf("; %s of the documentation listed, not run", tool.Count(len(listed), "example"))
}
