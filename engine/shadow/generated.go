package shadow

import (
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
)

// What an installation writes beside the code of a Python project, for its version, is ignored by git, so that it is in no snapshot; but the code
// imports it (setuptools-scm's version_file, hatch-vcs, PDM). It is made visible in the tree as what is installed is: by a link.

// findGenerated names what was generated beside the modules of a snapshot.
func (r *Repo) findGenerated(of listing) (names []string) {
	if runtime.GOOS == "windows" {
		return nil // see borrow
	}
	for name := range of {
		if path.Base(name) != "__init__.py" {
			continue
		}
		dir := path.Dir(name)
		entries, err := os.ReadDir(r.at(dir))
		if err != nil {
			continue // it was removed by now
		}
		for _, entry := range entries {
			if _, known := of[path.Join(dir, entry.Name())]; !known && entry.Type().IsRegular() && isVersion(entry.Name()) {
				names = append(names, path.Join(dir, entry.Name()))
			}
		}
	}
	slices.Sort(names)
	return names
}

// isVersion recognises the names of modules that say which version this is: _version.py, __version__.py, _dist_ver.py.
func isVersion(base string) bool {
	name, is := strings.CutSuffix(base, ".py")
	return is && (strings.Contains(name, "version") || strings.HasSuffix(name, "_ver"))
}

// borrowGenerated links what was generated into the tree, where the tree has the package and no file of its own.
func (t *Tree) borrowGenerated(kept map[string]bool) error {
	for _, name := range t.generated {
		if _, own := t.known.files[name]; own || !kept[path.Dir(name)] {
			continue
		}
		lender := lender{workspace: t.repo.root, tree: t.Dir()}
		if err := os.Symlink(lender.in(lender.workspace, name), lender.in(lender.tree, name)); err != nil {
			return err
		}
		t.lent(name)
	}
	return nil
}

// takesOver makes room for a file that is written where one was lent.
func (t *Tree) takesOver(root *os.Root, name string) error {
	if !slices.Contains(t.generated, name) || !t.borrowed[name] {
		return nil
	}
	delete(t.borrowed, name)
	return root.Remove(name)
}
