package module

import (
	"context"
	"fmt"
	"strings"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/pipeline/dialogue"
	"forge/engine/pipeline/work"
	"forge/engine/plan"
	"forge/engine/step"
	"forge/engine/tool"
)

// gateVerify is the gate of the commands by which a plan verifies its parts.
const gateVerify = "verify"

// verify runs the plan's commands that verify the module's result, on its tree. They may be run like commands of models, and what they
// change is dropped. A failure is charged to the change, regardless of the earlier result. A command that may not be run, or cannot, is
// reported, and the reviewer decides without it.
func (rv *reviewer) verify(ctx context.Context, n graph.Node) ([]gate.Report, step.Outcome) {
	commands := rv.Job.Commands()
	if len(commands) == 0 {
		return nil, step.Outcome{}
	}
	rv.Run.Emit(event.GateStarted{Node: n.ID, Attempt: n.Attempt, Gate: gateVerify, Index: 1, Of: 1})
	phase := dialogue.NewPhase(rv.Module, rv.promises, rv.prompter)
	phase.Node, phase.Name = n, gateVerify
	v := verification{}
	for i, c := range commands {
		if c.Trouble != "" {
			v.skip(c, c.Trouble)
			continue
		}
		if rv.Run.Grants.Begins(c.Argv) == 0 {
			v.skip(c, tool.NotGranted)
			continue
		}
		said, o := phase.RunCommand(ctx, fmt.Sprintf("%s %d", gateVerify, i+1), c.Argv)
		if o.Signal != step.Success {
			return nil, o
		}
		v.add(c, said)
	}
	report := v.report()
	rv.Run.Emit(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: report})
	return []gate.Report{report}, step.Outcome{}
}

// verification is the results of commands.
type verification struct {
	ran, passed int
	findings    []gate.Finding
	skipped     []string // commands that did not run, with their reasons
	output      strings.Builder
}

func (v *verification) skip(c plan.Command, why string) {
	v.skipped = append(v.skipped, fmt.Sprintf("%s was not run: %s", c.Line, work.OneLine(why)))
}

// add adds the result of a command that was called.
func (v *verification) add(c plan.Command, said step.ToolResult) {
	if said.Failed {
		v.skip(c, said.Text)
		return
	}
	v.ran++
	fmt.Fprintf(&v.output, "$ %s\n%s\n", c.Line, strings.TrimSpace(said.Text))
	if said.Exit == 0 {
		v.passed++
		return
	}
	v.findings = append(v.findings, gate.Finding{
		Severity: gate.SeverityError, Rule: gateVerify, Message: fmt.Sprintf("%s failed: %s", c.Line, ending(said.Text)),
	})
}

func (v *verification) report() gate.Report {
	r := gate.Report{
		Gate: gateVerify, Verdict: gate.Pass, Executed: v.ran, Passed: v.passed, Findings: v.findings, Notice: strings.Join(v.skipped, "; "),
		Summary: work.OneLine(strings.Join(append([]string{fmt.Sprintf("%d of %d commands passed", v.passed, v.ran)}, v.skipped...), "; ")), Output: v.output.String(),
	}
	switch {
	case len(v.findings) > 0:
		r.Verdict = gate.Fail
	case v.ran == 0: // the reviewer decides without it
		r.Verdict, r.Weight, r.Summary = gate.NotRun, gate.Advisory, work.OneLine(r.Notice)
	}
	return r
}

// maxEnding limits the output of a failed command in its finding, in bytes.
const maxEnding = 1200

// ending returns how a command ended, and the end of its output.
func ending(said string) string {
	exit, output, _ := strings.Cut(strings.TrimSpace(said), "\n")
	if output = strings.TrimSpace(output); len(output) > maxEnding {
		output = "[…]" + strings.ToValidUTF8(output[len(output)-maxEnding:], "")
	}
	return strings.TrimSpace(exit + "\n" + output)
}
