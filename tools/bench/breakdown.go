package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"forge/engine/flow"
)

// timed is a run that was measured, by the clock that its journal is written with.
type timed struct {
	id           string
	began, ended time.Time
}

// stretch is from one moment to another.
type stretch struct{ from, to time.Time }

// breakdown measures where the time of runs goes, a sample for each: before the first step, in the steps of each kind of activity
// (summed up, from when one was begun until it had a result, which is not on the disk yet), while no step was under way, and after
// the last one.
type breakdown struct {
	before, between, after sample
	kinds                  map[string]*sample
	count                  map[string]int // steps of a kind, of all runs
	steps                  int            // of the last run
}

// breakDown reads the journal of the runs.
func breakDown(ctx context.Context, state string, runs []timed) (b breakdown, err error) {
	found, err := filepath.Glob(filepath.Join(state, "projects", "*", "runs.db"))
	if err != nil || len(found) != 1 {
		return b, fmt.Errorf("find the journal: %d of them (%w)", len(found), err)
	}
	store, err := flow.OpenStore(ctx, found[0], flow.Options{})
	if err != nil {
		return b, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	b.kinds, b.count = map[string]*sample{}, map[string]int{}
	for _, run := range runs {
		steps, err := store.Steps(ctx, run.id)
		if err != nil {
			return b, err
		}
		b.add(run, steps)
	}
	return b, nil
}

// add adds one run.
func (b *breakdown) add(run timed, steps []flow.Step) {
	b.steps = len(steps)
	var busy []stretch
	sums := map[string]time.Duration{}
	for _, s := range steps {
		busy = append(busy, stretch{s.Started, s.Ended})
		kind := cmp.Or(s.Do, string(s.Kind))
		sums[kind] += s.Ended.Sub(s.Started)
		b.count[kind]++
	}
	for kind, sum := range sums {
		if b.kinds[kind] == nil {
			b.kinds[kind] = &sample{}
		}
		b.kinds[kind].add(sum)
	}
	first, last, gaps := idleTime(busy)
	b.before.add(first.Sub(run.began))
	b.between.add(gaps)
	b.after.add(run.ended.Sub(last))
}

// idleTime returns when the first of some spans begins, when the last one ends, and how long none was under way between
// the two.
func idleTime(busy []stretch) (first, last time.Time, gaps time.Duration) {
	slices.SortFunc(busy, func(a, b stretch) int { return a.from.Compare(b.from) })
	for i, s := range busy {
		if i == 0 {
			first, last = s.from, s.to
		}
		if s.from.After(last) {
			gaps += s.from.Sub(last)
		}
		if s.to.After(last) {
			last = s.to
		}
	}
	return first, last, gaps
}

// rows are the parts of a run, those in which most time goes first.
func (b breakdown) rows(runs int) []row {
	part := func(name string, s sample) row {
		return row{name: "  " + name + " p50", unit: "ms", forge: number(s.percentile(50)), gopls: missing}
	}
	parts := []row{part("before the first step", b.before), part("between steps, results journaled", b.between), part("after the last step", b.after)}
	for _, kind := range slices.Sorted(maps.Keys(b.kinds)) {
		parts = append(parts, part(fmt.Sprintf("%g × %s", float64(b.count[kind])/float64(runs), kind), *b.kinds[kind]))
	}
	slices.SortStableFunc(parts, func(a, b row) int { return cmp.Compare(b.forge.number, a.forge.number) })
	return parts
}
