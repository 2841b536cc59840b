package shadow

import (
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// An installation may write a file into the code of a Python project, for its version. git ignores it, so no snapshot contains it;
// but the code imports it (setuptools-scm's version_file, hatch-vcs, PDM). Like installed packages, it is made visible in the tree
// by a link.

// find finds generated files next to the modules of a snapshot.
func (l *loans) find(of map[string]held) {
	l.generated = nil
	if runtime.GOOS == "windows" {
		return // see renew
	}
	for name := range of {
		if path.Base(name) != "__init__.py" {
			continue
		}
		dir := path.Dir(name)
		entries, err := os.ReadDir(l.dir.At(dir))
		if err != nil {
			continue // removed since
		}
		for _, entry := range entries {
			if _, known := of[path.Join(dir, entry.Name())]; !known && entry.Type().IsRegular() && isVersion(entry.Name()) {
				l.generated = append(l.generated, path.Join(dir, entry.Name()))
			}
		}
	}
	slices.Sort(l.generated)
}

// isVersion reports whether a name is that of a generated version module: _version.py, __version__.py, _dist_ver.py.
func isVersion(base string) bool {
	name, is := strings.CutSuffix(base, ".py")
	return is && (strings.Contains(name, "version") || strings.HasSuffix(name, "_ver"))
}

// lendGenerated links the generated files into the tree.
func (l *loans) lendGenerated() error {
	for _, name := range l.generated {
		if err := os.Symlink(l.dir.At(name), filepath.Join(l.tree, filepath.FromSlash(name))); err != nil {
			return err
		}
		l.lent[name] = true
	}
	return nil
}

// takesOver removes a lent file that is about to be written.
func (l *loans) takesOver(root *os.Root, name string) error {
	if !slices.Contains(l.generated, name) || !l.lent[name] {
		return nil
	}
	delete(l.lent, name)
	return root.Remove(name)
}
