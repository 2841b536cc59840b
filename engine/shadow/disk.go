package shadow

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"
)

// diskCache keeps in memory what the workspace's files were at the last snapshot, by stamps, so that the next one reads
// only those that changed. A file beside the git directory has the same, for the next process. The commit has a ref,
// which GC keeps.
type diskCache struct {
	mu    sync.Mutex // guards all below
	known manifest   // never changed in place
	file  stamp      // of the file that it was read from or written to; another one is another process's
}

func (c *diskCache) find(file stamp) (manifest, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known, file != (stamp{}) && c.file == file
}

func (c *diskCache) keep(known manifest, file stamp) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known, c.file = known, file
}

// tick is how much older than now a file's last change has to be to count as over: clocks of file systems tick that
// slowly. coarseTick is that of those that know seconds only. The workspace is not ours to write a file into, by which
// its own clock could be asked (see settle).
const (
	tick       = 20 * time.Millisecond
	coarseTick = 2500 * time.Millisecond
)

// isOver reports whether a stamp that was taken at a time can be believed later.
func (s stamp) isOver(taken time.Time) bool {
	wait := tick
	if s.Changed%int64(time.Second) == 0 {
		wait = coarseTick
	}
	return s.Changed < taken.Add(-wait).UnixNano()
}

func (r *Repo) diskFile() string { return filepath.Join(r.home, "disk") }

// load gives what is known of the disk. What cannot be read is not known, and then every file is read. The caller has
// the repository's lock.
func (r *Repo) load() manifest {
	info, err := os.Lstat(r.diskFile())
	if err != nil {
		return manifest{}
	}
	if known, ok := r.disk.find(stampOf(info)); ok {
		return known
	}
	known, err := readManifest(r.diskFile())
	if err != nil {
		return manifest{}
	}
	r.disk.keep(known, stampOf(info))
	return known
}

// store keeps what is known of the disk. The caller has the repository's lock.
func (r *Repo) store(known manifest) error {
	if err := known.write(r.diskFile()); err != nil {
		return err
	}
	info, err := os.Lstat(r.diskFile())
	if err != nil {
		return err
	}
	r.disk.keep(known, stampOf(info))
	return nil
}

// changed tells which of the known files are not as they were. It looks at each, on all processors.
func (r *Repo) changed(known map[string]held) map[string]bool {
	names := slices.Collect(maps.Keys(known))
	parts := make([][]string, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for w := range parts {
		all.Go(func() {
			for _, name := range names[w*len(names)/len(parts) : (w+1)*len(names)/len(parts)] {
				h := known[name]
				if info, err := os.Lstat(r.at(name)); err != nil || h.stamp == (stamp{}) || h.stamp != stampOf(info) {
					parts[w] = append(parts[w], name)
				}
			}
		})
	}
	all.Wait()
	changed := map[string]bool{}
	for _, part := range parts {
		for _, name := range part {
			changed[name] = true
		}
	}
	return changed
}

// at is the file of a path of the workspace.
func (r *Repo) at(name string) string {
	return r.root + string(filepath.Separator) + filepath.FromSlash(name)
}

// reading is a file on its way into a snapshot.
type reading struct {
	leaf    leaf
	stamp   stamp // none: what was read may not be what is there
	content []byte
}

// read reads a file as a snapshot keeps it. Not ok means that it is left out; a reason says why it should not be.
func (r *Repo) read(name string) (_ reading, reason string, ok bool) {
	reason, ok = r.judge(name)
	if !ok {
		return reading{}, reason, false
	}
	before := time.Now()
	info, err := os.Lstat(r.at(name))
	if err != nil {
		return reading{}, "", false
	}
	found := reading{leaf: leaf{mode: modeOf(info)}, stamp: stampOf(info)}
	if found.leaf.mode == linkMode {
		var target string
		target, err = os.Readlink(r.at(name))
		found.content = []byte(target)
	} else {
		found.content, err = readPlain(r.at(name))
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return reading{}, "", false
	case err != nil:
		return reading{}, "it cannot be read: check its permissions", false
	case int64(len(found.content)) > MaxFileSize:
		return reading{}, tooLarge, false
	}
	if info, err = os.Lstat(r.at(name)); err != nil || stampOf(info) != found.stamp || !found.stamp.isOver(before) {
		found.stamp = stamp{}
	}
	return found, "", true
}

// modeOf is the mode that git keeps of a file.
func modeOf(info fs.FileInfo) string {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return linkMode
	case info.Mode()&0o100 != 0:
		return programMode
	}
	return plainMode
}
