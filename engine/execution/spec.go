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
	if err := l.saveSpec(ctx, spec); err != nil {
		l.host.State.Notify(fmt.Sprintf("the specification of run %s could not be kept: %v", l.run.ID, err))
	}
}

// saveSpec appends the specification, unless an earlier execution of the run has.
func (l *runMemory) saveSpec(ctx context.Context, spec work.Spec) error {
	spec = work.Spec{Title: l.host.Secrets.Plain(spec.Title), Text: l.host.Secrets.Plain(spec.Text)}
	m, err := l.host.State.Memory(ctx, l.run.Root)
	if err != nil {
		return err
	}
	kept, err := m.Specs(ctx)
	if err != nil {
		return err
	}
	is := func(s memory.Spec) bool { return s.Source.Run == l.run.ID && s.Text == spec.Text }
	if slices.ContainsFunc(kept, is) {
		return nil
	}
	_, err = m.SaveSpec(ctx, memory.Spec{
		Prompt: l.run.Task, Text: spec.Text, Changelog: spec.Title,
		Source: memory.Source{Origin: memory.Model, Run: l.run.ID, Node: "spec"},
	})
	return err
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
	text, changelog := l.host.Secrets.Plain(v.Text), l.host.Secrets.Plain(v.Changelog)
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
		Version: v.Version, Prompt: v.Prompt, Text: text, Changelog: changelog,
		Source: memory.Source{Origin: memory.Model, Run: l.run.ID, Node: "spec"},
	})
	if errors.Is(err, memory.ErrExists) {
		return v, &flow.Failure{Message: err.Error()}
	}
	return versionOf(saved), err
}
