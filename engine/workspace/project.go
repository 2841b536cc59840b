package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
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
