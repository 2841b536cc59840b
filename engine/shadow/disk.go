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

// diskCache caches the workspace's files at the last snapshot, by stamps, so that the next one only reads changed
// files: by the stamp of a file next to the git directory, which has the same data for the next process. Another stamp means
// another process. The commit has a ref, which GC keeps.
type diskCache struct {
	gitdir.Last[gitdir.Stamp, manifest]
}

func (ss *Snapshots) diskFile() string { return filepath.Join(ss.dir.Home, "disk") }

// load returns the known state of the disk. If it is unreadable, every file is read. The caller has the repository's lock.
func (c *diskCache) load(file string) manifest {
	info, err := os.Lstat(file)
	if err != nil {
		return manifest{}
	}
	if known, ok := c.Find(gitdir.StampOf(info)); ok {
		return known
	}
	known, err := readManifest(file)
	if err != nil {
		return manifest{}
	}
	c.remember(gitdir.StampOf(info), known)
	return known
}

// remember keeps a state for its file, if the system stamps files.
func (c *diskCache) remember(file gitdir.Stamp, known manifest) {
	if file != (gitdir.Stamp{}) {
		c.Keep(file, known)
	}
}

// store writes the known state of the disk. The caller has the repository's lock.
func (c *diskCache) store(file string, known manifest) error {
	if err := known.write(file); err != nil {
		return err
	}
	info, err := os.Lstat(file)
	if err != nil {
		return err
	}
	c.remember(gitdir.StampOf(info), known)
	return nil
}

// changed returns which of the known files have changed. It checks them on all processors.
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
	stamp   gitdir.Stamp // none: the file may have changed since it was read
	content []byte
}

// readFile reads a file for a snapshot. Not ok means that it is omitted, with a reason if that is unexpected.
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

// modeOf returns the mode that git stores for a file.
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

// judge decides whether a file goes into a snapshot. No reason means that it no longer exists.
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
