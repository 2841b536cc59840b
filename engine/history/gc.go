package history

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
	"forge/engine/state"
	"forge/memory"
)

// GC keeps this of a folder, whatever else: the promise of the ledger and of the runs.
const (
	KeptRuns = shadow.DefaultKeepRuns
	KeptFor  = shadow.DefaultKeepFor
)

// DefaultQuota is how many bytes the snapshots, trees and the ledger of a folder may take on disk: above it, what is
// past one of the two bounds of the ledger goes too.
const DefaultQuota = 2 << 30

// GCOptions say what GC is to do.
type GCOptions struct {
	DryRun bool  // only report
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
func (h *History) GC(ctx context.Context, root string, o GCOptions) (r GCReport, err error) {
	before, err := h.state.Usage(ctx, root)
	if err != nil {
		return r, err
	}
	r.Before, r.After = before.Bytes(), before.Bytes()
	// Snapshots before runs: those of a run that is deleted now stay until the next time, which does no harm.
	if err := h.gcShadow(ctx, before, o, &r); err != nil {
		return r, err
	}
	if err := h.gcRuns(ctx, root, o, &r); err != nil {
		return r, err
	}
	if err := h.gcMemory(ctx, before, o, &r); err != nil {
		return r, err
	}
	if o.DryRun {
		return r, nil
	}
	after, err := h.state.Usage(ctx, root)
	r.After = after.Bytes()
	return r, err
}

func (h *History) gcShadow(ctx context.Context, p state.Usage, o GCOptions, r *GCReport) error {
	switch {
	case p.ShadowBytes == 0:
		return nil // there is none, and none is made
	case !p.Trusted:
		r.ShadowLeft = "the folder is not trusted, so no process was started in it"
		return nil
	}
	keep, err := h.neededSnapshots(ctx, p.Root)
	if err != nil {
		return err
	}
	repo, err := h.ledger.Repo(ctx, p.Root)
	if err != nil {
		return err
	}
	quota := o.Quota
	if quota <= 0 {
		quota = DefaultQuota
	}
	r.Shadow, err = repo.GC(ctx, shadow.GCOptions{Now: h.state.Now(), Quota: quota, Keep: keep, DryRun: o.DryRun})
	return err
}

// neededSnapshots are those that a run works on, or goes back to when it is resumed.
func (h *History) neededSnapshots(ctx context.Context, root string) ([]string, error) {
	runs, err := h.Runs(ctx, root)
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

func (h *History) gcRuns(ctx context.Context, root string, o GCOptions, r *GCReport) error {
	p, err := h.state.Project(root)
	if err != nil {
		return err
	}
	store, err := p.Known()
	if err != nil || store == nil {
		return err
	}
	prune := store.Prune
	if o.DryRun {
		prune = store.Prunable
	}
	if r.Runs, err = prune(ctx, flow.Retention{Keep: KeptRuns, Before: h.state.Now().Add(-KeptFor)}); err != nil {
		return h.state.Explain(err)
	}
	return h.gcEvents(ctx, p, store, o, r)
}

// gcEvents removes the events of runs that are not kept any more.
func (h *History) gcEvents(ctx context.Context, p *state.Project, store *flow.Store, o GCOptions, r *GCReport) error {
	names, err := filepath.Glob(p.EventsFile("*")) // before the runs are read: a run is kept before it has events
	if err != nil {
		return err
	}
	kept, err := store.Runs(ctx, flow.Filter{})
	if err != nil {
		return h.state.Explain(err)
	}
	if !o.DryRun {
		if err := p.Texts().Retain(idsOf(kept)); err != nil {
			return h.state.Explain(err)
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
			return h.state.Explain(fmt.Errorf("remove the events of run %s: %w", id, err))
		}
		if err := os.Remove(p.AnswerFile(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return h.state.Explain(fmt.Errorf("remove the answer of run %s: %w", id, err))
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

func (h *History) gcMemory(ctx context.Context, p state.Usage, o GCOptions, r *GCReport) error {
	if p.MemoryBytes == 0 {
		return nil
	}
	m, err := h.state.Memory(ctx, p.Root)
	if err != nil {
		return err
	}
	collect := m.GC
	if o.DryRun {
		collect = m.Collectable
	}
	r.Memory, err = collect(ctx, h.state.Now())
	return h.state.Explain(err)
}
