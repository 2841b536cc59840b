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

// keepFor is how long build output is kept after its last use.
const keepFor = 72 * time.Hour

// usedFile is touched on every use of a place.
const usedFile = "used"

// place creates the build folder of the project in a tree. Its name derives from the tree's path: a scratch tree has
// one owner at a time and keeps its path over runs, so no other process builds there at the same time, and its content
// belongs to this project.
func (t cargo) place(tree gate.Tree) (string, error) {
	sum := sha256.Sum256([]byte(filepath.Clean(tree.Dir())))
	dir := filepath.Join(t.cache, hex.EncodeToString(sum[:8]))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make a folder for build output: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, usedFile), nil, 0o600); err != nil {
		return "", fmt.Errorf("mark a folder as used: %w", err)
	}
	t.removeOld(dir)
	return dir, nil
}

// removeOld removes places that were not used for long. Failures are retried later.
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

// hashed matches the ends of cargo's file names for a package.
var hashed = lazyregexp.New(`^(?:lib)?(.+)-[0-9a-f]{16}(?:\..*)?$`)

// products are the folders below a profile with cargo's output, by package or by crate.
var products = []string{".fingerprint", "build", "deps", "examples"}

// forget removes the output of the tree's own packages. That of downloaded crates stays, because their source does not
// change. Incremental data is removed completely: only the tree's own crates have any.
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

// glob returns the matching folders, without links.
func glob(pattern string) (dirs []string) {
	matches, _ := filepath.Glob(pattern) // our pattern is valid
	for _, m := range matches {
		if isDir(m) {
			dirs = append(dirs, m)
		}
	}
	return dirs
}

// crateName returns the compiler's name of a package or target.
func crateName(name string) string { return strings.ReplaceAll(name, "-", "_") }
