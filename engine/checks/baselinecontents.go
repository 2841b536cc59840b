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

// maxFiles is the largest number of installed files that are compared; with more, the result is unknown.
const maxFiles = 300_000

// errUnknown means that a tree refers to more files than can be compared.
var errUnknown = errors.New("too many installed files to compare")

// treeDigest returns a digest of the files in a tree: names, contents, executable bits, and the targets of links.
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
	defer f.Close() //nolint:errcheck // only read
	n, err := io.Copy(sum, f)
	_, _ = fmt.Fprintf(sum, " %d\n", n)
	return err
}

// linkedDigest returns a digest of the installed files outside of a tree that it refers to: their names, sizes and times, and those
// of packages that are installed by a link to their source.
func linkedDigest(dir string) (string, error) {
	top, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	l := linkedWalk{top: top, sum: sha256.New(), seen: map[string]bool{}}
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

// linkedWalk is a walk through files outside of a tree.
type linkedWalk struct {
	top   string
	sum   hash.Hash
	seen  map[string]bool // folders that were walked, or will be
	ahead []string
	files int
}

// follow records the target of a link. A broken link, and one into a tree that is read anyway, counts by its text.
func (l *linkedWalk) follow(link string) error {
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

// add queues a path outside of the tree, unless it is inside a queued folder.
func (l *linkedWalk) add(path string) {
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

// passing are folders that tools write when they run, and that contain nothing installed.
var passing = []string{"__pycache__", ".git", ".cache", ".vite", ".vitest", ".pytest_cache", ".mypy_cache", ".ruff_cache"}

// walk adds a folder, or a file, to the digest.
func (l *linkedWalk) walk(root string) error {
	return filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission):
			return nil // deleted since, or unreadable for the user's tools too
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
			return nil //nolint:nilerr // deleted since
		}
		if l.files++; l.files > maxFiles {
			return errUnknown
		}
		_, _ = fmt.Fprintf(l.sum, "%q %d %d %v\n", path, info.Size(), info.ModTime().UnixNano(), info.Mode())
		l.editable(path)
		return nil
	})
}

// editable follows an editable installation of Python, which links to the package's source.
// https://packaging.python.org/en/latest/specifications/direct-url/
func (l *linkedWalk) editable(path string) {
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

func (l *linkedWalk) existing(path string) {
	if real, err := filepath.EvalSymlinks(path); err == nil && filepath.IsAbs(path) {
		l.add(real)
	}
}
