package tool

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"forge/engine/gate"
)

// Bounds of what is looked up for one report: places are a help, and wait for nothing.
const (
	maxSource  = 1 << 20  // of one file, in bytes
	maxSources = 64 << 20 // of all files, in bytes
	maxEntries = 10_000   // of all folders: files and folders
)

// Sources are the files of a project, to look up what a tool was about. Each file is read once. What is missing, or is more than is
// looked at, is empty: a lookup that finds nothing is no failure.
type Sources struct {
	files fs.FS
	texts map[string][]byte
	below map[string][]string
	left  int // bytes that may still be read
	cut   bool
}

// SourcesOf are the files of a tree.
func SourcesOf(tree gate.Tree) *Sources { return SourcesIn(inside(tree.Dir())) }

// SourcesIn are the files of a file system.
func SourcesIn(files fs.FS) *Sources {
	return &Sources{files: files, texts: map[string][]byte{}, below: map[string][]string{}, left: maxSources}
}

// Read gives the beginning of a file; nothing where it is missing, or a link leads out of the tree.
func (s *Sources) Read(file string) []byte {
	text, known := s.texts[file]
	if !known {
		text = s.open(file)
		s.texts[file] = text
		s.left -= len(text)
	}
	return text
}

func (s *Sources) open(file string) []byte {
	f, err := s.files.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close() //nolint:errcheck // nothing was written
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(f, int64(min(maxSource, s.left))))
	s.cut = s.cut || len(text) == s.left
	if err != nil {
		return nil
	}
	if text == nil {
		return []byte{} // it is there
	}
	return text
}

// First is the first of some files that is there, else the first of their names.
func (s *Sources) First(names ...string) string {
	if i := slices.IndexFunc(names, func(name string) bool { return s.Read(name) != nil }); i >= 0 {
		return names[i]
	}
	return names[0]
}

// In are the files of a folder that are wanted, sorted.
func (s *Sources) In(dir string, want func(file string) bool) []string {
	return slices.DeleteFunc(slices.Clone(s.Below(dir, want)), func(file string) bool { return path.Dir(file) != path.Clean(dir) })
}

// Below are the files below a folder that are wanted, its own before those of the folders in it. Folders of what nobody here has
// written are left out.
func (s *Sources) Below(dir string, want func(file string) bool) (found []string) {
	dir = path.Clean(dir)
	all, known := s.below[dir]
	if !known {
		all = s.list(dir)
		s.below[dir] = all
	}
	for _, file := range all {
		if want(file) {
			found = append(found, file)
		}
	}
	return found
}

func (s *Sources) list(dir string) (files []string) {
	seen := 0
	for folders := []string{dir}; len(folders) > 0 && seen < maxEntries; folders = folders[1:] {
		entries, err := fs.ReadDir(s.files, folders[0])
		if err != nil {
			continue
		}
		for _, entry := range entries[:min(len(entries), maxEntries-seen)] {
			name := path.Join(folders[0], entry.Name())
			switch {
			case entry.Type().IsRegular():
				files = append(files, name)
			case entry.IsDir() && !foreign(entry.Name()):
				folders = append(folders, name)
			}
		}
		seen += len(entries)
	}
	s.cut = s.cut || seen >= maxEntries
	return files
}

// Partial reports whether there was more to look at, so far, than is looked at.
func (s *Sources) Partial() bool { return s.cut }

// foreign reports whether a folder holds what was installed or built.
func foreign(name string) bool {
	return strings.HasPrefix(name, ".") || slices.Contains([]string{"node_modules", "vendor", "target", "venv", "site-packages", "__pycache__"}, name)
}

// Find gives the first line that a pattern matches, of the first file that has one.
func (s *Sources) Find(files []string, pattern *regexp.Regexp) (Place, bool) {
	for _, file := range files {
		text := s.Read(file)
		if at := pattern.FindIndex(text); at != nil {
			return Place{Path: file, Line: 1 + strings.Count(string(text[:at[0]]), "\n")}, true
		}
	}
	return Place{}, false
}

// inside is a folder that no link leads out of.
type inside string

var errSpecial = errors.New("it is neither a file nor a folder")

// Open opens files and folders only: a pipe would never end.
func (dir inside) Open(name string) (fs.File, error) {
	root, err := os.OpenRoot(string(dir))
	if err != nil {
		return nil, err
	}
	defer root.Close() //nolint:errcheck // nothing was written
	name = filepath.FromSlash(name)
	info, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() && !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errSpecial}
	}
	return root.Open(name)
}
