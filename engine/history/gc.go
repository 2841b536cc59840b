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
	"forge/engine/workspace"
	"forge/memory"
)

// Minimums that GC always keeps of a folder: the promise of the ledger and of the runs.
const (
	KeptRuns = shadow.DefaultKeepRuns
	KeptFor  = shadow.DefaultKeepFor
)

// DefaultQuota limits the bytes on disk of a folder's snapshots, trees and ledger: above it, entries beyond one of
// the ledger's two bounds are deleted too.
const DefaultQuota = 2 << 30

// GCReport is what GC has removed of a folder, or would remove.
type GCReport struct {
	Before, After int64    // bytes on disk of all data of the folder; a dry run does not set After
	Runs          []string // ids
	Events        int      // event files of deleted runs
	Conversations int      // reduced to a synopsis
	Memory        memory.Collected
	Shadow        shadow.GCReport
	// ShadowLeft is why the shadow was not cleaned, for users; empty if it was.
	ShadowLeft string
}

// GC removes data of a folder that is no longer needed: runs that ended more than 90 days ago and are not among the
// newest 1,000, expired memory, all but a synopsis of conversations without a turn for 14 days, and snapshots and ledger entries
// according to shadow.Repo.GC. In an untrusted folder it starts no process, and the shadow stays as it is.
func (h *History) GC(ctx context.Context, root string, dryRun bool) (r GCReport, err error) {
	before, err := h.state.Usage(ctx, root)
	if err != nil {
		return r, err
	}
	r.Before, r.After = before.Bytes(), before.Bytes()
	// Snapshots before runs: those of a run that is deleted now stay until the next time, which is harmless.
	if err := h.gcShadow(ctx, before, dryRun, &r); err != nil {
		return r, err
	}
	if err := h.gcRuns(ctx, root, dryRun, &r); err != nil {
		return r, err
	}
	if err := h.gcMemory(ctx, before, dryRun, &r); err != nil {
		return r, err
	}
	if err := h.gcConversations(ctx, root, dryRun, &r); err != nil {
		return r, err
	}
	if dryRun {
		return r, nil
	}
	after, err := h.state.Usage(ctx, root)
	r.After = after.Bytes()
	return r, err
}

// GCShadow is the part of GC for the snapshots, scratch trees and ledger of a folder, at most once a day, if they take more than DefaultQuota. Other
// processes wait with snapshots and entries meanwhile. If ctx ends, the next call continues. It reports to the user what it has done.
func (h *History) GCShadow(ctx context.Context, root string) {
	p, err := h.state.Project(root)
	if err == nil {
		err = p.Daily("shadow", func() error {
			used, err := h.state.Usage(ctx, root)
			if err != nil || used.ShadowBytes <= DefaultQuota {
				return err
			}
			var r GCReport
			err = h.gcShadow(ctx, used, false, &r)
			if freed := r.Shadow.Before - r.Shadow.After; err == nil && freed > 0 {
				h.state.Notify(fmt.Sprintf("snapshots and scratch copies of %s that nothing needs were removed: %d MB freed", root, freed/1_000_000))
			}
			return err
		})
	}
	if err != nil && ctx.Err() == nil {
		h.state.Notify(fmt.Sprintf("snapshots of %s that nothing needs could not be removed: %v; forge gc tries again", root, err))
	}
}

func (h *History) gcShadow(ctx context.Context, p state.Usage, dryRun bool, r *GCReport) error {
	switch {
	case p.ShadowBytes == 0:
		return nil // there is none, and none is created
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
	r.Shadow, err = repo.GC(ctx, shadow.GCOptions{Now: h.state.Now(), Quota: DefaultQuota, Keep: keep, DryRun: dryRun})
	return err
}

// neededSnapshots returns those of runs that continue, or can be resumed.
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

func (h *History) gcRuns(ctx context.Context, root string, dryRun bool, r *GCReport) error {
	p, err := h.state.Project(root)
	if err != nil {
		return err
	}
	store, err := p.Known()
	if err != nil || store == nil {
		return err
	}
	prune := store.Prune
	if dryRun {
		prune = store.Prunable
	}
	if r.Runs, err = prune(ctx, flow.Retention{Keep: KeptRuns, Before: h.state.Now().Add(-KeptFor)}); err != nil {
		return h.state.Explain(err)
	}
	return h.gcEvents(ctx, p, store, dryRun, r)
}

// gcEvents removes the events of deleted runs.
func (h *History) gcEvents(ctx context.Context, p *state.Project, store *flow.Store, dryRun bool, r *GCReport) error {
	names, err := workspace.Matching(filepath.Dir(p.EventsFile("*")), "*.jsonl") // before the runs are read, because a run exists before its events
	if err != nil {
		return err
	}
	kept, err := store.Runs(ctx, flow.Filter{})
	if err != nil {
		return h.state.Explain(err)
	}
	if !dryRun {
		if err := p.Texts().Retain(idsOf(kept)); err != nil {
			return h.state.Explain(err)
		}
	}
	for _, name := range names {
		id := strings.TrimSuffix(filepath.Base(name), ".jsonl")
		is := func(run flow.Run) bool { return run.ID == id }
		if slices.ContainsFunc(kept, is) && !(dryRun && slices.Contains(r.Runs, id)) {
			continue
		}
		r.Events++
		if dryRun {
			continue
		}
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return h.state.Explain(fmt.Errorf("remove the events of run %s: %w", id, err))
		}
		for _, beside := range append(p.PlanFiles(id), p.AnswerFile(id), p.DecisionsFile(id)) {
			if err := os.Remove(beside); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return h.state.Explain(fmt.Errorf("remove what is kept of run %s: %w", id, err))
			}
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

func (h *History) gcMemory(ctx context.Context, p state.Usage, dryRun bool, r *GCReport) error {
	if p.MemoryBytes == 0 {
		return nil
	}
	m, err := h.state.Memory(ctx, p.Root)
	if err != nil {
		return err
	}
	collect := m.GC
	if dryRun {
		collect = m.Collectable
	}
	r.Memory, err = collect(ctx, h.state.Now())
	return h.state.Explain(err)
}
