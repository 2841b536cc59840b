package checks

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxFiles is how many files of what is installed are looked at; of more it is not known whether they are the same.
const maxFiles = 300_000

// errUnknown says that a tree leads to more than can be looked at.
var errUnknown = errors.New("too much is installed to tell whether it is the same")

// treeDigest is a digest of the files in a tree: their names, their contents and whether they can be executed; and of links by where they lead.
func treeDigest(dir string) (string, error) {
	sum := sha256.New()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(sum, "%q %v ", filepath.ToSlash(rel), info.Mode()) // a hash takes everything
		switch {
		case info.Mode().IsRegular():
			return content(sum, path)
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			_, _ = fmt.Fprintf(sum, "%q\n", to)
			return err
		}
		return nil
	})
	return hex.EncodeToString(sum.Sum(nil)), err
}

func content(sum hash.Hash, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	n, err := io.Copy(sum, f)
	_, _ = fmt.Fprintf(sum, " %d\n", n)
	return err
}

// lentDigest is a digest of what a tree leads to outside of it: what is installed, by the names, sizes and times of its files, and what is
// installed by a link to where it is written.
func lentDigest(dir string) (string, error) {
	top, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	l := lent{top: top, sum: sha256.New(), seen: map[string]bool{}}
	err = filepath.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.Type()&fs.ModeSymlink == 0 {
			return err
		}
		return l.follow(path)
	})
	for err == nil && len(l.ahead) > 0 {
		next := l.ahead[0]
		l.ahead = l.ahead[1:]
		err = l.walk(next)
	}
	return hex.EncodeToString(l.sum.Sum(nil)), err
}

// lent is a walk through what lies outside of a tree.
type lent struct {
	top   string
	sum   hash.Hash
	seen  map[string]bool // folders that were, or will be, walked through
	ahead []string
	files int
}

// follow notes where a link leads. One that leads nowhere, and one that stays in what is looked at anyway, is known by its text.
func (l *lent) follow(link string) error {
	to, err := os.Readlink(link)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(l.sum, "link %q\n", to)
	real, err := filepath.EvalSymlinks(link)
	if err == nil {
		l.add(real)
	}
	return nil
}

// add has something looked at that lies outside of the tree, and in nothing that is looked at.
func (l *lent) add(path string) {
	if inside(l.top, path) {
		return
	}
	for at := path; ; at = filepath.Dir(at) {
		if l.seen[at] {
			return
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	l.seen[path] = true
	l.ahead = append(l.ahead, path)
}

func inside(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// passing are folders that tools write when they run, and that say nothing of what is installed.
var passing = []string{"__pycache__", ".git", ".cache", ".vite", ".vitest", ".pytest_cache", ".mypy_cache", ".ruff_cache"}

// walk looks at a folder, or a file.
func (l *lent) walk(root string) error {
	return filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission):
			return nil // it was there a moment ago; or no tool of the user reads it either
		case err != nil:
			return err
		case e.IsDir() && path != root && (slices.Contains(passing, e.Name()) || l.seen[path] || path == l.top):
			return filepath.SkipDir
		case e.IsDir():
			return nil
		case e.Type()&fs.ModeSymlink != 0:
			return l.follow(path)
		}
		info, err := e.Info()
		if err != nil {
			return nil //nolint:nilerr // it was there a moment ago
		}
		if l.files++; l.files > maxFiles {
			return errUnknown
		}
		_, _ = fmt.Fprintf(l.sum, "%q %d %d %v\n", path, info.Size(), info.ModTime().UnixNano(), info.Mode())
		l.editable(path)
		return nil
	})
}

// editable follows an installation of Python that is a link to where a package is written.
// https://packaging.python.org/en/latest/specifications/direct-url/
func (l *lent) editable(path string) {
	switch {
	case filepath.Base(path) == "direct_url.json":
		text, err := os.ReadFile(path)
		var direct struct {
			URL string `json:"url"`
		}
		if err != nil || json.Unmarshal(text, &direct) != nil {
			return
		}
		if at, err := url.Parse(direct.URL); err == nil && at.Scheme == "file" {
			l.existing(at.Path)
		}
	case filepath.Ext(path) == ".pth" || filepath.Ext(path) == ".egg-link":
		text, err := os.ReadFile(path)
		if err != nil {
			return
		}
		for line := range strings.Lines(string(text)) {
			l.existing(strings.TrimSpace(line))
		}
	}
}

func (l *lent) existing(path string) {
	if real, err := filepath.EvalSymlinks(path); err == nil && filepath.IsAbs(path) {
		l.add(real)
	}
}
