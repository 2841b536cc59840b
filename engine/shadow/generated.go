package shadow

import (
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// A file that an installation writes beside the code of a Python project, for its version, is ignored by git, so that it is in no snapshot; but the code
// imports it (setuptools-scm's version_file, hatch-vcs, PDM). It is made visible in the tree as what is installed is: by a link.

// find looks for what was generated beside the modules of a snapshot.
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
			continue // it was removed by now
		}
		for _, entry := range entries {
			if _, known := of[path.Join(dir, entry.Name())]; !known && entry.Type().IsRegular() && isVersion(entry.Name()) {
				l.generated = append(l.generated, path.Join(dir, entry.Name()))
			}
		}
	}
	slices.Sort(l.generated)
}

// isVersion recognises the names of modules that say which version this is: _version.py, __version__.py, _dist_ver.py.
func isVersion(base string) bool {
	name, is := strings.CutSuffix(base, ".py")
	return is && (strings.Contains(name, "version") || strings.HasSuffix(name, "_ver"))
}

// lendGenerated links what was generated into the tree.
func (l *loans) lendGenerated() error {
	for _, name := range l.generated {
		if err := os.Symlink(l.dir.At(name), filepath.Join(l.tree, filepath.FromSlash(name))); err != nil {
			return err
		}
		l.lent[name] = true
	}
	return nil
}

// takesOver makes room for a file that is written where one was lent.
func (l *loans) takesOver(root *os.Root, name string) error {
	if !slices.Contains(l.generated, name) || !l.lent[name] {
		return nil
	}
	delete(l.lent, name)
	return root.Remove(name)
}
