package shadow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Scratch is a scratch tree on disk.
type Scratch struct {
	Dir   string    // the root of its files
	InUse bool      // a living process works in it; the others wait for their next use
	PID   int       // of that process; 0 if it is unknown
	Run   string    // that it was made for, while it is in use; empty if it is unknown
	Since time.Time // when its use began, or when it was put into the pool
	Bytes int64     // on disk, build output included
}

// runFile is the name of the file with the run of a tree in use.
const runFile = "run"

// Label records the run that uses the tree, for List.
func (t *Tree) Label(run string) error {
	return os.WriteFile(filepath.Join(t.lease.home, runFile), []byte(run+"\n"), 0o600)
}

// List returns the scratch trees of the workspace: those in use, of any process, and those in the pool; the oldest first. It changes
// nothing.
func (ts *Trees) List() ([]Scratch, error) {
	var all []Scratch
	for _, place := range []string{ts.inUse(), ts.pool()} {
		entries, err := os.ReadDir(place)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("list scratch trees: %w", err)
		}
		for _, entry := range entries {
			s, err := readScratch(filepath.Join(place, entry.Name()), place == ts.inUse())
			if errors.Is(err, fs.ErrNotExist) {
				continue // closed meanwhile
			}
			if err != nil {
				return nil, fmt.Errorf("list scratch trees: %w", err)
			}
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b Scratch) int { return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Dir, b.Dir)) })
	return all, nil
}

func readScratch(home string, inUse bool) (s Scratch, err error) {
	s.Dir, s.InUse = filepath.Join(home, workFolder), inUse
	began := filepath.Join(home, ownerFile)
	if inUse {
		s.PID, _ = strconv.Atoi(firstLine(began)) // also of a process that died: the next command sweeps its tree
		s.Run = firstLine(filepath.Join(home, runFile))
		if s.Run != "" {
			began = filepath.Join(home, runFile)
		}
	} else {
		began = filepath.Join(home, "idle")
	}
	info, err := os.Lstat(began)
	if err != nil {
		return s, err
	}
	s.Since = info.ModTime()
	s.Bytes, err = diskUse(home)
	return s, err
}

// firstLine returns the first line of a file of our own; empty if there is none.
func firstLine(name string) string {
	text, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return line
}

// Prune removes the trees that no process uses, and returns their number and their bytes on disk.
func (ts *Trees) Prune(ctx context.Context) (removed int, bytes int64, err error) {
	before, err := ts.List()
	if err != nil {
		return 0, 0, err
	}
	if _, err := ts.Sweep(ctx); err != nil {
		return 0, 0, err
	}
	if err := ts.shrink(0, 0); err != nil {
		return 0, 0, fmt.Errorf("remove scratch trees: %w", err)
	}
	for _, s := range before {
		if _, err := os.Lstat(s.Dir); errors.Is(err, fs.ErrNotExist) {
			removed, bytes = removed+1, bytes+s.Bytes
		}
	}
	return removed, bytes, nil
}
