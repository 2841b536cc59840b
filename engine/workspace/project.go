package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// ProjectDir is where Forge keeps what it knows of the folder root: a folder of its own below its state
// folder, named by the real path of root. It is not made.
func ProjectDir(stateDir, root string) (string, error) {
	absolute, err := filepath.Abs(root)
	if err != nil {
		return "", fmt.Errorf("find Forge's folder for %s: %w", root, err)
	}
	realRoot, err := filepath.EvalSymlinks(absolute)
	if err != nil {
		return "", fmt.Errorf("find Forge's folder for %s: %w", root, err)
	}
	sum := sha256.Sum256([]byte(realRoot))
	return filepath.Join(stateDir, "projects", hex.EncodeToString(sum[:16])), nil
}

// JournalOf is the journal of the folder root below Forge's state folder.
func JournalOf(stateDir, root string) (Journal, error) {
	dir, err := ProjectDir(stateDir, root)
	return Journal{Dir: filepath.Join(dir, "journal")}, err
}

// Unsettled lists the folders whose journals below stateDir have entries, of living or of dead processes. A
// folder none of whose entries can be read is not among them.
func Unsettled(stateDir string) ([]string, error) {
	found, err := filepath.Glob(filepath.Join(stateDir, "projects", "*", "journal", "*"+entrySuffix))
	if err != nil {
		return nil, fmt.Errorf("look for changes that were cut off: %w", err)
	}
	var roots []string
	for _, name := range found {
		data, err := os.ReadFile(name) //nolint:gosec // a file of our own
		if err != nil {
			continue // ended meanwhile
		}
		if e, _, err := parseEntry(data); err == nil && !slices.Contains(roots, e.Root) {
			roots = append(roots, e.Root)
		}
	}
	return roots, nil
}
