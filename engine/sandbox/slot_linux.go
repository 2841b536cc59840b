package sandbox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// slot is a part of a folder for caches, which one command at a time uses, in whatever process: an overlay cannot be shared.
type slot struct {
	dir  string
	lock *os.File
}

// maxSlots limits how many commands with the same caches run at once.
const maxSlots = 64

// takeSlot returns the first free slot, which has the most in its caches.
func takeSlot(caches string) (*slot, error) {
	for i := range maxSlots {
		s := &slot{dir: filepath.Join(caches, strconv.Itoa(i))}
		if err := os.MkdirAll(s.dir, 0o700); err != nil {
			return nil, err
		}
		var err error
		if s.lock, err = os.OpenFile(filepath.Join(s.dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600); err != nil {
			return nil, err
		}
		if unix.Flock(int(s.lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil { //nolint:gosec // a descriptor is small
			_ = s.lock.Close()
			continue
		}
		s.trim()
		return s, nil
	}
	return nil, fmt.Errorf("%d commands use %s already", maxSlots, caches)
}

// The size at which the caches of a slot begin anew, in bytes, and how often that is checked.
const (
	maxCaches = 4 << 30
	trimEvery = 24 * time.Hour
)

// trim removes the caches of the slot if they have become too large. Nobody else uses them now.
func (s *slot) trim() {
	stamp := filepath.Join(s.dir, "trimmed")
	if info, err := os.Stat(stamp); err == nil && time.Since(info.ModTime()) < trimEvery {
		return
	}
	if os.WriteFile(stamp, nil, 0o600) != nil || sizeOf(context.Background(), s.dir) < maxCaches {
		return
	}
	for _, name := range []string{"cache", "go-build"} {
		_ = os.RemoveAll(filepath.Join(s.dir, name)) // what is left is checked tomorrow
	}
}

// folder creates a folder of the slot, which stays for the next command.
func (s *slot) folder(name string) (string, error) {
	path := filepath.Join(s.dir, name)
	return path, os.MkdirAll(path, 0o700)
}

// release lets others use the slot. It unlocks first: a process that is started at this moment has a copy of the descriptor until it
// executes its program, and the lock would last as long.
func (s *slot) release() {
	if s != nil {
		_ = unix.Flock(int(s.lock.Fd()), unix.LOCK_UN) //nolint:gosec // a descriptor is small
		_ = s.lock.Close()
	}
}
