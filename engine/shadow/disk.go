package shadow

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"forge/engine/gitdir"
	"forge/engine/workspace"
)

// diskCache keeps in memory what the workspace's files were at the last snapshot, by stamps, so that the next one reads
// only those that changed. A file beside the git directory has the same, for the next process. The commit has a ref,
// which GC keeps.
type diskCache struct {
	mu    sync.Mutex   // guards all below
	known manifest     // never changed in place
	file  gitdir.Stamp // of the file that it was read from or written to; another one is another process's
}

func (c *diskCache) find(file gitdir.Stamp) (manifest, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known, file != (gitdir.Stamp{}) && c.file == file
}

func (c *diskCache) keep(known manifest, file gitdir.Stamp) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known, c.file = known, file
}

func (ss *Snapshots) diskFile() string { return filepath.Join(ss.dir.Home, "disk") }

// load returns what is known of the disk. What cannot be read is not known, and then every file is read. The caller has
// the repository's lock.
func (c *diskCache) load(file string) manifest {
	info, err := os.Lstat(file)
	if err != nil {
		return manifest{}
	}
	if known, ok := c.find(gitdir.StampOf(info)); ok {
		return known
	}
	known, err := readManifest(file)
	if err != nil {
		return manifest{}
	}
	c.keep(known, gitdir.StampOf(info))
	return known
}

// store keeps what is known of the disk. The caller has the repository's lock.
func (c *diskCache) store(file string, known manifest) error {
	if err := known.write(file); err != nil {
		return err
	}
	info, err := os.Lstat(file)
	if err != nil {
		return err
	}
	c.keep(known, gitdir.StampOf(info))
	return nil
}

// changed returns which of the known files are not as they were. It looks at each, on all processors.
func changed(dir *gitdir.Dir, known map[string]held) map[string]bool {
	names := slices.Collect(maps.Keys(known))
	parts := make([][]string, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for w := range parts {
		all.Go(func() {
			for _, name := range names[w*len(names)/len(parts) : (w+1)*len(names)/len(parts)] {
				h := known[name]
				if info, err := os.Lstat(dir.At(name)); err != nil || h.stamp == (gitdir.Stamp{}) || h.stamp != gitdir.StampOf(info) {
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

// reading is a file on its way into a snapshot.
type reading struct {
	leaf    gitdir.Leaf
	stamp   gitdir.Stamp // none: what was read may not be what is there
	content []byte
}

// readFile reads a file as a snapshot keeps it. Not ok means that it is left out; a reason says why it should not be.
func readFile(dir *gitdir.Dir, name string) (_ reading, reason string, ok bool) {
	reason, ok = judge(dir.At(name), name)
	if !ok {
		return reading{}, reason, false
	}
	before := time.Now()
	info, err := os.Lstat(dir.At(name))
	if err != nil {
		return reading{}, "", false
	}
	found := reading{leaf: gitdir.Leaf{Mode: modeOf(info)}, stamp: gitdir.StampOf(info)}
	if found.leaf.Mode == gitdir.LinkMode {
		var target string
		target, err = os.Readlink(dir.At(name))
		found.content = []byte(target)
	} else {
		found.content, err = workspace.ReadPlainFile(dir.At(name), MaxFileSize+1)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return reading{}, "", false
	case err != nil:
		return reading{}, "it cannot be read: check its permissions", false
	case int64(len(found.content)) > MaxFileSize:
		return reading{}, tooLarge, false
	}
	if info, err = os.Lstat(dir.At(name)); err != nil || gitdir.StampOf(info) != found.stamp || !found.stamp.IsOver(before) {
		found.stamp = gitdir.Stamp{}
	}
	return found, "", true
}

// modeOf is the mode that git keeps of a file.
func modeOf(info fs.FileInfo) string {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return gitdir.LinkMode
	case info.Mode()&0o100 != 0:
		return gitdir.ProgramMode
	}
	return gitdir.PlainMode
}

var tooLarge = fmt.Sprintf("it is larger than %d MiB", MaxFileSize>>20)

// judge says whether a file goes into a snapshot. No reason means that there is no such file any more.
func judge(full, name string) (reason string, ok bool) {
	info, err := os.Lstat(full)
	switch {
	case err != nil:
		return "", false
	case gitdir.CheckKept(name) != nil:
		return "git cannot keep a file of this name", false
	case info.Mode()&fs.ModeSymlink != 0:
		return "", true
	case !info.Mode().IsRegular():
		return "", false
	case info.Size() > MaxFileSize:
		return tooLarge, false
	}
	return "", true
}
