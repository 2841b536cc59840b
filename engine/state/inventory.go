package state

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// Usage is what Forge keeps of one folder, where, and how much space it takes.
type Usage struct {
	ID      string // of the folder by its real path; the names of what is kept of it
	Root    string // absolute path; empty if the folder is unknown
	Gone    bool   // the folder no longer exists
	Trusted bool
	State   string    // the folder of Forge's own that has its runs, memory and journal; it need not be there yet
	Runs    int       // that are kept
	Seen    time.Time // when something of it was last changed; zero: never
	// The bytes on disk.
	RunBytes    int64 // runs, their journals and events
	MemoryBytes int64
	ShadowBytes int64 // snapshots, scratch trees and the ledger
}

// Bytes is the sum of all bytes on disk.
func (u Usage) Bytes() int64 { return u.RunBytes + u.MemoryBytes + u.ShadowBytes }

// Usage returns what Forge keeps of a folder. No process is started, and nothing is made.
func (s *State) Usage(ctx context.Context, root string) (Usage, error) {
	if err := workspace.CheckRoot(root); err != nil {
		return Usage{}, err
	}
	dir, err := workspace.ProjectDir(s.options.Dir, root)
	if err != nil {
		return Usage{}, err
	}
	return s.inspect(ctx, dir, root)
}

// Usages returns what Forge keeps of all folders, the last changed first.
func (s *State) Usages(ctx context.Context) ([]Usage, error) {
	ids := map[string]bool{}
	for _, kind := range []string{"projects", "shadow"} {
		dirs, err := workspace.Matching(s.options.Dir, kind+"/*")
		if err != nil {
			return nil, err
		}
		for _, dir := range dirs {
			ids[filepath.Base(dir)] = true
		}
	}
	known, err := s.knownRoots(ctx)
	if err != nil {
		return nil, err
	}
	var list []Usage
	for id := range ids {
		p, err := s.inspect(ctx, filepath.Join(s.options.Dir, "projects", id), known[id])
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b Usage) int { return cmp.Or(b.Seen.Compare(a.Seen), cmp.Compare(a.ID, b.ID)) })
	return list, nil
}

// knownRoots returns the folders that memory has seen, by their ids.
func (s *State) knownRoots(ctx context.Context) (roots map[string]string, err error) {
	roots = map[string]string{}
	if _, err := os.Stat(filepath.Join(s.options.Dir, "global", "memory.db")); errors.Is(err, fs.ErrNotExist) {
		return roots, nil
	}
	global, err := memory.OpenGlobal(ctx, s.options.Dir, memory.Options{Now: s.options.Now})
	if err != nil {
		return nil, s.Explain(err)
	}
	defer func() { err = errors.Join(err, global.Close()) }()
	all, err := global.Projects(ctx)
	for _, p := range all {
		roots[p.ID] = p.Path
	}
	return roots, err
}

// inspect looks at what is kept below dir, of the folder root if that is known.
func (s *State) inspect(ctx context.Context, dir, root string) (Usage, error) {
	info := Usage{ID: filepath.Base(dir), Root: root, State: dir}
	if err := s.inspectRuns(ctx, &info); err != nil {
		return info, err
	}
	shadow, seen := diskUse(filepath.Join(s.options.Dir, "shadow", info.ID))
	info.ShadowBytes, info.Seen = shadow, later(info.Seen, seen)
	memories, err := workspace.Matching(dir, "memory.db*")
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
	if info.Trusted, err = s.Trusted(info.Root); errors.Is(err, fs.ErrNotExist) {
		info.Gone, err = true, nil
	}
	return info, err
}

func (s *State) inspectRuns(ctx context.Context, info *Usage) error {
	store, err := (&Project{s, info.State}).Known()
	if err != nil || store == nil {
		return err
	}
	runs, err := store.Runs(ctx, flow.Filter{})
	if err != nil {
		return s.Explain(err)
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

// diskUse adds up the bytes of the files at and below a name, and returns when one of them was changed last. What
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

// Session is what a process notes of itself while it works in a folder: a file that it removes at its end. Users see it; nothing is
// decided by it. Its names are a file format.
type Session struct {
	Owner  flow.Owner `json:"owner"`
	Since  time.Time  `json:"since"`
	Folder string     `json:"folder"`
}

// How long a session that cannot be judged stays: a file that cannot be read may be about to be written, and whether a process of another
// machine lives is not known here.
const (
	unreadableFor = time.Hour
	foreignFor    = 30 * 24 * time.Hour
)

// Enter notes that this process works in a folder until Close. If that fails, other processes do not see it; nothing else changes.
func (s *State) Enter(root string) {
	dir, err := workspace.ProjectDir(s.options.Dir, root)
	if err != nil {
		return
	}
	session := Session{Owner: flow.ThisProcess(), Since: s.Now(), Folder: root}
	name := s.Path("sessions", fmt.Sprintf("%d-%s.json", session.Owner.PID, filepath.Base(dir)))
	_, _ = s.sessions.Get(name, func() (struct{}, error) {
		if text, err := json.Marshal(session); err == nil && os.MkdirAll(filepath.Dir(name), 0o700) == nil {
			_ = os.WriteFile(name, text, 0o600) // see above
		}
		_, _ = s.Sessions() // removes those of dead processes
		return struct{}{}, nil
	})
}

// leave removes the sessions of this process.
func (s *State) leave() {
	s.sessions.Close(func(name string, _ struct{}) { _ = os.Remove(name) }) // or the next process that looks
}

// Sessions returns the sessions of living processes, and removes the others.
func (s *State) Sessions() ([]Session, error) {
	names, err := workspace.Matching(s.options.Dir, "sessions/*.json")
	if err != nil {
		return nil, err
	}
	var all []Session
	for _, name := range names {
		session, stale, err := s.readSession(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, err
		case stale:
			_ = os.Remove(name) // or the next time
		case session.Owner.Alive():
			all = append(all, session)
		}
	}
	return all, nil
}

func (s *State) readSession(name string) (session Session, stale bool, err error) {
	info, err := os.Stat(name)
	if err != nil {
		return session, false, err
	}
	text, err := os.ReadFile(name) //nolint:gosec // a file of our own
	if err != nil {
		return session, false, err
	}
	age := s.Now().Sub(info.ModTime())
	if json.Unmarshal(text, &session) != nil {
		return Session{}, age > unreadableFor, nil //nolint:nilerr // its writer has not finished, or never will
	}
	here := session.Owner.Host == flow.ThisProcess().Host
	return session, here && !session.Owner.Alive() || !here && age > foreignFor, nil
}
