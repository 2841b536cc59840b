package engine

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"forge/engine/flow"
	"forge/engine/workspace"
	"forge/memory"
)

// ProjectInfo is what Forge keeps of one folder, and where.
type ProjectInfo struct {
	ID      string // of the folder by its real path; the names of what is kept of it
	Root    string // absolute path; empty when nothing says which folder it was
	Gone    bool   // the folder is not there any more
	Trusted bool
	State   string    // the folder of Forge's own that has its runs, memory and journal; it need not be there yet
	Runs    int       // that are kept
	Seen    time.Time // when something of it was last changed; zero: never
	// The bytes on disk.
	RunBytes    int64 // runs, their journals and events
	MemoryBytes int64
	ShadowBytes int64 // snapshots, scratch trees and the ledger
}

// Bytes is all of it.
func (p ProjectInfo) Bytes() int64 { return p.RunBytes + p.MemoryBytes + p.ShadowBytes }

// Project tells what Forge keeps of a folder. No process is started, and nothing is made.
func (e *Engine) Project(ctx context.Context, root string) (ProjectInfo, error) {
	if err := workspace.CheckRoot(root); err != nil {
		return ProjectInfo{}, err
	}
	dir, err := workspace.ProjectDir(e.options.StateDir, root)
	if err != nil {
		return ProjectInfo{}, err
	}
	return e.inspect(ctx, dir, root)
}

// Projects tells what Forge keeps of all folders, those first of which something was changed last.
func (e *Engine) Projects(ctx context.Context) ([]ProjectInfo, error) {
	ids := map[string]bool{}
	for _, kind := range []string{"projects", "shadow"} {
		dirs, err := filepath.Glob(filepath.Join(e.options.StateDir, kind, "*"))
		if err != nil {
			return nil, err
		}
		for _, dir := range dirs {
			ids[filepath.Base(dir)] = true
		}
	}
	known, err := e.knownProjects(ctx)
	if err != nil {
		return nil, err
	}
	var list []ProjectInfo
	for id := range ids {
		p, err := e.inspect(ctx, filepath.Join(e.options.StateDir, "projects", id), known[id])
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b ProjectInfo) int { return cmp.Or(b.Seen.Compare(a.Seen), cmp.Compare(a.ID, b.ID)) })
	return list, nil
}

// knownProjects are the folders that memory has seen, by their ids.
func (e *Engine) knownProjects(ctx context.Context) (roots map[string]string, err error) {
	roots = map[string]string{}
	if _, err := os.Stat(filepath.Join(e.options.StateDir, "global", "memory.db")); errors.Is(err, fs.ErrNotExist) {
		return roots, nil
	}
	global, err := memory.OpenGlobal(ctx, e.options.StateDir, memory.Options{Now: e.options.Now})
	if err != nil {
		return nil, e.inState(err)
	}
	defer func() { err = errors.Join(err, global.Close()) }()
	all, err := global.Projects(ctx)
	for _, p := range all {
		roots[p.ID] = p.Path
	}
	return roots, err
}

// inspect looks at what is kept below dir, of the folder root if that is known.
func (e *Engine) inspect(ctx context.Context, dir, root string) (ProjectInfo, error) {
	info := ProjectInfo{ID: filepath.Base(dir), Root: root, State: dir}
	if err := e.inspectRuns(ctx, &info); err != nil {
		return info, err
	}
	shadow, seen := diskUse(filepath.Join(e.options.StateDir, "shadow", info.ID))
	info.ShadowBytes, info.Seen = shadow, later(info.Seen, seen)
	memories, err := filepath.Glob(filepath.Join(dir, "memory.db*"))
	if err != nil {
		return info, err
	}
	for _, name := range memories {
		bytes, seen := diskUse(name)
		info.MemoryBytes += bytes
		info.Seen = later(info.Seen, seen)
	}
	all, seen := diskUse(dir)
	info.RunBytes, info.Seen = all-info.MemoryBytes, later(info.Seen, seen)
	if info.Root == "" {
		return info, nil
	}
	if info.Trusted, err = e.Trusted(info.Root); errors.Is(err, fs.ErrNotExist) {
		info.Gone, err = true, nil
	}
	return info, err
}

func (e *Engine) inspectRuns(ctx context.Context, info *ProjectInfo) error {
	p, err := e.projectIn(info.State)
	if err != nil {
		return err
	}
	store, err := p.known()
	if err != nil || store == nil {
		return err
	}
	runs, err := store.Runs(ctx, flow.Filter{})
	if err != nil {
		return e.inState(err)
	}
	info.Runs = len(runs)
	if info.Root == "" && len(runs) > 0 {
		info.Root = runs[0].Folder
	}
	return nil
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// diskUse adds up the bytes of the files at and below a name, and tells when one of them was changed last. What
// vanishes meanwhile, or cannot be read, does not count, nor what a database has only as long as it is open.
func diskUse(name string) (sum int64, changed time.Time) {
	_ = filepath.WalkDir(name, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || strings.HasSuffix(name, ".db-wal") || strings.HasSuffix(name, ".db-shm") {
			return nil //nolint:nilerr // see above
		}
		if info, err := entry.Info(); err == nil {
			sum += info.Size()
			changed = later(changed, info.ModTime())
		}
		return nil
	})
	return sum, changed
}
