package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// fence protects folders from a process. A nil fence protects nothing.
//
// Landlock has rules that allow, but none that forbid, and a rule for a folder applies to everything beneath it. So each entry of
// each folder on the way to a guarded one is allowed, except those that lead to it. In the folders on the way themselves nothing
// can be created, removed or renamed: tools' stores there are created in advance (stores_linux.go).
type fence struct {
	rules   ruleset
	guarded []string          // real paths
	ways    map[identity]bool // the guarded folders, and the folders that lead to them
	temp    string            // a folder for temporary files; empty if the usual one is writable
}

// identity identifies a file regardless of its path.
type identity struct{ device, inode uint64 }

// fenceFor creates the fence of a command, nil if the system has none. A fence without guarded folders still keeps processes from
// reading others. It may set the process's TMPDIR. For a command in a box, nothing is allowed yet. remove removes it.
func fenceFor(c Command, cmd *exec.Cmd, b *box) (*fence, error) {
	if confinement() == None {
		return nil, nil
	}
	f := &fence{guarded: realPaths(c.Guarded), ways: map[identity]bool{}}
	for _, path := range f.guarded {
		for ; path != "/"; path = filepath.Dir(path) {
			f.note(path)
		}
	}
	var err error
	if f.rules, err = newRuleset(); err != nil {
		return nil, err
	}
	if b != nil {
		return f, nil // its launcher allows what can be written
	}
	if err := f.raise(c, cmd); err != nil {
		f.remove()
		return nil, err
	}
	return f, nil
}

// raise allows everything that is not guarded.
func (f *fence) raise(c Command, cmd *exec.Cmd) error {
	spared := append(realPaths(c.Spared), f.stores(cmd)...)
	if f.makeTemp(cmd); f.temp != "" {
		spared = append(spared, f.temp)
	}
	for _, path := range append([]string{"/"}, spared...) {
		if err := f.allow(path); err != nil {
			return fmt.Errorf("let %s be written: %w", path, err)
		}
	}
	return nil
}

// allow makes a file or a folder writable, except guarded paths beneath it.
func (f *fence) allow(path string) error {
	if slices.Contains(f.guarded, path) {
		return nil
	}
	leading := f.leading(path)
	if len(leading) == 0 {
		return f.allowWhole(path)
	}
	for _, name := range namesIn(path) {
		if slices.Contains(leading, name) {
			continue
		}
		if err := f.allowWhole(filepath.Join(path, name)); err != nil {
			return err
		}
	}
	for _, name := range leading { // a folder on the way need not be readable
		if err := f.allow(filepath.Join(path, name)); err != nil {
			return err
		}
	}
	return nil
}

// allowWhole makes a file or a folder writable. The target of a link needs its own rule; a deleted file needs none, and a rule for
// another path of a folder on the way (a bind mount) would open the way.
func (f *fence) allowWhole(path string) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil //nolint:nilerr // deleted or unreachable: no process writes it
	}
	defer func() { _ = unix.Close(fd) }()
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return os.NewSyscallError("fstat", err)
	}
	kind := stat.Mode & unix.S_IFMT
	if kind == unix.S_IFLNK || f.ways[identity{stat.Dev, stat.Ino}] {
		return nil
	}
	return f.rules.allow(fd, kind == unix.S_IFDIR)
}

// leading returns the names of the entries of a folder that are guarded, or lead to a guarded path.
func (f *fence) leading(folder string) (names []string) {
	for _, guarded := range f.guarded {
		rest, is := beneath(guarded, folder)
		if name, _, _ := strings.Cut(rest, "/"); is && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// note records a folder by its identity.
func (f *fence) note(path string) {
	var stat unix.Stat_t
	if unix.Lstat(path, &stat) == nil {
		f.ways[identity{stat.Dev, stat.Ino}] = true
	}
}

// remove removes the fence, and files that a process may have left.
func (f *fence) remove() {
	if f == nil {
		return
	}
	f.rules.close()
	if f.temp != "" {
		_ = os.RemoveAll(f.temp)
	}
}

// beneath returns the path from a folder to a path beneath it.
func beneath(path, folder string) (rest string, is bool) {
	return strings.CutPrefix(path, strings.TrimSuffix(folder, "/")+"/")
}

// realPaths returns the paths without links, and omits missing ones.
func realPaths(paths []string) (real []string) {
	for _, path := range paths {
		if path, err := filepath.EvalSymlinks(path); err == nil {
			real = append(real, path)
		}
	}
	return real
}

// namesIn lists a folder, as far as it can be read.
func namesIn(folder string) []string {
	file, err := os.Open(folder) //nolint:gosec // only names are read
	if err != nil {
		return nil
	}
	defer func() { _ = file.Close() }()
	names, _ := file.Readdirnames(-1)
	return names
}
