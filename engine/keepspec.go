package engine

import (
	"context"
	"fmt"
	"slices"

	"forge/engine/pipeline"
	"forge/memory"
)

// keepSpec appends the specification that the run was worked from to those of its folder: once, in however many
// lives. It comes before the end of the run is kept, so that a run that has ended has it. Where that fails the
// person is told, and the run is what it is.
func (l *runMemory) keepSpec(ctx context.Context, spec pipeline.Spec) {
	if spec.Text == "" || l.fenced() {
		return
	}
	if err := l.saveSpec(ctx, spec); err != nil {
		l.host.State.Notify(fmt.Sprintf("the specification of run %s could not be kept: %v", l.run.ID, err))
	}
}

// saveSpec appends the specification, unless an earlier life of the run has.
func (l *runMemory) saveSpec(ctx context.Context, spec pipeline.Spec) error {
	spec = pipeline.Spec{Title: l.host.Secrets.Plain(spec.Title), Text: l.host.Secrets.Plain(spec.Text)}
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
