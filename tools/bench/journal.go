package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"forge/engine/flow"
)

// How many steps are journaled, after some that are not counted.
const (
	journalSteps = 500
	journalWarm  = 20
)

// measureJournal measures what it costs to journal a step of a run, begin and result, beside the least that can be
// asked of the disk for it: one append of a page to a file, with its fsync. They take turns.
func measureJournal(ctx context.Context, _ *bench) (_ []row, err error) {
	folder, err := os.MkdirTemp("", "forge-bench-journal-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	steps, appends, err := timeJournal(ctx, folder, journalSteps)
	if err != nil {
		return nil, fmt.Errorf("journal steps: %w", err)
	}
	at := func(percent float64, goals ...goal) row {
		return row{
			name: fmt.Sprintf("journaled step p%g; beside: fsync", percent), unit: "ms", goals: goals,
			forge: number(steps.percentile(percent)), gopls: number(appends.percentile(percent)),
		}
	}
	return []row{at(50, atMost(0.5)), at(95)}, nil
}

// timeJournal journals steps that do nothing, and appends pages, in a folder.
func timeJournal(ctx context.Context, folder string, n int) (steps, appends sample, err error) {
	store, err := flow.OpenStore(ctx, filepath.Join(folder, "runs.db"), flow.Options{})
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	lease, err := store.Begin(ctx, flow.NewRun{ID: "bench"})
	if err != nil {
		return nil, nil, err
	}
	anchor, err := os.Create(filepath.Join(folder, "anchor"))
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, anchor.Close()) }()
	page := make([]byte, 4096)
	nothing := func(context.Context, string, json.RawMessage) (json.RawMessage, error) { return page[:0], nil }
	run := flow.New(lease, map[string]flow.Worker{"nothing": {Activity: nothing}}, flow.DriverOptions{})
	for i := range journalWarm + n {
		began := time.Now()
		if _, err := run.Do(ctx, flow.Call{Node: "bench", Attempt: 1, Name: fmt.Sprint(i), Do: "nothing"}); err != nil {
			return nil, nil, err
		}
		between := time.Now()
		if _, err := anchor.Write(page); err != nil {
			return nil, nil, err
		}
		if err := anchor.Sync(); err != nil {
			return nil, nil, err
		}
		if i >= journalWarm {
			steps.add(between.Sub(began))
			appends.add(time.Since(between))
		}
	}
	return steps, appends, lease.End(ctx, flow.Done, "", nil)
}
