package sandbox

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// slot is a part of a folder for caches, which one command at a time uses, in whatever process: an overlay cannot be shared.
//
// Go's build cache has three layers: the user's, builds, and the slot's own. When a command has ended, what it added to its own moves to
// builds, which all later commands read (docs/adr/0136).
type slot struct {
	dir    string
	builds string   // the folder of what all commands have added to Go's build cache
	lock   *os.File // of the slot
	use    *os.File // of the folder for caches, shared by all that use one of its slots
}

// maxSlots limits how many commands with the same caches run at once.
const maxSlots = 64

// The names in a folder for caches, besides those of slots, which are numbers, and in a slot.
const (
	buildsFolder = "go-build" // of the folder, and of each slot
	lockFile     = "lock"     // the same
)

// takeSlot returns the first free slot.
func takeSlot(caches string) (*slot, error) {
	use, err := openLock(caches)
	if err != nil {
		return nil, err
	}
	trim(caches, use, maxCaches)
	if err := unix.Flock(int(use.Fd()), unix.LOCK_SH); err != nil { //nolint:gosec // a descriptor is small
		_ = use.Close()
		return nil, err
	}
	for i := range maxSlots {
		s := &slot{dir: filepath.Join(caches, strconv.Itoa(i)), builds: filepath.Join(caches, buildsFolder), use: use}
		if s.lock, err = openLock(s.dir); err != nil {
			break
		}
		if unix.Flock(int(s.lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil { //nolint:gosec // the same
			s.share() // a Forge that was killed has not
			return s, nil
		}
		_ = s.lock.Close()
		err = fmt.Errorf("%d commands use %s already", maxSlots, caches)
	}
	_ = use.Close()
	return nil, err
}

// openLock opens the file for locks of a folder, and creates both.
func openLock(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return os.OpenFile(filepath.Join(dir, lockFile), os.O_CREATE|os.O_RDWR, 0o600)
}

// The size at which caches are emptied, in bytes, and how often that is checked.
const (
	maxCaches = 4 << 30
	trimEvery = 24 * time.Hour
)

// trim removes caches that take more bytes than that, if no command uses them.
func trim(caches string, use *os.File, most int64) {
	stamp := filepath.Join(caches, "trimmed")
	if info, err := os.Stat(stamp); err == nil && time.Since(info.ModTime()) < trimEvery {
		return
	}
	if unix.Flock(int(use.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil { //nolint:gosec // a descriptor is small
		return // the next command tries again
	}
	if os.WriteFile(stamp, nil, 0o600) != nil || sizeOf(context.Background(), caches) <= most {
		return
	}
	entries, _ := os.ReadDir(caches)
	for _, e := range entries {
		if e.IsDir() {
			_ = os.RemoveAll(filepath.Join(caches, e.Name())) // what is left is checked tomorrow
		}
	}
}

// folder creates a folder of the slot, which stays for the next command.
func (s *slot) folder(name string) (string, error) {
	path := filepath.Join(s.dir, name)
	return path, os.MkdirAll(path, 0o700)
}

// share moves what a command has added to Go's build cache to where all commands read it. Links that code has made there lead nowhere: nothing
// outside of the caches is moved or replaced. What cannot be moved is lost, and built again.
func (s *slot) share() {
	caches, err := os.OpenRoot(filepath.Dir(s.dir))
	if err != nil {
		return
	}
	defer func() { _ = caches.Close() }()
	own := path.Join(filepath.Base(s.dir), buildsFolder)
	added := path.Join(own, upperFolder)
	_ = fs.WalkDir(caches.FS(), added, func(name string, e fs.DirEntry, err error) error {
		if err != nil || name == added {
			return err
		}
		to := path.Join(buildsFolder, name[len(added)+1:])
		switch {
		case e.Type().IsRegular():
			_ = caches.Rename(name, to)
		case e.IsDir() && path.Dir(name) != added: // of an executable
			_ = caches.Rename(name, to)
			return fs.SkipDir
		case e.IsDir() && caches.MkdirAll(to, 0o700) != nil:
			return fs.SkipDir
		}
		return nil
	})
	for _, name := range []string{upperFolder, workFolder} { // an overlay begins with empty ones
		_ = caches.RemoveAll(path.Join(own, name))
	}
}

// release lets others use the slot. It unlocks first: a process that is started at this moment has a copy of the descriptor until it
// executes its program, and the lock would last as long.
func (s *slot) release() {
	if s == nil {
		return
	}
	s.share()
	for _, file := range []*os.File{s.lock, s.use} {
		_ = unix.Flock(int(file.Fd()), unix.LOCK_UN) //nolint:gosec // a descriptor is small
		_ = file.Close()
	}
}
