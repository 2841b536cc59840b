package execution

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/step"
	"forge/memory"
)

// learn keeps how an attempt came out, and lets memory learn from what gates said of it: that this kind of work succeeds or fails here, which edit
// turned a failure green, and with which command tests are run. The same attempt counts once, however often it is told. What a model thinks of
// the attempt teaches nothing.
func (l *runMemory) learn(ctx context.Context, c step.LearnCall) (step.Learned, error) {
	m, err := l.host.State.Memory(ctx, l.params.Root)
	if err != nil {
		return step.Learned{}, err
	}
	_, err = m.RecordAttempt(ctx, memory.Attempt{
		Run: l.run.ID, Node: c.Node, Attempt: c.Attempt, Passed: c.Passed, Total: c.Total, Failures: redacted(l.host, c.Failures),
		Reason: l.host.Secrets.Plain(c.Reason), Class: c.Class, Source: memory.Source{Origin: memory.Gate, Run: l.run.ID, Node: c.Node},
	})
	if err != nil {
		return step.Learned{}, err
	}
	if err := l.keepOutputs(ctx, m, c); err != nil {
		return step.Learned{}, err
	}
	s := lesson{from: l, memory: m, call: c, key: l.params.intent()}
	for _, teach := range []func(context.Context) error{s.work, s.fixes, s.commands} {
		if err := teach(ctx); err != nil {
			return s.learned, err
		}
	}
	return s.learned, nil
}

func redacted(h *Host, texts []string) []string {
	safe := make([]string, len(texts))
	for i, t := range texts {
		safe[i] = h.Secrets.Plain(t)
	}
	return safe
}

// lesson is what one attempt teaches.
type lesson struct {
	from    *runMemory
	memory  *memory.Project
	call    step.LearnCall
	key     string
	learned step.Learned
}

// work learns whether this kind of work, in this place, comes out. An attempt that gates let through and that was not accepted says nothing of it.
func (s *lesson) work(ctx context.Context) error {
	report, passed, said := s.verdict()
	if !said || passed && !s.call.Accepted {
		return nil
	}
	p := s.pattern(memory.SuccessPattern, s.key)
	if passed {
		var gates []string
		for _, r := range s.call.Reports {
			gates = append(gates, r.Gate)
		}
		p.Fix = fmt.Sprintf("what passed: changes in %s; checked by %s", strings.Join(s.call.Touched, ", "), strings.Join(gates, ", "))
		p.Context = title(s.from.params.Task)
	}
	return s.learn(ctx, p, passed, report)
}

// verdict is the report that decides on the attempt: of the gate that refused it, or else of the one that executed most. It is none where nothing
// was executed, or a gate broke.
func (s *lesson) verdict() (r gate.Report, passed, said bool) {
	for _, report := range s.call.Reports {
		switch {
		case report.Verdict == gate.Fail:
			return report, false, report.Executed > 0
		case report.Verdict != gate.Pass:
			return report, false, false
		case !said || report.Executed > r.Executed || report.Tests && !r.Tests:
			r, passed, said = report, true, report.Executed > 0
		}
	}
	return r, passed, said
}

// fixes learns which edit turned what failed before green, and that what is known of a failure did not keep it from coming.
func (s *lesson) fixes(ctx context.Context) error {
	for _, id := range s.call.Resolved {
		if report, green := s.gateOf(id); green && report.Verdict == gate.Pass && s.call.Fix != "" {
			p := s.pattern(memory.FailurePattern, id)
			p.Fix = "what turned it green: " + s.from.host.Secrets.Plain(s.call.Fix)
			if err := s.learn(ctx, p, true, report); err != nil {
				return err
			}
		}
	}
	for _, id := range s.call.Failures {
		report, is := s.gateOf(id)
		if !is || report.Verdict != gate.Fail {
			continue
		}
		known, err := s.memory.FindPattern(ctx, memory.FailurePattern, s.from.host.Secrets.Plain(id))
		if err != nil {
			continue // it is not known
		}
		if err := s.learn(ctx, memory.Pattern{Category: known.Category, Text: known.Text, Source: s.source()}, false, report); err != nil {
			return err
		}
	}
	return nil
}

// gateOf is the report of the gate that a failure is of; ids begin with its name.
func (s *lesson) gateOf(id string) (gate.Report, bool) {
	at := slices.IndexFunc(s.call.Reports, func(r gate.Report) bool { return strings.HasPrefix(id, r.Gate+" | ") })
	if at < 0 {
		return gate.Report{}, false
	}
	return s.call.Reports[at], true
}

// commands learns with which commands tests are run.
func (s *lesson) commands(ctx context.Context) error {
	for _, r := range s.call.Reports {
		if !r.Tests || r.Verdict != gate.Pass || len(r.Command) == 0 {
			continue
		}
		if err := s.learn(ctx, s.pattern(memory.TestCommand, strings.Join(r.Command, " ")), true, r); err != nil {
			return err
		}
	}
	return nil
}

func (s *lesson) source() memory.Source {
	return memory.Source{Origin: memory.Gate, Run: s.from.run.ID, Node: s.call.Node, Detail: s.key}
}

func (s *lesson) pattern(c memory.Category, text string) memory.Pattern {
	return memory.Pattern{Category: c, Text: s.from.host.Secrets.Plain(text), Tags: []string{s.key}, Source: s.source()}
}

// learn adds one verdict to a pattern. A report that executed nothing is no verdict, and teaches nothing.
func (s *lesson) learn(ctx context.Context, p memory.Pattern, passed bool, r gate.Report) error {
	if r.Executed < 1 {
		return nil
	}
	judged := memory.Failed
	if passed {
		judged = memory.Passed
	}
	v, err := judged(memory.GateReport{
		Run: s.from.run.ID, Node: s.call.Node, Attempt: s.call.Attempt, Gate: r.Gate, Executed: r.Executed, Summary: s.from.host.Secrets.Plain(r.Summary),
	})
	if err != nil {
		return err
	}
	learned, err := s.memory.Learn(ctx, p, v)
	if err != nil {
		return err
	}
	s.learned.Patterns = append(s.learned.Patterns, step.LearnedPattern{
		Category: string(learned.Category), Text: learned.Text, Successes: learned.Successes, Failures: learned.Failures, Confidence: learned.Confidence,
	})
	return nil
}
