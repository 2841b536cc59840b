package execution

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/step"
	"forge/memory"
	"forge/memory/words"
)

// learn stores the result of an attempt, and lets memory learn from the gates' reports: that this kind of work succeeds or fails here, which
// change removed a failure, whether lessons that the run was shown hold, and which command runs the tests. An attempt counts once, however
// often it is reported. A model's opinion of it teaches nothing.
func (l *runMemory) learn(ctx context.Context, c step.LearnCall) (step.Learned, error) {
	m, err := l.host.State.Memory(ctx, l.params.Root)
	if err != nil {
		return step.Learned{}, err
	}
	s := teaching{from: l, memory: m, call: c, key: l.params.intent(), events: l.run.Log.Since(0)}
	_, err = m.RecordAttempt(ctx, memory.Attempt{
		Run: l.run.ID, Node: c.Node, Attempt: c.Attempt, Passed: c.Passed, Total: c.Total, Failures: redacted(l.host, c.Failures),
		Reason: l.host.Secrets.Plain(c.Reason), Class: c.Class, Source: s.source(""),
	})
	if err != nil {
		return step.Learned{}, err
	}
	if err := l.keepOutputs(ctx, m, c); err != nil {
		return step.Learned{}, err
	}
	for _, teach := range []func(context.Context) error{s.work, s.resolved, s.recurring, s.shown, s.commands} {
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

// teaching is what one attempt teaches.
type teaching struct {
	from    *runMemory
	memory  *memory.Project
	call    step.LearnCall
	key     string
	events  []event.Event // of the run, up to the attempt
	learned step.Learned
}

// work learns whether this kind of work, in this place, succeeds. An attempt that passed the gates and was not accepted teaches nothing.
func (s *teaching) work(ctx context.Context) error {
	report, passed, said := s.verdict()
	if !said || passed && !s.call.Accepted {
		return nil
	}
	p := s.pattern(memory.SuccessPattern, s.key)
	if passed && len(s.call.Touched) > 0 {
		var gates []string
		for _, r := range s.call.Reports {
			if r.Verdict == gate.Pass {
				gates = append(gates, r.Gate)
			}
		}
		p.Fix = fmt.Sprintf("the last one changed %s; checked by %s", first(s.call.Touched), first(gates))
	}
	return s.learn(ctx, p, passed, report)
}

// mostNamed limits the names in a lesson.
const mostNamed = 6

// first lists the first of some names.
func first(names []string) string {
	if more := len(names) - mostNamed; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:mostNamed], ", "), more)
	}
	return strings.Join(names, ", ")
}

// verdict returns the report that decides on the attempt: that of the gate that failed it, otherwise that of a passing gate that executed
// many tests or checks. said is false if nothing was executed, or a gate broke or did not run.
func (s *teaching) verdict() (r gate.Report, passed, said bool) {
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

// resolved learns what the attempt has resolved, and how.
func (s *teaching) resolved(ctx context.Context) error {
	for _, l := range s.call.Lessons {
		report, is := s.report(l.Gate)
		if !is {
			continue
		}
		p := s.pattern(memory.Category(l.Category), l.Text)
		p.Fix = s.from.host.Secrets.Plain(l.Fix)
		p.Context = s.from.host.Secrets.Plain(where(l.Said, l.Paths))
		p.Tags = slices.Concat(p.Tags, words.Languages(l.Paths...), redacted(s.from.host, l.Paths))
		if err := s.learn(ctx, p, true, report); err != nil {
			return err
		}
	}
	return nil
}

// where returns the context of a lesson: the failure, and the files to which it applies.
func where(said string, paths []string) string {
	text := "applies to " + strings.Join(paths, ", ")
	if languages := words.Languages(paths...); len(languages) > 0 {
		text = fmt.Sprintf("applies to %s files such as %s", strings.Join(languages, " and "), strings.Join(paths, ", "))
	}
	if said != "" {
		text = "seen as: " + said + "; " + text
	}
	return text
}

// recurring counts a failure against each known lesson about it: the lesson did not prevent it.
func (s *teaching) recurring(ctx context.Context) error {
	for _, c := range s.call.Causes {
		report, is := s.report(c.Gate)
		if !is {
			continue
		}
		known, err := s.memory.FindPattern(ctx, memory.Category(c.Category), s.from.host.Secrets.Plain(c.Text))
		if err != nil {
			continue // it is not known
		}
		if err := s.judge(ctx, known.ID, false, report); err != nil {
			return err
		}
	}
	return nil
}

// shown counts a success for each lesson that the run was shown if the attempt changes a file to which the lesson applies, and a gate from
// its evidence passes.
func (s *teaching) shown(ctx context.Context) error {
	for _, id := range s.call.Shown {
		why, err := s.memory.Why(ctx, memory.ID(id))
		if err != nil || why.Pattern == nil || why.Pattern.Category == memory.SuccessPattern || why.Pattern.Category == memory.TestCommand {
			continue // it was deleted since, or is of another folder, or is judged by each attempt
		}
		applies := slices.ContainsFunc(s.call.Touched, func(p string) bool { return slices.Contains(why.Pattern.Tags, strings.ToLower(p)) })
		for _, report := range s.call.Reports {
			judged := func(e memory.Evidence) bool { return e.Report.Gate == report.Gate }
			if !applies || report.Verdict != gate.Pass || !slices.ContainsFunc(why.Evidence, judged) {
				continue
			}
			if err := s.judge(ctx, why.ID, true, report); err != nil {
				return err
			}
		}
	}
	return nil
}

// report is that of a gate.
func (s *teaching) report(name string) (gate.Report, bool) {
	at := slices.IndexFunc(s.call.Reports, func(r gate.Report) bool { return r.Gate == name })
	if at < 0 {
		return gate.Report{}, false
	}
	return s.call.Reports[at], true
}

// commands learns with which commands tests are run.
func (s *teaching) commands(ctx context.Context) error {
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

// source is where a row comes from; its event is the report of a gate, or without one the result of the attempt.
func (s *teaching) source(name string) memory.Source {
	source := memory.Source{Origin: memory.Gate, Run: s.from.run.ID, Node: s.call.Node}
	part := strings.TrimPrefix(path.Dir(s.call.Node), ".") // see work.Job.Node
	for _, e := range s.events {
		switch d := e.Data.(type) {
		case event.AttemptJudged:
			if name == "" && d.Part == part && d.Attempt == s.call.Attempt {
				source.Event = int64(e.Seq)
			}
		case event.GateFinished:
			if d.Report.Gate == name && d.Attempt == s.call.Attempt && path.Dir(d.Node) == path.Dir(s.call.Node) {
				source.Event = int64(e.Seq)
			}
		}
	}
	return source
}

func (s *teaching) pattern(c memory.Category, text string) memory.Pattern {
	return memory.Pattern{Category: c, Text: s.from.host.Secrets.Plain(text), Tags: []string{s.key}, Source: s.source("")}
}

// verdictOf is the verdict of a gate, for memory.
func (s *teaching) verdictOf(passed bool, r gate.Report) (memory.Verdict, error) {
	judged := memory.Failed
	if passed {
		judged = memory.Passed
	}
	return judged(memory.GateReport{
		Run: s.from.run.ID, Node: s.call.Node, Attempt: s.call.Attempt, Gate: r.Gate, Executed: r.Executed, Summary: s.from.host.Secrets.Plain(r.Summary),
		Event: s.source(r.Gate).Event,
	})
}

// learn adds one verdict to a pattern, which is made if it is new. A report that executed nothing is no verdict, and teaches nothing.
func (s *teaching) learn(ctx context.Context, p memory.Pattern, passed bool, r gate.Report) error {
	if r.Executed < 1 {
		return nil
	}
	v, err := s.verdictOf(passed, r)
	if err != nil {
		return err
	}
	learned, err := s.memory.Learn(ctx, p, v)
	s.record(learned, err)
	return err
}

// judge adds one verdict to a pattern that is there.
func (s *teaching) judge(ctx context.Context, id memory.ID, passed bool, r gate.Report) error {
	if r.Executed < 1 {
		return nil
	}
	v, err := s.verdictOf(passed, r)
	if err != nil {
		return err
	}
	learned, err := s.memory.Judge(ctx, id, v)
	s.record(learned, err)
	return err
}

// record adds a pattern, after its last verdict, to the event.
func (s *teaching) record(p memory.Pattern, err error) {
	if err != nil {
		return
	}
	now := step.LearnedPattern{Category: string(p.Category), Text: p.Text, Successes: p.Successes, Failures: p.Failures, Confidence: p.Confidence}
	same := func(o step.LearnedPattern) bool { return o.Category == now.Category && o.Text == now.Text }
	s.learned.Patterns = append(slices.DeleteFunc(s.learned.Patterns, same), now)
}
