package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// slot is a part of a folder for caches, which one command at a time uses, in whatever process: an overlay cannot be shared.
type slot struct {
	dir  string
	lock *os.File
}

// maxSlots limits how many commands with the same caches run at once.
const maxSlots = 64

// takeSlot returns the first free slot, which has the most in its caches. Its private folders are empty.
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
		if err := s.empty(); err != nil {
			s.release()
			return nil, err
		}
		return s, nil
	}
	return nil, fmt.Errorf("%d commands use %s already", maxSlots, caches)
}

// own is the folder of private files.
func (s *slot) own() string { return filepath.Join(s.dir, "own") }

// empty creates the private folders anew.
func (s *slot) empty() error {
	if err := os.RemoveAll(s.own()); err != nil {
		return err
	}
	for _, name := range []string{"home", "tmp"} {
		if err := os.MkdirAll(filepath.Join(s.own(), name), 0o700); err != nil {
			return err
		}
	}
	return nil
}

// release lets others use the slot.
func (s *slot) release() {
	_ = os.RemoveAll(s.own()) // else the next command does it
	_ = s.lock.Close()
}
