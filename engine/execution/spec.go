package execution

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"forge/engine/flow"
	"forge/engine/pipeline/work"
	"forge/engine/step"
	"forge/memory"
)

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
