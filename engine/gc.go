package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/shadow"
	"forge/memory"
)

// What GC keeps of a folder, whatever else: the promise of the ledger and of the runs.
const (
	KeptRuns = shadow.DefaultKeepRuns
	KeptFor  = shadow.DefaultKeepFor
)

// DefaultQuota is how many bytes the snapshots, trees and the ledger of a folder may take on disk: above it, what is
// past one of the two bounds of the ledger goes too.
const DefaultQuota = 2 << 30

// GCOptions say what GC is to do.
type GCOptions struct {
	DryRun bool  // only tell
	Quota  int64 // bytes; zero: DefaultQuota
}

// GCReport is what GC has removed of a folder, or would remove.
type GCReport struct {
	Before, After int64    // bytes on disk of all that is kept of the folder; a dry run does not know After
	Runs          []string // ids
	Events        int      // files of events that no run was left of
	Memory        memory.Collected
	Shadow        shadow.GCReport
	// ShadowLeft says, for people, why the shadow was left as it is; empty if it was not.
	ShadowLeft string
}

// GC removes what nothing needs any more of what is kept of a folder: runs that ended more than 90 days ago and are
// not among the newest 1,000, what has lived its time in memory, and snapshots and entries of the ledger as
// shadow.Repo.GC has it. In a folder that is not trusted no process is started, and its shadow stays as it is.
func (e *Engine) GC(ctx context.Context, root string, o GCOptions) (r GCReport, err error) {
	before, err := e.Project(ctx, root)
	if err != nil {
		return r, err
	}
	r.Before, r.After = before.Bytes(), before.Bytes()
	// Snapshots before runs: those of a run that is deleted now stay until the next time, which harms nobody.
	if err := e.gcShadow(ctx, before, o, &r); err != nil {
		return r, err
	}
	if err := e.gcRuns(ctx, root, o, &r); err != nil {
		return r, err
	}
	if err := e.gcMemory(ctx, before, o, &r); err != nil {
		return r, err
	}
	if o.DryRun {
		return r, nil
	}
	after, err := e.Project(ctx, root)
	r.After = after.Bytes()
	return r, err
}

func (e *Engine) gcShadow(ctx context.Context, p ProjectInfo, o GCOptions, r *GCReport) error {
	switch {
	case p.ShadowBytes == 0:
		return nil // there is none, and none is made
	case !p.Trusted:
		r.ShadowLeft = "the folder is not trusted, so no process was started in it"
		return nil
	}
	keep, err := e.neededSnapshots(ctx, p.Root)
	if err != nil {
		return err
	}
	repo, err := e.repo(ctx, p.Root)
	if err != nil {
		return err
	}
	quota := o.Quota
	if quota <= 0 {
		quota = DefaultQuota
	}
	r.Shadow, err = repo.GC(ctx, shadow.GCOptions{Now: e.options.Now(), Quota: quota, Keep: keep, DryRun: o.DryRun})
	return err
}

// neededSnapshots are those that a run works on, or goes back to when it is resumed.
func (e *Engine) neededSnapshots(ctx context.Context, root string) ([]string, error) {
	runs, err := e.Runs(ctx, root)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, run := range runs {
		if run.State != event.Succeeded && run.Base != "" {
			ids = append(ids, run.Base)
		}
	}
	return ids, nil
}

func (e *Engine) gcRuns(ctx context.Context, root string, o GCOptions, r *GCReport) error {
	p, err := e.project(root)
	if err != nil {
		return err
	}
	store, err := p.known()
	if err != nil || store == nil {
		return err
	}
	prune := store.Prune
	if o.DryRun {
		prune = store.Prunable
	}
	if r.Runs, err = prune(ctx, flow.Retention{Keep: KeptRuns, Before: e.options.Now().Add(-KeptFor)}); err != nil {
		return e.inState(err)
	}
	return e.gcEvents(ctx, p, store, o, r)
}

// gcEvents removes the events of runs that are not kept any more.
func (e *Engine) gcEvents(ctx context.Context, p *project, store *flow.Store, o GCOptions, r *GCReport) error {
	names, err := filepath.Glob(p.events("*")) // before the runs are read: a run is kept before it has events
	if err != nil {
		return err
	}
	kept, err := store.Runs(ctx, flow.Filter{})
	if err != nil {
		return e.inState(err)
	}
	if !o.DryRun {
		if err := p.texts.Retain(idsOf(kept)); err != nil {
			return e.inState(err)
		}
	}
	for _, name := range names {
		id := strings.TrimSuffix(filepath.Base(name), ".jsonl")
		is := func(run flow.Run) bool { return run.ID == id }
		if slices.ContainsFunc(kept, is) && !(o.DryRun && slices.Contains(r.Runs, id)) {
			continue
		}
		r.Events++
		if o.DryRun {
			continue
		}
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return e.inState(fmt.Errorf("remove the events of run %s: %w", id, err))
		}
		if err := os.Remove(p.answer(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return e.inState(fmt.Errorf("remove the answer of run %s: %w", id, err))
		}
	}
	return nil
}

func idsOf(runs []flow.Run) (ids []string) {
	for _, run := range runs {
		ids = append(ids, run.ID)
	}
	return ids
}

func (e *Engine) gcMemory(ctx context.Context, p ProjectInfo, o GCOptions, r *GCReport) error {
	if p.MemoryBytes == 0 {
		return nil
	}
	m, err := e.Memory(ctx, p.Root)
	if err != nil {
		return err
	}
	collect := m.GC
	if o.DryRun {
		collect = m.Collectable
	}
	r.Memory, err = collect(ctx, e.options.Now())
	return e.inState(err)
}
