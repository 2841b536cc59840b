package execution

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"forge/engine/flow"
	"forge/engine/pipeline/work"
	"forge/engine/state"
	"forge/engine/step"
	"forge/memory"
)

// runMemory writes into the memory of a run's folder: the run's task, its specifications, lessons from gates, and its beginning and end.
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

// source is where a row comes from that the run writes now: its event is the last one of the run's log, or the first if there is none yet.
func (l *runMemory) source(origin memory.Origin, node string) memory.Source {
	return memory.Source{Origin: origin, Run: l.run.ID, Node: node, Event: int64(max(1, l.run.Log.Len()))}
}

// reopen records in memory that the run continues, so that its rows of the mid tier do not expire.
func (l *runMemory) reopen(ctx context.Context) {
	l.note(ctx, "goes on", (*memory.Project).BeginRun)
}

// end records in memory that the run has ended. Its rows of the mid tier expire a day later.
func (l *runMemory) end(ctx context.Context) {
	l.note(ctx, "has ended", (*memory.Project).EndRun)
}

func (l *runMemory) note(ctx context.Context, what string, note func(*memory.Project, context.Context, string) error) {
	m, err := l.host.State.Memory(ctx, l.params.Root)
	if err == nil {
		err = note(m, ctx, l.run.ID)
	}
	if err != nil {
		l.host.State.Notify(fmt.Sprintf("memory could not record that run %s %s: %v", l.run.ID, what, err))
	}
}

// collect removes expired rows from the folder's memory, at most once a day. It runs after the result of the run is stored, so that
// a process that dies here loses nothing of it.
func (l *runMemory) collect(ctx context.Context) {
	err := l.project.Daily("memory", func() error {
		m, err := l.host.State.Memory(ctx, l.params.Root)
		if err == nil {
			_, err = m.GC(ctx, l.host.Now())
		}
		return err
	})
	if err != nil {
		l.host.State.Notify(fmt.Sprintf("what has lived its time could not be removed from memory: %v", err))
	}
}

// keepSpec appends the run's specification to those of its folder, once in all executions of the run. It runs before the result of the run
// is stored, so that every ended run has its specification. If it fails, it notifies the user, and the result stays the same.
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
	if i := slices.IndexFunc(kept, func(s memory.Spec) bool { return s.Source.Run == l.run.ID && s.Text == text }); i >= 0 {
		return versionOf(kept[i]), nil
	}
	saved, err := m.SaveSpec(ctx, memory.Spec{
		Version: v.Version, Prompt: v.Prompt, Text: text, Changelog: l.host.Secrets.Plain(v.Changelog),
		Source: l.source(memory.Model, "spec"),
	})
	if err != nil {
		return v, err
	}
	return versionOf(saved), nil
}

// currentSpec returns the specification of the folder as it is; version 0 where there is none yet.
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

// keepEdition appends a version of the folder's specification, once in all executions of the run. It fails if another version was
// appended meanwhile: the user has not seen the two together.
func (l *runMemory) keepEdition(ctx context.Context, v step.SpecVersion) (step.SpecVersion, error) {
	kept, err := l.appendSpec(ctx, v)
	if errors.Is(err, memory.ErrExists) {
		return v, &flow.Failure{Message: err.Error()}
	}
	return kept, err
}
