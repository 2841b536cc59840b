// Package builds is the folder into which the gates of Rust have cargo build: where it is, with what of the user's own builds it begins,
// and what of it stays from gate to gate (docs/adr/0122, docs/adr/0128).
//
// Invariants: output of the tree's own packages is removed before each gate, so that they are always compiled. Nothing is written into the user's folder.
package builds

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"forge/engine/gate"
)

// keepFor is how long build output is kept after its last use.
const keepFor = 72 * time.Hour

// usedFile is touched on every use of a place.
const usedFile = "used"

// Open prepares the folder of a tree for the next build, in a cache of Forge's own. own are the compiler's names of the tree's own packages and
// their targets.
func Open(ctx context.Context, tree gate.Tree, cache string, own map[string]bool) (target string, err error) {
	dir, err := place(tree, cache)
	if err != nil {
		return "", err
	}
	target = filepath.Join(dir, targetName)
	warm(ctx, tree, target, own)
	return target, errors.Join(takeBack(target), forget(target, own))
}

// place creates the build folder of the project in a tree. Its name derives from the tree's path: a scratch tree has
// one owner at a time and keeps its path over runs, so no other process builds there at the same time, and its content
// belongs to this project.
func place(tree gate.Tree, cache string) (string, error) {
	sum := sha256.Sum256([]byte(filepath.Clean(tree.Dir())))
	dir := filepath.Join(cache, hex.EncodeToString(sum[:8]))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make a folder for build output: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, usedFile), nil, 0o600); err != nil {
		return "", fmt.Errorf("mark a folder as used: %w", err)
	}
	removeOld(cache, dir)
	return dir, nil
}

// removeOld removes places that were not used for long. Failures are retried later.
func removeOld(cache, used string) {
	entries, _ := os.ReadDir(cache)
	now := mtime(filepath.Join(used, usedFile))
	for _, e := range entries {
		dir := filepath.Join(cache, e.Name())
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

// products are the folders below a profile with cargo's output, by package or by crate.
var products = []string{".fingerprint", "build", "deps", "examples"}

// forget removes the output of the tree's own packages, so that cargo compiles them again regardless of their times. That of
// downloaded crates stays, because their source does not change. Incremental data stays too: the compiler compares it with the text
// that it compiles, not with times.
//
// A downloaded crate may have the name of one of the tree's own, such as an earlier version that a tool for tests needs: its units are spared.
func forget(target string, names map[string]bool) error {
	spared := sparedIn(target)
	var errs []error
	for _, profile := range profiles(target) {
		for _, product := range products {
			errs = append(errs, forgetIn(filepath.Join(profile, product), names, spared))
		}
	}
	return errors.Join(errs...)
}

// othersFile has the hashes of units of downloaded crates. It is next to the target, where no command of a gate can write.
func othersFile(target string) string { return target + ".others" }

func sparedIn(target string) map[string]bool {
	hashes := map[string]bool{}
	text, _ := os.ReadFile(othersFile(target)) // a missing one spares nothing
	for _, hash := range strings.Fields(string(text)) {
		hashes[hash] = true
	}
	return hashes
}

// Spare notes the hashes of units that stay although they have the name of an own package.
func Spare(target string, hashes []string) {
	known := sparedIn(target)
	for _, hash := range hashes {
		known[hash] = true
	}
	text := strings.Join(slices.Sorted(maps.Keys(known)), "\n")
	_ = os.WriteFile(othersFile(target), []byte(text), 0o600) // on failure, they are compiled again
}

// profiles returns the folders of a target that may contain products: target/debug, or target/TRIPLE/debug. It follows no link, which code of
// the tree may have made.
func profiles(target string) (dirs []string) {
	for _, dir := range folders(target) {
		dirs = append(append(dirs, dir), folders(dir)...)
	}
	return dirs
}

// incremental is the folder of a profile with what the compiler remembers of the tree's own packages.
const incremental = "incremental"

// PutAside moves the incremental data of a target out of reach of the tests that are about to run, and Open moves it back for the next
// build: what the compiler believes is only written by builds.
func PutAside(target string) error {
	aside := target + ".aside"
	if err := os.RemoveAll(aside); err != nil {
		return err
	}
	var errs []error
	for _, profile := range profiles(target) {
		from := filepath.Join(profile, incremental)
		if !isDir(from) {
			continue
		}
		to := filepath.Join(aside, strings.TrimPrefix(from, target))
		errs = append(errs, os.MkdirAll(filepath.Dir(to), 0o700), os.Rename(from, to))
	}
	return errors.Join(errs...)
}

// takeBack moves incremental data back, and removes any that tests have left.
func takeBack(target string) error {
	aside := target + ".aside"
	if !isDir(aside) {
		return nil
	}
	var errs []error
	for _, profile := range profiles(target) {
		to := filepath.Join(profile, incremental)
		errs = append(errs, os.RemoveAll(to))
		if from := filepath.Join(aside, strings.TrimPrefix(to, target)); isDir(from) {
			errs = append(errs, os.Rename(from, to))
		}
	}
	return errors.Join(append(errs, os.RemoveAll(aside))...)
}

func forgetIn(dir string, names, spared map[string]bool) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err != nil && !isDir(dir) {
		return nil
	}
	errs := []error{err}
	for _, e := range entries {
		if m := ofUnit.FindStringSubmatch(e.Name()); m != nil && isOf(names, m[1]) && !spared[m[2]] {
			errs = append(errs, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	return errors.Join(errs...)
}

// isOf reports whether a unit may be of one of some crates: the file of a library begins with "lib", and so may the name of a crate.
func isOf(names map[string]bool, unit string) bool {
	return names[CrateName(unit)] || names["lib"+CrateName(unit)]
}

func isDir(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && info.IsDir()
}

// folders returns the folders in a folder, without links.
func folders(dir string) (found []string) {
	entries, _ := os.ReadDir(dir) // a missing one has none
	for _, e := range entries {
		if e.IsDir() {
			found = append(found, filepath.Join(dir, e.Name()))
		}
	}
	return found
}

// CrateName returns the compiler's name of a package or target.
func CrateName(name string) string { return strings.ReplaceAll(name, "-", "_") }
