package shadow

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"time"

	"forge/internal/failpoint"
)

// The defaults of GCOptions.
const (
	DefaultKeepRuns = 1000
	DefaultKeepFor  = 90 * 24 * time.Hour
	DefaultGrace    = 24 * time.Hour
)

// GCOptions are what must be kept. The zero value, with Now, keeps what the defaults promise.
type GCOptions struct {
	Now time.Time
	// KeepRuns and KeepFor are the promise of the ledger: the entries of the newest runs that are not too old. Entries
	// that meet one of the two are kept while there is room. Zero: the defaults.
	KeepRuns int
	KeepFor  time.Duration
	// Quota limits the bytes on disk of this workspace's shadow, including the pool. Zero: no limit.
	Quota int64
	// Keep are the ids of snapshots of running runs, and of those that can be resumed.
	Keep []string
	// DryRun reports what would be dropped because of its age, and drops nothing. The effect of a quota is unknown
	// before: After equals Before.
	DryRun bool
	// Grace is how long an unnamed snapshot is kept, because its creator may name it later. Zero: the default.
	Grace time.Duration
}

// GCReport is the result of a collection.
type GCReport struct {
	Before, After int64 // bytes on disk
	Snapshots     int   // snapshots that were dropped
	Entries       int   // entries of the ledger that were dropped
	Trees         int   // trees that were removed from the pool
	// OverQuota is by how many bytes the kept data exceeds the quota; usually zero.
	OverQuota int64
}

// GC drops what no run, tree or undo needs, oldest first, and packs the rest. It holds the repository's lock: other
// processes wait with snapshots and entries, and their data stays. If the process is killed, or ctx ends, the
// repository stays valid, and the next collection continues.
func (r *Repo) GC(ctx context.Context, o GCOptions) (GCReport, error) {
	unlock, err := r.dir.Lock(ctx)
	if err != nil {
		return GCReport{}, fmt.Errorf("clean up the shadow of %s: %w", r.dir.Root, err)
	}
	defer unlock()
	c := collection{repo: r, options: o.orDefault()}
	if err := c.run(ctx); err != nil {
		return c.report, fmt.Errorf("clean up the shadow of %s: %w", r.dir.Root, err)
	}
	return c.report, nil
}

func (o GCOptions) orDefault() GCOptions {
	if o.KeepRuns <= 0 {
		o.KeepRuns = DefaultKeepRuns
	}
	if o.KeepFor <= 0 {
		o.KeepFor = DefaultKeepFor
	}
	if o.Grace <= 0 {
		o.Grace = DefaultGrace
	}
	return o
}

// collection is one run of GC.
type collection struct {
	repo    *Repo
	options GCOptions
	report  GCReport
}

func (c *collection) run(ctx context.Context) (err error) {
	if c.report.Before, err = diskUse(c.repo.dir.Home); err != nil {
		return err
	}
	drop, err := c.unneededSnapshots(ctx)
	if err != nil {
		return err
	}
	c.report.Snapshots = len(drop)
	entries, optional, err := c.unneededEntries(ctx)
	if err != nil {
		return err
	}
	c.report.Entries = len(entries)
	if c.options.DryRun {
		c.report.After = c.report.Before
		c.compare()
		return nil
	}
	if err := c.drop(ctx, append(drop, entries...)); err != nil {
		return err
	}
	if err := c.pack(ctx); err != nil {
		return err
	}
	if err := c.makeRoom(ctx, optional); err != nil {
		return err
	}
	c.compare()
	return nil
}

// compare records by how much the rest exceeds the quota.
func (c *collection) compare() {
	if over := c.report.After - c.options.Quota; c.options.Quota > 0 && over > 0 {
		c.report.OverQuota = over
	}
}

// makeRoom drops what is only kept while there is room: the pool first, then entries, oldest first.
func (c *collection) makeRoom(ctx context.Context, optional []string) (err error) {
	if c.report.After, err = diskUse(c.repo.dir.Home); err != nil || !c.isOver() {
		return err
	}
	idles, err := c.repo.Trees.idles()
	if err != nil {
		return err
	}
	if err := c.repo.Trees.shrink(0, 0); err != nil {
		return err
	}
	c.report.Trees = len(idles)
	for {
		if c.report.After, err = diskUse(c.repo.dir.Home); err != nil || !c.isOver() || len(optional) == 0 {
			return err
		}
		// Half of them at a time: the size of one entry is unknown, because entries share their texts.
		n := (len(optional) + 1) / 2
		if err := c.drop(ctx, optional[:n]); err != nil {
			return err
		}
		c.report.Entries += n
		optional = optional[n:]
		if err := c.pack(ctx); err != nil {
			return err
		}
	}
}

func (c *collection) isOver() bool { return c.options.Quota > 0 && c.report.After > c.options.Quota }

// unneededSnapshots lists the refs of unneeded snapshots.
func (c *collection) unneededSnapshots(ctx context.Context) ([]string, error) {
	needed, err := c.repo.Trees.needed()
	if err != nil {
		return nil, err
	}
	for _, id := range c.options.Keep {
		needed[id] = true
	}
	refs, err := c.repo.dir.Refs(ctx, snapshots)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(refs, func(ref string) bool {
		if needed[path.Base(ref)] {
			return true
		}
		at, ok := c.repo.dir.Kept(ref)
		return ok && c.options.Now.Sub(at) < c.options.Grace
	}), nil
}

// unneededEntries lists the entries beyond both bounds, and those beyond one of them, each oldest first.
func (c *collection) unneededEntries(ctx context.Context) (past, optional []string, err error) {
	entries, refs, err := c.repo.Ledger.entries(ctx, "")
	if err != nil {
		return nil, nil, err
	}
	runs := map[string]bool{}
	for i, e := range entries { // newest first
		runs[e.RunID] = true
		many, old := len(runs) > c.options.KeepRuns, c.options.Now.Sub(e.Time) > c.options.KeepFor
		switch {
		case many && old:
			past = append(past, refs[i])
		case many || old:
			optional = append(optional, refs[i])
		}
	}
	slices.Reverse(past)
	slices.Reverse(optional)
	return past, optional, nil
}

// drop deletes refs.
func (c *collection) drop(ctx context.Context, refs []string) error {
	if len(refs) == 0 {
		return nil
	}
	failpoint.Hit(failGCRefs)
	err := c.repo.dir.Drop(ctx, refs)
	failpoint.Hit(failGCRefsDropped)
	return err
}

// pack puts every referenced object into one pack, and removes the others.
func (c *collection) pack(ctx context.Context) error {
	failpoint.Hit(failGCPack)
	if err := c.repo.dir.Repack(ctx); err != nil {
		return err
	}
	failpoint.Hit(failGCPacked)
	err := c.repo.dir.Prune(ctx)
	failpoint.Hit(failGCPruned)
	return err
}

// diskUse sums the sizes of the files below a folder, in bytes. Files deleted meanwhile do not count.
func diskUse(folder string) (int64, error) {
	var sum int64
	err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			var info fs.FileInfo
			if info, err = entry.Info(); err == nil {
				sum += info.Size()
			}
		}
		if name != folder {
			return nil //nolint:nilerr // a tree that its owner changes, or that a test made unreadable
		}
		return err
	})
	return sum, err
}
