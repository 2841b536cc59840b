package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// ProjectDir is where Forge keeps what it knows of the folder root: a folder of its own below its state
// folder, named by the real path of root. It is not made.
func ProjectDir(stateDir, root string) (string, error) {
	realRoot, err := RealRoot(root)
	if err != nil {
		return "", fmt.Errorf("find Forge's folder for %s: %w", root, err)
	}
	return filepath.Join(stateDir, "projects", NameOf(realRoot)), nil
}

// RealRoot is the absolute path of a folder, without links.
func RealRoot(root string) (string, error) {
	absolute, err := filepath.Abs(root)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(absolute)
}

// NameOf is what Forge's own folders for a folder are called, by its real path.
func NameOf(realRoot string) string {
	sum := sha256.Sum256([]byte(realRoot))
	return hex.EncodeToString(sum[:16])
}

// JournalOf is the journal of the folder root below Forge's state folder.
func JournalOf(stateDir, root string) (Journal, error) {
	dir, err := ProjectDir(stateDir, root)
	return Journal{Dir: filepath.Join(dir, "journal")}, err
}

// Unsettled lists the folders whose journals below stateDir have entries, of living or of dead processes, and
// the entries that were put aside because they are unreadable. Entries that never came to be are removed.
func Unsettled(ctx context.Context, stateDir string) (roots, damaged []string, err error) {
	found, err := filepath.Glob(filepath.Join(stateDir, "projects", "*", "journal", "*.*"))
	if err != nil {
		return nil, nil, fmt.Errorf("look for changes that were cut off: %w", err)
	}
	var errs []error
	for _, name := range found {
		switch filepath.Ext(name) {
		case damagedSuffix:
			damaged = append(damaged, name)
		case newSuffix:
			errs = append(errs, Journal{Dir: filepath.Dir(name)}.sweep(ctx, filepath.Base(name)))
		case entrySuffix:
			if root := rootOf(name); root != "" && !slices.Contains(roots, root) {
				roots = append(roots, root)
			}
		}
	}
	return roots, damaged, errors.Join(errs...)
}

// rootOf reads which folder an entry is about; empty when it ended meanwhile or cannot be read.
func rootOf(name string) string {
	data, err := os.ReadFile(name) //nolint:gosec // a file of our own
	if err != nil {
		return ""
	}
	e, _, err := parseEntry(data)
	if err != nil {
		return ""
	}
	return e.Root
}

// sweep removes an entry whose writer died before it had its name. Living ones hold the lock.
func (j Journal) sweep(ctx context.Context, name string) error {
	notes, err := j.open()
	if err != nil {
		return err
	}
	defer notes.Close() //nolint:errcheck // nothing is written
	release, err := lockFolder(ctx, osFolder{notes})
	if err != nil {
		return err
	}
	defer release()
	return remove(osFolder{notes}, name)
}
