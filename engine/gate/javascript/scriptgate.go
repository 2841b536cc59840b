package javascript

import (
	"context"
	"slices"
	"strings"
	"time"

	"forge/engine/gate"
	"forge/engine/gate/javascript/npm"
	"forge/engine/gate/javascript/testrun"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
)

// scriptGate runs the steps of the script "test" that are neither tests nor covered by another gate: linters, tests of types, size
// limits. Each step counts as one check.
type scriptGate struct {
	tools tools
	limit time.Duration
}

// Name returns the gate's name.
func (*scriptGate) Name() string { return nameScript }

// Stage returns the stage of compilers: a step may read the output of another one.
func (*scriptGate) Stage() gate.Stage { return gate.StageBuild }

// Weight returns the weight of linters.
func (*scriptGate) Weight() gate.Weight { return gate.WhenGreen }

// Concerned reports whether files for tests or linters changed.
func (*scriptGate) Concerned(tree gate.Tree, changed []string) bool {
	return concerned(tree, changed, func(_ *npm.Project, file string) bool { return npm.IsCode(file) || strings.HasSuffix(file, ".json") })
}

// checks returns the steps of the gate, preceded by those that build; none if there is nothing to check.
func (t testScript) checks() []step {
	if t.isWhole() || !slices.ContainsFunc(t.steps, func(s step) bool { return s.kind == stepCheck }) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(t.steps), func(s step) bool { return s.kind != stepCheck && s.kind != stepBuild })
}

// Run runs the steps in order. A failing step does not stop the others.
func (g *scriptGate) Run(ctx context.Context, tree gate.Tree) gate.Report {
	report := gate.Report{Gate: nameScript}
	p, err := npm.Open(tree)
	if err != nil {
		return broken(report, err)
	}
	r := tool.RootOf(tree)
	var ran, absent []string
	for _, s := range readScript(p).checks() {
		if s.missing {
			absent = append(absent, s.program)
			continue
		}
		found, done := g.step(ctx, tree, p, s, r, &report)
		if done {
			return report
		}
		report.Findings = append(report.Findings, found...)
		if s.kind != stepCheck {
			continue
		}
		ran = append(ran, s.program)
		if report.Executed++; len(found) == 0 {
			report.Passed++
		}
	}
	if len(ran) == 0 && len(absent) > 0 {
		return missing(report, p, absent...)
	}
	testrun.InBytes(p.Sources, report.Findings)
	locate(p, report.Findings)
	return concludedSteps(report, ran, absent)
}

// concludedSteps returns the report on steps that ran, and on those whose program is not installed.
func concludedSteps(report gate.Report, ran, absent []string) gate.Report {
	w := tool.Words{Passed: strings.Join(ran, ", ") + " of the script test passed", Nothing: "no steps to run"}
	if len(absent) > 0 {
		w.Passed += "; not installed: " + strings.Join(absent, ", ")
	}
	if len(report.Findings) > 0 {
		w.Failed = tool.Count(len(report.Findings), "finding") + " of the script test: " + tool.FirstLine(report.Findings[0].String())
	}
	tool.Conclude(&report, sandbox.Result{}, w)
	return report
}

// step runs one step. done means that the verdict of the report is final.
func (g *scriptGate) step(ctx context.Context, tree gate.Tree, p *npm.Project, s step, r tool.Root, report *gate.Report) (found []gate.Finding, done bool) {
	argv := s.argv
	if s.program == "xo" {
		argv = append([]string{argv[0], "--reporter=json"}, npm.TextsOf(keep(s.call.Args, []string{"--reporter=", "--fix", "--open"}))...)
	}
	t := g.tools
	t.Env = slices.Concat(t.Env, lifecycle(p), s.call.Env)
	output := report.Output
	result, done := t.Run(tool.AllowWritesToLinked(ctx), tree, report, g.limit, argv...)
	report.Output = tool.Keep(output + r.Inert(report.Output))
	if done || result.ExitCode == 0 {
		return nil, done
	}
	if result.ExitCode < 0 {
		report.Verdict, report.Summary = gate.Error, tool.Summary("%s ended with code %d", s.program, result.ExitCode)
		return nil, true
	}
	if linted, ok := parseESLint(string(result.Stdout), r); ok && s.program == "xo" && failing(linted.findings) {
		return linted.findings, false
	}
	return testrun.FailedStep(s.program, "step/"+s.program, result, r), false
}

// isWhole reports whether npm runs the script as a whole.
func (t testScript) isWhole() bool {
	return slices.ContainsFunc(t.suites(), func(s suite) bool { return s.program == testrun.WholeProgram })
}

// andLeftOut adds the steps of the project's test script that no gate runs to a summary.
func (t testScript) andLeftOut(summary string) string {
	var left []string
	for _, s := range t.steps {
		unread := s.kind == stepOutside || s.kind == stepShell || s.kind == stepBuild && s.missing
		if name := strings.TrimSpace(s.program); unread && name != "" && !slices.Contains(left, name) {
			left = append(left, name)
		}
	}
	if len(left) == 0 || t.isWhole() {
		return summary
	}
	return summary + "; not run: " + strings.Join(left, ", ") + " (of the script test)"
}
