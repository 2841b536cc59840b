package rust

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"forge/engine/gate"
	"forge/internal/lazyregexp"
)

// keepFor is how long what was compiled is kept after its last use.
const keepFor = 72 * time.Hour

// usedFile is touched whenever a place is used.
const usedFile = "used"

// place makes the folder in which the project in a tree is compiled. It is named by the tree's own path: a scratch tree
// belongs to one owner at a time and keeps its path over runs, so nobody else builds there at the same moment, and what
// is there is of this project.
func (t cargo) place(tree gate.Tree) (string, error) {
	sum := sha256.Sum256([]byte(filepath.Clean(tree.Dir())))
	dir := filepath.Join(t.cache, hex.EncodeToString(sum[:8]))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make a folder for what is compiled: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, usedFile), nil, 0o600); err != nil {
		return "", fmt.Errorf("note that a folder is used: %w", err)
	}
	t.removeOld(dir)
	return dir, nil
}

// removeOld removes the places that nobody has used for long. What cannot be removed now is removed later.
func (t cargo) removeOld(used string) {
	entries, _ := os.ReadDir(t.cache)
	now := mtime(filepath.Join(used, usedFile))
	for _, e := range entries {
		dir := filepath.Join(t.cache, e.Name())
		if last := mtime(filepath.Join(dir, usedFile)); dir != used && !last.IsZero() && now.Sub(last) > keepFor {
			_ = os.RemoveAll(dir)
		}
	}
}

func mtime(name string) time.Time {
	info, err := os.Stat(name)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// hashed is the end of the names that cargo gives to what it makes of a package.
var hashed = lazyregexp.New(`^(?:lib)?(.+)-[0-9a-f]{16}(?:\..*)?$`)

// products are the folders below a profile in which cargo keeps what it made, by package or by crate.
var products = []string{".fingerprint", "build", "deps", "examples"}

// forget removes what was made of the tree's own packages. What was made of downloaded crates stays: their source does
// not change. Incremental compilation is given up as a whole: only the tree's own crates have any.
func forget(target string, names map[string]bool) error {
	var errs []error
	profiles := append(glob(filepath.Join(target, "*")), glob(filepath.Join(target, "*", "*"))...)
	for _, profile := range profiles {
		errs = append(errs, os.RemoveAll(filepath.Join(profile, "incremental")))
		for _, product := range products {
			errs = append(errs, forgetIn(filepath.Join(profile, product), names))
		}
	}
	return errors.Join(errs...)
}

func forgetIn(dir string, names map[string]bool) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err != nil && !isDir(dir) {
		return nil
	}
	errs := []error{err}
	for _, e := range entries {
		if m := hashed.FindStringSubmatch(e.Name()); m != nil && names[crateName(m[1])] {
			errs = append(errs, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	return errors.Join(errs...)
}

func isDir(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && info.IsDir()
}

// glob gives the folders that match; links are none.
func glob(pattern string) (dirs []string) {
	matches, _ := filepath.Glob(pattern) // the pattern is ours
	for _, m := range matches {
		if isDir(m) {
			dirs = append(dirs, m)
		}
	}
	return dirs
}

// crateName is how the compiler names a package or target.
func crateName(name string) string { return strings.ReplaceAll(name, "-", "_") }
