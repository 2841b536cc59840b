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

// Limits of the lookups for one report: places are only a help.
const (
	maxSource  = 1 << 20  // of one file, in bytes
	maxSources = 64 << 20 // of all files, in bytes
	maxEntries = 10_000   // of all folders: files and folders
)

// Sources are the files of a project, for lookups. Each file is read once. Missing files, and files beyond the limits, are empty: a
// lookup without a result is not a failure.
type Sources struct {
	files fs.FS
	texts map[string][]byte
	below map[string][]string
	left  int // bytes that may still be read
	cut   bool
}

// SourcesOf returns the files of a tree.
func SourcesOf(tree gate.Tree) *Sources { return SourcesIn(inside(tree.Dir())) }

// SourcesIn returns the files of a file system.
func SourcesIn(files fs.FS) *Sources {
	return &Sources{files: files, texts: map[string][]byte{}, below: map[string][]string{}, left: maxSources}
}

// Read returns the beginning of a file, or nil if it is missing or a link leads out of the tree.
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
	defer f.Close() //nolint:errcheck // only read
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(f, int64(min(maxSource, s.left))))
	s.cut = s.cut || len(text) == s.left
	if err != nil {
		return nil
	}
	if text == nil {
		return []byte{} // it exists
	}
	return text
}

// First returns the first existing file of some names, otherwise the first name.
func (s *Sources) First(names ...string) string {
	if i := slices.IndexFunc(names, func(name string) bool { return s.Read(name) != nil }); i >= 0 {
		return names[i]
	}
	return names[0]
}

// In returns the wanted files of a folder, sorted.
func (s *Sources) In(dir string, want func(file string) bool) []string {
	return slices.DeleteFunc(slices.Clone(s.Below(dir, want)), func(file string) bool { return path.Dir(file) != path.Clean(dir) })
}

// Below returns the wanted files below a folder, its own before those of its subfolders. It skips folders of installed or built
// files.
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

// Partial reports whether a limit has been reached so far.
func (s *Sources) Partial() bool { return s.cut }

// foreign reports whether a folder contains installed or built files.
func foreign(name string) bool {
	return strings.HasPrefix(name, ".") || slices.Contains([]string{"node_modules", "vendor", "target", "venv", "site-packages", "__pycache__"}, name)
}

// Find returns the first line that a pattern matches, in the first file with one.
func (s *Sources) Find(files []string, pattern *regexp.Regexp) (Place, bool) {
	for _, file := range files {
		text := s.Read(file)
		if at := pattern.FindIndex(text); at != nil {
			return Place{Path: file, Line: 1 + strings.Count(string(text[:at[0]]), "\n")}, true
		}
	}
	return Place{}, false
}

// inside is a folder whose links cannot lead out of it.
type inside string

var errSpecial = errors.New("it is neither a file nor a folder")

// Open opens only files and folders: a pipe would never end.
func (dir inside) Open(name string) (fs.File, error) {
	root, err := os.OpenRoot(string(dir))
	if err != nil {
		return nil, err
	}
	defer root.Close() //nolint:errcheck // only read
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
