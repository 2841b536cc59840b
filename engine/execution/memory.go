package execution

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"forge/engine/flow"
	"forge/engine/gate"
	"forge/engine/pipeline/work"
	"forge/engine/state"
	"forge/engine/step"
	"forge/memory"
)

// collectedEvery is how often the memory of a folder is collected without being asked: when a run ends there, once a day.
const collectedEvery = 24 * time.Hour

// runMemory is what a run writes into the memory of its folder: its task, specifications, what gates taught, and that it began and ended.
type runMemory struct {
	host    *Host
	run     *Run
	params  Params
	project *state.Project
	fenced  func() bool // another process has taken the run over
}

// memory is what the run writes into the memory of its folder.
func (l *Execution) memory() *runMemory {
	return &runMemory{host: l.host, run: l.Run, params: l.params, project: l.project, fenced: l.fenced}
}

// reopen notes in memory that the run goes on: what it keeps for the run stays.
func (l *runMemory) reopen(ctx context.Context) {
	l.note(ctx, "goes on", (*memory.Project).BeginRun)
}

// end notes in memory that the run has ended: what it keeps for the run goes a day later.
func (l *runMemory) end(ctx context.Context) {
	l.note(ctx, "has ended", (*memory.Project).EndRun)
}

func (l *runMemory) note(ctx context.Context, what string, note func(*memory.Project, context.Context, string) error) {
	m, err := l.host.State.Memory(ctx, l.params.Root)
	if err == nil {
		err = note(m, ctx, l.run.ID)
	}
	if err != nil {
		l.host.State.Notify(fmt.Sprintf("memory could not be told that run %s %s: %v", l.run.ID, what, err))
	}
}

// collect removes what has lived its time in the folder's memory, once a day. How the run ended is kept before:
// a process that dies here takes nothing of it away.
func (l *runMemory) collect(ctx context.Context) {
	now, stamp := l.host.Now(), l.project.CollectedFile()
	if last, err := os.Stat(stamp); err == nil && now.Sub(last.ModTime()) < collectedEvery {
		return
	}
	m, err := l.host.State.Memory(ctx, l.params.Root)
	if err == nil {
		_, err = m.GC(ctx, now)
	}
	if err != nil {
		l.host.State.Notify(fmt.Sprintf("what has lived its time could not be removed from memory: %v", err))
		return
	}
	if err := os.WriteFile(stamp, nil, 0o600); err == nil {
		_ = os.Chtimes(stamp, now, now) // else it has the time of the system, which is as good
	}
}

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

// keepSpec appends the specification that the run was worked from to those of its folder: once, in however many
// executions. It comes before the end of the run is kept, so that a run that has ended has it. Where that fails the
// user is notified, and the run is what it is.
func (l *runMemory) keepSpec(ctx context.Context, spec work.Spec) {
	if spec.Text == "" || l.fenced() {
		return
	}
	if _, err := l.appendSpec(ctx, step.SpecVersion{Prompt: l.run.Task, Text: spec.Text, Changelog: spec.Title}); err != nil {
		l.host.State.Notify(fmt.Sprintf("the specification of run %s could not be kept: %v", l.run.ID, err))
	}
}

// appendSpec appends a version of the specification, unless an earlier execution of the run has.
func (l *runMemory) appendSpec(ctx context.Context, v step.SpecVersion) (step.SpecVersion, error) {
	text := l.host.Secrets.Plain(v.Text)
	m, err := l.host.State.Memory(ctx, l.run.Root)
	if err != nil {
		return v, err
	}
	kept, err := m.Specs(ctx)
	if err != nil {
		return v, err
	}
	mine := func(s memory.Spec) bool { return s.Source.Run == l.run.ID && s.Text == text }
	if i := slices.IndexFunc(kept, mine); i >= 0 {
		return versionOf(kept[i]), nil
	}
	saved, err := m.SaveSpec(ctx, memory.Spec{
		Version: v.Version, Prompt: v.Prompt, Text: text, Changelog: l.host.Secrets.Plain(v.Changelog),
		Source: memory.Source{Origin: memory.Model, Run: l.run.ID, Node: "spec"},
	})
	if err != nil {
		return v, err
	}
	return versionOf(saved), nil
}

// currentSpec gives the specification of the folder as it is; version 0 where there is none yet.
func (l *runMemory) currentSpec(ctx context.Context, _ step.Latest) (step.SpecVersion, error) {
	m, err := l.host.State.Memory(ctx, l.run.Root)
	if err != nil {
		return step.SpecVersion{}, err
	}
	spec, err := m.Spec(ctx, 0)
	if errors.Is(err, memory.ErrNotFound) {
		return step.SpecVersion{}, nil
	}
	return versionOf(spec), err
}

func versionOf(s memory.Spec) step.SpecVersion {
	return step.SpecVersion{Version: s.Version, Prompt: s.Prompt, Text: s.Text, Changelog: s.Changelog}
}

// keepEdition appends a version of the folder's specification, once in however many executions. Where somebody else has
// appended one meanwhile it is refused: nobody has seen what the two are together.
func (l *runMemory) keepEdition(ctx context.Context, v step.SpecVersion) (step.SpecVersion, error) {
	kept, err := l.appendSpec(ctx, v)
	if errors.Is(err, memory.ErrExists) {
		return v, &flow.Failure{Message: err.Error()}
	}
	return kept, err
}
